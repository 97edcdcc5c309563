// Temperature, pressure and humidity of a BME280, read with Adafruit's library.

#include <Adafruit_BME280.h>

Adafruit_BME280 sensor;

void setup() {
  Serial.begin(115200);
  if (!sensor.begin(0x77))
    Serial.println("not there");
}

void loop() {
  delay(1000);
  Serial.print(sensor.readTemperature(), 2);
  Serial.print(" C ");
  Serial.print(sensor.readPressure() / 100, 1);
  Serial.print(" hPa ");
  Serial.print(sensor.readHumidity(), 1);
  Serial.println(" %");
}
