// Loop 1 wakes some thousand times a second in the job's sections, and waits for their end.
#include <Takt.h>
#define INLINE static inline __attribute__((always_inline))
INLINE void spin(uint16_t n) { for (uint16_t i = n; i; i--) asm volatile(""); }
INLINE void unit(int p, bool &s) { s = !s; digitalWrite(p, s); }
Mutex shared{45_us};
void setup() {
  pinMode(2, OUTPUT);
  pinMode(3, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}
void loop(9, 100_us, 40) { for (;;) asm volatile("nop"); }
void loop(1, 60, 100) { shared.lock(); shared.unlock(); delay(25_us); }
void periodic(2, 30, 100) {
  static bool s, e;
  for (uint16_t n = 1960; n; n--) { unit(3, s); shared.lock(); spin(300); shared.unlock(); }
  unit(2, e);
}
