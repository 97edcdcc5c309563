// Tells what A0 is to all that ask for a page, and logs each question at a collector.
#include <Ethernet.h>

byte mac[] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
IPAddress ip(192, 168, 1, 50), collector(192, 168, 1, 20);
EthernetServer server(80);
int asked;

void setup() {
  Serial.begin(115200);
  Ethernet.init(SS);
  Ethernet.begin(mac, ip);
  server.begin();
}

void log(const String &question) {
  EthernetClient client;
  if (!client.connect(collector, 5000)) {
    Serial.println("no collector");
    return;
  }
  client.println(question);
  String answer = client.readStringUntil('\n');
  client.stop();
  Serial.print(question);
  Serial.print(": ");
  Serial.println(answer);
}

void loop() {
  EthernetClient client = server.available();
  if (!client) {
    delay(1);
    return;
  }
  String question = client.readStringUntil('\r');
  while (client.available()) client.read();
  client.print("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
  client.print(++asked);
  client.print(": A0 is ");
  client.println(analogRead(A0));
  client.stop();
  log(question);
}
