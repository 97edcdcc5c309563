static inline __attribute__((always_inline)) void spin() { for (uint16_t i = 150; i; i--) asm volatile(""); }
static void unit(int p, bool &s) { s = !s; digitalWrite(p, s); spin(); }
void setup() { pinMode(2,OUTPUT); pinMode(3,OUTPUT); pinMode(12,OUTPUT); digitalWrite(12,HIGH); }
void loop(1, 60, 100) { delay(8_us); }
void periodic(2, 5, 100) { static bool s, e; for (int i = 0; i < 550; i++) unit(3, s); e = !e; digitalWrite(2, e); }
void task(99, 50) { for(;;) asm volatile("nop"); }

