#include <Takt.h>
#include <takt/vcpu.h>
#define INLINE static inline __attribute__((always_inline))
INLINE void spin() { for (uint16_t i = 150; i; i--) asm volatile(""); }
INLINE void unit(int p, bool &s) { s = !s; digitalWrite(p, s); spin(); }
void setup() {
  Serial.begin(115200);
  pinMode(2, OUTPUT);
  pinMode(3, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}
void said(const char *what, int code) {
  Serial.print(what);
  Serial.println(code);
}
void loop(1, 4, 10) { static bool s; for (;;) unit(2, s); }
void loop(2, 20, 100) { static bool s; for (;;) unit(3, s); }
void loop(3, 5, 50) {
  static int k;
  delay(100);
  k++;
  if (k == 3) said("raise ", takt_vcpu_set_budget(0, 9000));
  if (k == 5) said("lower ", takt_vcpu_set_budget(0, 2000));
  if (k == 7) {
    said("zero ", takt_vcpu_set_budget(0, 0));
    said("other ", takt_vcpu_set_budget(2, 60000));
    said("bad ", takt_vcpu_set_budget(77, 5));
  }
}
void task(99, 50) { for (;;) asm volatile("nop"); }
