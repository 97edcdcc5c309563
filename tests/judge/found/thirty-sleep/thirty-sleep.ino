#include <Takt.h>
#include <takt/time.h>
#define WORKS 780
static uint32_t begun;
void setup() {
  pinMode(2, OUTPUT);
  pinMode(4, OUTPUT);
  pinMode(12, OUTPUT);
  begun = micros();
  digitalWrite(12, HIGH);
}
void task(99, 30000) { for (;;) asm volatile("nop"); }
void loop(1, 1, 20) {
  static uint32_t k;
  takt_sleep_until(begun + ++k * 20000u);
  digitalWrite(4, HIGH);
  for (uint16_t i = WORKS; i; i--) {
    digitalWrite(2, i & 1);
    for (uint16_t n = 20; n; n--) asm volatile("");
  }
  digitalWrite(4, LOW);
}
#define SLEEPS(id) \
  void loop(id, 200_us, 20_ms) { static uint32_t k; takt_sleep_until(begun + ++k * 20000u); }
SLEEPS(10)
SLEEPS(11)
SLEEPS(12)
SLEEPS(13)
SLEEPS(14)
SLEEPS(15)
SLEEPS(16)
SLEEPS(17)
SLEEPS(18)
SLEEPS(19)
SLEEPS(20)
SLEEPS(21)
SLEEPS(22)
SLEEPS(23)
SLEEPS(24)
SLEEPS(25)
SLEEPS(26)
SLEEPS(27)
SLEEPS(28)
SLEEPS(29)
SLEEPS(30)
SLEEPS(31)
SLEEPS(32)
SLEEPS(33)
SLEEPS(34)
SLEEPS(35)
SLEEPS(36)
SLEEPS(37)
SLEEPS(38)
