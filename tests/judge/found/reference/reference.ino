// A reference clock that is almost 1 % faster than the timer makes jobs come that much more often.
#include <Takt.h>
#include <takt/periodic.h>
#define UNIT(pin) \
  { static bool s; s = !s; digitalWrite(pin, s); for (uint16_t i = 100; i; i--) asm volatile(""); }

void setup() {
  for (int pin = 3; pin < 6; pin++) pinMode(pin, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}

void periodic(1, 40, 100, SKIP) { for (;;) UNIT(5) }

void loop(2, 58980_us, 101) { for (;;) UNIT(3) }

void loop(3, 200_us, 50) {
  uint32_t t = micros();
  takt_periodic_reference(t + t / 102);
  delay(50);
}

void task(9, 50) { for (;;) asm volatile("nop"); }
