// Figure 5: how long digitalWrite() and digitalRead() take, and how often an interrupt may come so
// that none is lost. Cases: case.h.

#include "case.h"
#include "../lab.h"

const int TIMES = 4000;
const int ioPin = 13;
const int interruptPin = 2;

volatile unsigned long mark;      // 1: it begins, 2: it has ended
volatile unsigned long received;  // calls of the handler
volatile int level;

void count() {
  received = received + 1;
}

void doIo(int i) {
#if WHAT_WRITE
  digitalWrite(ioPin, i & 1);
#elif WHAT_READ
  level = digitalRead(ioPin);
#endif
}

void setup() {
#if WHAT_INTERRUPTS
  pinMode(interruptPin, INPUT);
#if IN_INTERRUPT
  attachInterruptIsr(interruptPin, count, CHANGE);
#elif LARGE_BUDGET
  interruptsVcpu(3, 10);
  attachInterruptVcpu(interruptPin, count, CHANGE, 3, 10);
#elif !POLL
  attachInterrupt(interruptPin, count, CHANGE);
#endif
#else
  pinMode(ioPin, WHAT_READ ? INPUT : OUTPUT);
#endif
}

void loop(1, 5, 100) {
#if WHAT_INTERRUPTS && POLL
  // the sketch that has no interrupts: looks at the pin, and does what else it has to do
  static int before = LOW;
  static long n = 40001;
  int now = digitalRead(interruptPin);
  if (now != before)
    count();
  before = now;
  level = isPrime(n += 2);
#elif WHAT_INTERRUPTS
  delay(1000);
#else
  mark = 1;
  for (int i = 0; i < TIMES; i++)
    doIo(i);
  mark = 2;
  for (;;)
    delay(1000);
#endif
}
