// Figure 6: analogWrite(pin, 120). BUSY: beside a loop that takes all the CPU time it gets.

#include "case.h"
#include "../lab.h"

const int pin = 3;

volatile long primes;

void setup() {
  pinMode(pin, OUTPUT);
  analogWrite(pin, 120);
}

#if SOFTWARE

// What a sketch does without analogWrite(): wait, write, wait, write, in one loop with all the rest.
void loop() {
  digitalWrite(pin, HIGH);
  delayMicroseconds(960);
  digitalWrite(pin, LOW);
  delayMicroseconds(1080);
  static long n = 40001;
  primes = primes + isPrime(n += 2);
}

#else

void loop(1, 10, 100) { delay(100); }
#if BUSY
void loop(2, 80, 100) { primes = findPrime(); }
#endif

#endif
