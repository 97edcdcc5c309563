// A guard of a mutex that the loop has locked already would end the section of the first one.
#include <Takt.h>
Mutex m{2_ms};
volatile int in;

void helper() {
  Guard<Mutex> g(m);
  in = in;
}

void setup() {
  pinMode(3, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}

void loop(1, 1, 5) {
  {
    Guard<Mutex> g(m);
    if (in) digitalWrite(12, LOW);
  }
  delay(1);
}

void loop(2, 30, 100) {
  Guard<Mutex> g(m);
  helper();
  in = 1;
  for (uint16_t i = 5000; i; i--) asm volatile("");
  in = 0;
  digitalWrite(3, !digitalRead(3));
}
