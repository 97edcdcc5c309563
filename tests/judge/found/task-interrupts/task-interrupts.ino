// Two tasks copy what a handler counts; that on top ends its copy before that below has.
#include <Takt.h>
volatile uint32_t count;

void counted() { count = count + 1; }

void setup() {
  pinMode(12, OUTPUT);
  pinMode(14, INPUT);
  digitalWrite(12, HIGH);
  attachInterruptVcpu(14, counted, RISING, 1, 10);
}

void task(1, 2) {
  noInterrupts();
  interrupts();
}

void task(2, 50) {
  noInterrupts();
  TAKT_SECTION_US(2500);
  uint32_t before = count;
  for (uint32_t i = 60000; i; i--) asm volatile("");
  if (before != count) digitalWrite(12, LOW);
  interrupts();
}

void loop(1, 1, 20) { delay(5); }
