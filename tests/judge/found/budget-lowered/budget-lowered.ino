// A loop that never waits lowers its own budget.
#include <Takt.h>
#include <takt/vcpu.h>
#define UNIT(pin) \
  { static bool s; s = !s; digitalWrite(pin, s); for (uint16_t i = 100; i; i--) asm volatile(""); }

void setup() {
  for (int pin = 3; pin < 6; pin++) pinMode(pin, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}

void loop(1, 60, 100) {
  for (uint32_t k = 0;; k++) {
    UNIT(3)
    if (k == 5000) takt_vcpu_set_budget(takt_self(), 5000);
  }
}

void loop(2, 10, 110) { for (;;) UNIT(4) }

void task(9, 50) { for (;;) asm volatile("nop"); }
