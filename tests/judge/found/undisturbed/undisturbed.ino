// Loop 1 runs for a minute in which the dispatcher has nothing to do, while bytes come in that nobody
// reads. The parts of a microsecond that remain at each of these interrupts must not overflow.
#include <Takt.h>

void setup() {
  Serial.begin(115200);
  pinMode(2, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}

void loop(1, 60000, 130000) { for (;;) asm volatile(""); }

void loop(2, 10, 131000) {
  digitalWrite(2, HIGH);
  for (;;) asm volatile("");
}
