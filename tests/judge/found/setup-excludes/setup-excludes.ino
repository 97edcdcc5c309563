// What setup() has switched off a task switches on: after that tasks start on top of it as ever.
#include <Takt.h>

void nothing() {}

void setup() {
  pinMode(3, OUTPUT);
  pinMode(12, OUTPUT);
  attachInterruptVcpu(14, nothing, RISING, 1, 10);
  digitalWrite(12, HIGH);
  noInterrupts();
}

void task(1, 2) { digitalWrite(3, !digitalRead(3)); }

void task(2, 50) {
  interrupts();
  for (uint32_t i = 300000; i; i--) asm volatile("");
}
