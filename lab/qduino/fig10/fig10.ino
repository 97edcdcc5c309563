// Figure 10: three loops look for primes again and again, each with a budget of its own, alone and
// together. run1 .. run3 say how often they have found them all. Without budgets a loop ends after
// five times, as those below it would never run. Cases: case.h.

#include "case.h"
#include "../lab.h"

volatile unsigned long started;
volatile unsigned long run1, run2, run3;
volatile long primes;  // so that the work is needed

void setup() {
  started = 1;
}

void task(volatile unsigned long &run) {
  onlyOnBudget();
  primes = findPrime();
  run = run + 1;
  while (NO_BUDGETS && run >= 5)
    delay(1000);
}

#if SINGLE_LOOP

// The same tasks in one loop, one after the other.
void loop(1, 70, 100) {
  onlyOnBudget();
#if WITH_LOOP_1
  primes = findPrime();
  run1 = run1 + 1;
#endif
#if WITH_LOOP_2
  primes = findPrime();
  run2 = run2 + 1;
#endif
#if WITH_LOOP_3
  primes = findPrime();
  run3 = run3 + 1;
#endif
}

#else

#if WITH_LOOP_1
void loop(1, 40, 100) { task(run1); }
#endif
#if WITH_LOOP_2
void loop(2, 20, 100) { task(run2); }
#endif
#if WITH_LOOP_3
void loop(3, 10, 100) { task(run3); }
#endif

#endif
