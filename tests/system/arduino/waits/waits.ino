// How long delay() and delayMicroseconds() really take, by the clock, beside other loops.
#include <Takt.h>

void setup() {
  Serial.begin(115200);
}

void loop(1, 10, 20) {
  unsigned long t = micros();
  delay(7);
  t = micros() - t;
  unsigned long u = micros();
  delayMicroseconds(123);
  u = micros() - u;
  unsigned long v = micros();
  delay(1500_us);
  v = micros() - v;
  unsigned long ms = millis();
  Serial.println(String("waits ") + t + ' ' + u + ' ' + v + ' ' + long(ms - micros() / 1000));
}

void loop(2, 26, 100) {
}
