// A DHT22 read with DHTlib, which counts turns of a loop and so wants an AVR.

#include <dht.h>

dht sensor;

void setup() {
  Serial.begin(115200);
}

void loop() {
  delay(2500);
  int result = sensor.read22(2);
  if (result != DHTLIB_OK) {
    Serial.print("error ");
    Serial.println(result);
    return;
  }
  Serial.print(sensor.temperature, 1);
  Serial.print(" C ");
  Serial.print(sensor.humidity, 1);
  Serial.println(" %");
}
