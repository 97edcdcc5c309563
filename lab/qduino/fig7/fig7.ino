// Figure 7: 2000 digitalWrite() through the expander, during which a loop waits for the I2C bus, and
// findPrime, which needs the CPU: in one loop, or each in its own. Cases: case.h.

#include "case.h"
#include "../lab.h"

const int TIMES = 2000;
const int ioPin = 13;

volatile unsigned long mark;   // 1: all begins
volatile unsigned long ended;  // tasks that have ended
volatile long primes;

void setup() {
  pinMode(ioPin, OUTPUT);
  mark = 1;
}

void doWrites() {
  for (int i = 0; i < TIMES; i++)
    digitalWrite(ioPin, i & 1);
  ended = ended + 1;
}

void doPrimes() {
  primes = findPrime();
  ended = ended + 1;
}

void rest() {
  for (;;)
    delay(1000);
}

#if MULTI_LOOP

void loop(1, takt::Duration(WRITE_US), 500) {
  doWrites();
  rest();
}

void loop(2, takt::Duration(PRIME_US), 500) {
  doPrimes();
  rest();
}

#else

void loop(1, takt::Duration(SINGLE_US), 500) {
#if WITH_WRITES
  doWrites();
#endif
#if WITH_PRIMES
  doPrimes();
#endif
  rest();
}

#endif
