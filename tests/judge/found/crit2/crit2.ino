#include <Takt.h>
void setup() {
  pinMode(2, OUTPUT);
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
}
void loop(1, 1, 5) {
  static bool s;
  s = !s;
  digitalWrite(2, s);
  delay(5);
}
void loop(2, 30, 100) {
  {
    Critical c;
    for (volatile long i = 0; i < 300000; i++);
  }
  delay(30);
}
