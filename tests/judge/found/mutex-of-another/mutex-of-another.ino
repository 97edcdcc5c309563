// Loop 1 locks its own mutex again and again while it has preempted loop 2, which holds another.
#include <Takt.h>
#define INLINE static inline __attribute__((always_inline))
INLINE void spin(uint16_t n) { for (uint16_t i = n; i; i--) asm volatile(""); }
INLINE void unit(int p, bool &s) { s = !s; digitalWrite(p, s); }
Mutex own, another{2_ms};
void setup() {
  pinMode(14, OUTPUT);
  pinMode(15, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}
void task(99, 50) { for (;;) asm volatile("nop"); }
void loop(1, 10, 40) { static bool s; for (;;) { unit(14, s); own.lock(); own.unlock(); } }
void loop(2, 60, 200) {
  static bool s;
  for (;;) { unit(15, s); own.lock(); own.unlock(); another.lock(); spin(5000); another.unlock(); }
}
void loop(3, 5, 400) { another.lock(); another.unlock(); delay(100); }
