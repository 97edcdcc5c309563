// Figure 8: a foreground loop counts as far as it comes, while greedy loops want all the CPU time
// there is. How far it comes in each period is read from outside. Cases: case.h.

#include "case.h"
#include "../lab.h"

volatile unsigned long counter;        // of the foreground loop
volatile unsigned long background[4];  // steps of the others
volatile unsigned long found[4];       // primes they met

void setup() {}

// A step of a greedy loop: is the next number a prime?
void step(int id) {
  static long next[4] = {2, 2, 2, 2};
  background[id] = background[id] + 1;
  found[id] = found[id] + isPrime(next[id]);
  next[id] = next[id] < PRIME_LIMIT ? next[id] + 1 : 2;
}

// One round of a background loop. With BURSTS it does not always want to run: up to 2000 steps, then
// a pause of up to 50 ms.
void work(int id) {
  step(id);
#if BURSTS
  static long left[4];
  if (left[id]-- <= 0) {
    left[id] = random(2000);
    delay(random(50));
  }
#endif
}

#if SINGLE_LOOP

void loop(1, 98, 100) {
  onlyOnBudget();
  for (;;) {
    counter = counter + 1;
    for (int id = 0; id < BACKGROUND_LOOPS; id++)
      step(id);
  }
}

#else

void loop(1, FOREGROUND_MS, 100) {
  onlyOnBudget();
  for (;;)
    counter = counter + 1;
}

void loop(2, BACKGROUND_MS, 100) { work(0); }
void loop(3, BACKGROUND_MS, 100) { work(1); }
#if BACKGROUND_LOOPS == 4
void loop(4, BACKGROUND_MS, 100) { work(2); }
void loop(5, BACKGROUND_MS, 100) { work(3); }
#endif

#endif
