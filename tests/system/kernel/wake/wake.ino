// Loop 1 does next to nothing but wakes as often as loop 2 can signal. What its wake-ups cost must
// come out of its own budget.
#include <Takt.h>

Semaphore awake;
Mutex section;

void setup() {}

void loop(1, 100_us, 10_ms) { awake.wait(); }

void loop(2, 80, 100) {
  {
    Guard<Mutex> held(section);
    delayMicroseconds(3);
  }
  awake.signal();
}
