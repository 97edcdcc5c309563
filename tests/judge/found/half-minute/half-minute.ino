#include <Takt.h>
#define INLINE static inline __attribute__((always_inline))
#define UNDISTURBED 34351938
INLINE void spin() { for (uint16_t n = 150; n; n--) asm volatile(""); }
INLINE void unit(int p, bool &s) { s = !s; digitalWrite(p, s); spin(); }
void setup() {
  for (int pin : {2, 3, 4, 6, 12}) pinMode(pin, OUTPUT);
  digitalWrite(12, HIGH);
}
void task(99, 50) { static bool s; for (;;) unit(6, s); }
void loop(1, 2, 20) {
  static bool s;
  delay(takt::Duration{UNDISTURBED});
  for (uint16_t i = 400; i; i--) unit(2, s);
}
void loop(2, 16, 20) {
  static bool s;
  delay(takt::Duration{UNDISTURBED});
  digitalWrite(3, HIGH);
  for (uint16_t i = 2400; i; i--) unit(4, s);
  digitalWrite(3, LOW);
}
