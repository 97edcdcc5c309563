#include <Takt.h>
#define INLINE static inline __attribute__((always_inline))
INLINE void spin() { for (uint16_t i = 150; i; i--) asm volatile(""); }
INLINE void unit(int p, bool &s) { s = !s; digitalWrite(p, s); spin(); }
void setup() {
  pinMode(2, OUTPUT);
  pinMode(3, OUTPUT);
  pinMode(12, OUTPUT);
  pinMode(13, OUTPUT);
  digitalWrite(12, HIGH);
}
void task(99, 50) { static bool s; for (;;) unit(13, s); }
void loop(1, 50, 100) { delay(40_us); }
void loop(2, 45, 100) { static bool s; for (;;) unit(3, s); }
