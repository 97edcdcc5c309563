// Two loops time pulses while a third is always at work and a fourth prints.
#include <Takt.h>

void setup() {
  Serial.begin(115200);
}

void loop(1, 4, 20) {
  unsigned long us = pulseIn(2, HIGH, 200000);
  Serial.println(String("high ") + us);
}

void loop(2, 4, 50) {
  unsigned long us = pulseIn(3, LOW, 200000);
  Serial.println(String("low ") + us);
}

volatile unsigned long turns;
void loop(3, 37, 100) {
  turns++;
}

void loop(4, 4, 100) {
  Serial.print("turns ");
  Serial.println(turns > 0);
  delay(7);
}
