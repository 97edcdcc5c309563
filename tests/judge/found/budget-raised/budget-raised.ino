// A loop that sleeps often, its budget raised: the increase comes when the longest period has
// passed, and until then the loop has what it had.
#include <Takt.h>
#include <takt/vcpu.h>

void setup() {
  pinMode(3, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}

void loop(1, 25, 100) {
  static int n;
  digitalWrite(3, HIGH);
  for (uint16_t i = 15000; i; i--) asm volatile("");
  digitalWrite(3, LOW);
  delay(3);
  if (++n == 100) takt_vcpu_set_budget(takt_self(), 28000);
}

void loop(2, 50, 100) { for (;;) asm volatile(""); }

void loop(3, 10, 6000) { delay(1000); }
