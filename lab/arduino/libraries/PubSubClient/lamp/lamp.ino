// A lamp that a broker switches (MQTT), and that says each second how it is.
#include <Ethernet.h>
#include <PubSubClient.h>

const int LAMP = 7;
byte mac[] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
IPAddress ip(192, 168, 1, 50), broker(192, 168, 1, 20);
EthernetClient link;
PubSubClient client(link);
unsigned long told;

void heard(char *topic, byte *payload, unsigned int length) {
  digitalWrite(LAMP, length == 2 && payload[1] == 'n'); // "on" or "off"
  Serial.print(topic);
  Serial.print(": ");
  Serial.write(payload, length);
  Serial.println();
}

void setup() {
  Serial.begin(115200);
  pinMode(LAMP, OUTPUT);
  Ethernet.init(SS);
  Ethernet.begin(mac, ip);
  client.setServer(broker, 1883);
  client.setCallback(heard);
  if (!client.connect("takt")) {
    Serial.println("no broker");
    return;
  }
  client.subscribe("lamp");
}

void loop() {
  client.loop();
  if (client.connected() && millis() - told >= 1000) {
    told = millis();
    client.publish("state", digitalRead(LAMP) ? "bright" : "dark");
  }
  delay(10);
}
