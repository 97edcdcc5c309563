// Gets an address by DHCP, and asks a time server, found by its name, what time it is.
#include <Ethernet.h>
#include <EthernetUdp.h>

byte mac[] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
byte packet[48];
EthernetUDP udp;

void setup() {
  Serial.begin(115200);
  Ethernet.init(SS);
  if (!Ethernet.begin(mac)) Serial.println("no address");
  Serial.println(Ethernet.localIP());
  udp.begin(8888);
}

void loop() {
  memset(packet, 0, sizeof packet);
  packet[0] = 0x23; // version 4, client
  udp.beginPacket("time.example.org", 123);
  udp.write(packet, sizeof packet);
  udp.endPacket();
  delay(100);
  if (udp.parsePacket() == sizeof packet) {
    udp.read(packet, sizeof packet);
    unsigned long seconds = 0;
    for (int k = 40; k < 44; k++) seconds = seconds << 8 | packet[k];
    Serial.print(seconds % 86400 / 3600);
    Serial.print(':');
    Serial.println(seconds % 3600 / 60);
  } else {
    Serial.println("no answer");
  }
  delay(900);
}
