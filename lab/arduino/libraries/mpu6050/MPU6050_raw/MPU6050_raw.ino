// Raw numbers of an MPU-6050, read with the library of Rowberg.

#include <MPU6050.h>
#include <Wire.h>

MPU6050 sensor;

void setup() {
  Serial.begin(115200);
  Wire.begin();
  sensor.initialize();
  Serial.println(sensor.testConnection() ? "there" : "not there");
}

void loop() {
  int16_t ax, ay, az, gx, gy, gz;
  sensor.getMotion6(&ax, &ay, &az, &gx, &gy, &gz);
  int16_t all[] = {ax, ay, az, gx, gy, gz};
  for (int16_t one : all) {
    Serial.print(one);
    Serial.print(' ');
  }
  Serial.println();
  delay(500);
}
