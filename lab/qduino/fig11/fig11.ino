// Figure 11: findPrime with 70 ms in every 100 ms, while a pin changes as fast as it likes. The
// handler counts. Cases: case.h.

#include "case.h"
#include "../lab.h"

const int interruptPin = 2;

volatile unsigned long mark;      // 1: looking for primes begins, 2: it has ended
volatile unsigned long received;  // calls of the handler
volatile long primes;

void count() {
  received = received + 1;
}

void setup() {
  pinMode(interruptPin, INPUT);
#if IN_INTERRUPT
  attachInterruptIsr(interruptPin, count, CHANGE);
#elif !POLL
  interruptsVcpu(IO_MS, 100);
  attachInterruptVcpu(interruptPin, count, CHANGE, HANDLER_MS, 100);
#endif
}

// One loop that does both: looks at the pin between two numbers.
long findPrimeAndPoll() {
  long found = 0;
  int before = digitalRead(interruptPin);
  for (long n = 2; n < PRIME_LIMIT; n++) {
    found += isPrime(n);
    int now = digitalRead(interruptPin);
    if (now != before)
      count();
    before = now;
  }
  return found;
}

void loop(1, 70, 100) {
  onlyOnBudget();
  mark = 1;
  for (int run = 0; run < RUNS; run++)
    primes = POLL ? findPrimeAndPoll() : findPrime();
  mark = 2;
  for (;;)
    delay(1000);
}
