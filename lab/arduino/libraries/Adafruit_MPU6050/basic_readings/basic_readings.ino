// Acceleration, turning and temperature of an MPU-6050, read with Adafruit's library.

#include <Adafruit_MPU6050.h>

Adafruit_MPU6050 sensor;

void setup() {
  Serial.begin(115200);
  if (!sensor.begin()) {
    Serial.println("not there");
    for (;;)
      delay(1000);
  }
  sensor.setAccelerometerRange(MPU6050_RANGE_8_G);
  sensor.setGyroRange(MPU6050_RANGE_500_DEG);
  sensor.setFilterBandwidth(MPU6050_BAND_21_HZ);
}

void say(float x, float y, float z) {
  Serial.print(x, 2);
  Serial.print(' ');
  Serial.print(y, 2);
  Serial.print(' ');
  Serial.println(z, 2);
}

void loop() {
  sensors_event_t accel, gyro, temperature;
  sensor.getEvent(&accel, &gyro, &temperature);
  Serial.print("m/s2 ");
  say(accel.acceleration.x, accel.acceleration.y, accel.acceleration.z);
  Serial.print("rad/s ");
  say(gyro.gyro.x, gyro.gyro.y, gyro.gyro.z);
  Serial.print("degC ");
  Serial.println(temperature.temperature, 1);
  delay(500);
}
