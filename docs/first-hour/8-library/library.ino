// The knob of step 4, smoothed by a library.
#include <Smooth.h>

Smooth smooth(8);

void setup() { Serial.begin(115200); }

void loop(1, 5, 100) {
  Serial.println(smooth.add(analogRead(A0)));
  delay(200);
}
