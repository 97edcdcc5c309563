static inline __attribute__((always_inline)) void spin() { for (uint16_t i = 150; i; i--) asm volatile(""); }
static void unit(int p, bool &s) { s = !s; digitalWrite(p, s); spin(); }
void setup() { pinMode(2,OUTPUT); pinMode(3,OUTPUT); pinMode(12,OUTPUT); pinMode(13,OUTPUT); digitalWrite(12,HIGH); }
void task(99, 50) { static bool s; for(;;) unit(13,s); }
void loop(1, 60, 100) { delay(8_us); }
void loop(2, 5, 100) { static bool s; for(;;) unit(3,s); }

