// Two sensors, read with Adafruit's DHT library: a DHT22 and a DHT11.

#include <DHT.h>

DHT outside(2, DHT22), inside(3, DHT11);

void setup() {
  Serial.begin(115200);
  outside.begin();
  inside.begin();
}

void say(const char *where, DHT &sensor) {
  float celsius = sensor.readTemperature(), humidity = sensor.readHumidity();
  Serial.print(where);
  if (isnan(celsius) || isnan(humidity)) {
    Serial.println(" nothing");
    return;
  }
  Serial.print(" ");
  Serial.print(celsius, 1);
  Serial.print(" C ");
  Serial.print(humidity, 1);
  Serial.println(" %");
}

void loop() {
  delay(2500);
  say("outside", outside);
  say("inside", inside);
}
