#include <Takt.h>
Mutex m;
void setup() {}
void loop(1, 1, 5) {
  m.lock();
  m.unlock();
  delay(5);
}
void loop(2, 30, 100) {
  m.lock();
  delayMicroseconds(20000);
  m.unlock();
  delay(30);
}
