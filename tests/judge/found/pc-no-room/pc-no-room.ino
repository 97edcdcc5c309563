#include <Takt.h>
void h() {}
void setup() {
  interruptsVcpu(10, 100);
  attachInterruptVcpu(20, h, RISING, 5, 50);
}
void loop(1, 5, 24) {}
void loop(2, 11810_us, 24) {}
