#include <Takt.h>
void setup() {}
void loop(1, 1, 5) { delay(5); }
void loop(2, 30, 100) {
  {
    Critical c;
    for (volatile long i = 0; i < 300000; i++);
  }
  delay(30);
}
