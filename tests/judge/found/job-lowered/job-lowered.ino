// A job lowers its own budget in its tenth period; after that it needs less than that.
#include <Takt.h>
#include <takt/vcpu.h>

static void work(int units) {
  for (; units; units--) for (uint16_t i = 10000; i; i--) asm volatile("");
}

void setup() {
  for (int pin = 3; pin < 7; pin++) pinMode(pin, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}

void periodic(1, 40, 100) {
  static int k;
  digitalWrite(5, HIGH);
  if (++k == 10) takt_vcpu_set_budget(takt_self(), 4000);
  work(k <= 10 ? 60 : 3);
  digitalWrite(5, LOW);
}

void loop(2, 20, 110) { for (;;) asm volatile("nop"); }

void task(9, 50) { for (;;) asm volatile("nop"); }
