// Two BMP280, one on I2C and one on SPI, read with Adafruit's library.

#include <Adafruit_BMP280.h>

Adafruit_BMP280 near, far(10);

void setup() {
  Serial.begin(115200);
  if (!near.begin(0x76) || !far.begin())
    Serial.println("not there");
}

void say(const char *where, Adafruit_BMP280 &sensor) {
  Serial.print(where);
  Serial.print(sensor.readTemperature(), 2);
  Serial.print(" C ");
  Serial.print(sensor.readPressure() / 100, 2);
  Serial.println(" hPa");
}

void loop() {
  delay(1000);
  say("near ", near);
  say("far ", far);
}
