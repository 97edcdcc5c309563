// The darker it is, the brighter the lamp: a job every 20 ms.
#include <Takt.h>

void setup() {}

void periodic(night, 1, 20) {
  int light = analogRead(A0);
  analogWrite(11, 255 - light / 4);
}
