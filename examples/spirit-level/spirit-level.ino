// A platform is kept level: an MPU-6050 feels how it is tilted, and a servo turns it back. A lamp is lit
// while it lies level by less than two degrees.

#include <Servo.h>
#include <Takt.h>
#include <Wire.h>

const int sensor = 0x68, lamp = LED_BUILTIN;

Servo servo;
Channel<int> tilt;

void setup() {
  Serial.begin(115200);
  Wire.begin();
  servo.attach(9);
  pinMode(lamp, OUTPUT);
}

void wake() {
  Wire.beginTransmission(sensor);
  Wire.write((uint8_t)0x6B);
  Wire.write((uint8_t)0);
  Wire.endTransmission();
}

int word16() {
  int high = (int8_t)Wire.read();
  return high * 256 + Wire.read();
}

void loop(1, 2, 10) {
  static bool awake = false;
  if (!awake)
    wake();
  awake = true;
  Wire.beginTransmission(sensor);
  Wire.write((uint8_t)0x3D);  // acceleration along y, then z
  Wire.endTransmission(false);
  Wire.requestFrom(sensor, 4);
  float y = word16(), z = word16();
  tilt.write((int)lroundf(atan2f(y, z) * 180 / PI));
  delay(8);
}

void loop(2, 1, 20) {
  static int told = 0;
  int angle = tilt.read();
  servo.write(90 - angle);
  digitalWrite(lamp, abs(angle) < 2);
  if (abs(angle - told) >= 10) {
    told = angle;
    Serial.print("tilt ");
    Serial.println(angle);
  }
  delay(20);
}
