// A line every second: the time of a DS1307, temperature and pressure of a BMP280, and how light it is. No
// library: what the chips' data sheets say is done here. Another loop keeps watch every 10 ms.

#include <Takt.h>
#include <Wire.h>

const int clockAddress = 0x68, barometer = 0x76;
const int lamp = LED_BUILTIN;

uint16_t t1, p1;
int16_t t2, t3, p[10];  // p[2] to p[9]

void ask(int address, int reg, int count) {
  Wire.beginTransmission(address);
  Wire.write((uint8_t)reg);
  Wire.endTransmission(false);
  Wire.requestFrom(address, count);
}

uint16_t word16() {
  uint16_t low = Wire.read();
  return low | (uint16_t)Wire.read() << 8;
}

void setup() {
  Serial.begin(115200);
  Wire.begin();
  pinMode(lamp, OUTPUT);
}

void begin() {
  ask(barometer, 0x88, 24);
  t1 = word16();
  t2 = word16();
  t3 = word16();
  p1 = word16();
  for (int n = 2; n <= 9; n++)
    p[n] = word16();
  Wire.beginTransmission(barometer);
  Wire.write((uint8_t)0xF4);
  Wire.write((uint8_t)0b01010111);  // 2 samples of the temperature, 16 of the pressure, always
  Wire.endTransmission();
  delay(100);
}

long raw20() {
  long high = Wire.read(), middle = Wire.read(), low = Wire.read();
  return high << 12 | middle << 4 | low >> 4;
}

void measure(float &celsius, float &hectopascal) {
  ask(barometer, 0xF7, 6);
  long pressure = raw20(), temperature = raw20();
  float a = (temperature / 16384.0f - t1 / 1024.0f) * t2, b = temperature / 131072.0f - t1 / 8192.0f;
  float fine = a + b * b * t3;
  celsius = fine / 5120;
  float x = fine / 2 - 64000, y = x * x * p[6] / 32768 + x * p[5] * 2;
  y = y / 4 + p[4] * 65536.0f;
  x = (1 + (p[3] * x * x / 524288 + p[2] * x) / 524288 / 32768) * p1;
  float pascal = (1048576.0f - pressure - y / 4096) * 6250 / x;
  pascal += (p[9] * pascal * pascal / 2147483648.0f + pascal * p[8] / 32768 + p[7]) / 16;
  hectopascal = pascal / 100;
}

void sayTwo(int code) {  // BCD
  Serial.print((char)('0' + (code >> 4 & 7)));
  Serial.print((char)('0' + (code & 15)));
}

void loop(1, 4, 20) {
  static bool begun = false;
  if (!begun)
    begin();
  begun = true;
  ask(clockAddress, 0, 3);
  int seconds = Wire.read(), minutes = Wire.read(), hours = Wire.read();
  sayTwo(hours);
  Serial.print(':');
  sayTwo(minutes);
  Serial.print(':');
  sayTwo(seconds);
  float celsius, hectopascal;
  measure(celsius, hectopascal);
  Serial.print("  ");
  Serial.print(celsius, 1);
  Serial.print(" C  ");
  Serial.print(hectopascal, 1);
  Serial.print(" hPa  light ");
  Serial.println(analogRead(A0));
  delay(1000);
}

void loop(2, 1, 10) {
  digitalWrite(lamp, analogRead(A0) < 300);  // of 1023: it is getting dark
  delay(10);
}
