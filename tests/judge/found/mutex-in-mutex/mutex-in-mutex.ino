// Loop 2 locks a mutex 600 times in another's section, while a handler waits that may not run there.
#include <Takt.h>
#define INLINE static inline __attribute__((always_inline))
INLINE void unit(int p, bool &s) { s = !s; digitalWrite(p, s); }
Mutex inner, outer;
void handler() { inner.lock(); inner.unlock(); }
void setup() {
  pinMode(3, OUTPUT);
  pinMode(6, OUTPUT);
  pinMode(26, OUTPUT);
  pinMode(12, OUTPUT);
  interruptsVcpu(5, 100);
  attachInterruptVcpu(26, handler, CHANGE, 1, 10);
  digitalWrite(12, HIGH);
}
#define PAIR inner.lock(); inner.unlock();
#define TEN(x) x x x x x x x x x x
void loop(0, 200_us, 4) { static bool s; unit(26, s); delay(11); }
void loop(1, 500_us, 5) { static bool s; for (;;) { unit(3, s); outer.lock(); outer.unlock(); } }
void loop(2, 20, 100) {
  static bool s;
  for (;;) { unit(6, s); outer.lock(); TEN(TEN(PAIR PAIR PAIR PAIR PAIR PAIR)) outer.unlock(); }
}
