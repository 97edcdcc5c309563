#include <Takt.h>
#define GREEDY(id, pin) \
  void loop(id, 300_us, 20_ms) { static bool s; for (;;) { s = !s; digitalWrite(pin, s); } }
void setup() {
  pinMode(2, OUTPUT);
  pinMode(3, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}
void task(99, 50) { for (;;) asm volatile("nop"); }
GREEDY(1, 2)
GREEDY(2, 3)
GREEDY(3, 3)
GREEDY(4, 3)
GREEDY(5, 3)
GREEDY(6, 3)
GREEDY(7, 3)
GREEDY(8, 3)
GREEDY(9, 3)
GREEDY(10, 3)
GREEDY(11, 3)
GREEDY(12, 3)
GREEDY(13, 3)
GREEDY(14, 3)
GREEDY(15, 3)
GREEDY(16, 3)
GREEDY(17, 3)
GREEDY(18, 3)
GREEDY(19, 3)
GREEDY(20, 3)
GREEDY(21, 3)
GREEDY(22, 3)
GREEDY(23, 3)
GREEDY(24, 3)
GREEDY(25, 3)
GREEDY(26, 3)
GREEDY(27, 3)
GREEDY(28, 3)
GREEDY(29, 3)
GREEDY(30, 3)
