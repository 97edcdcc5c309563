// Follows a rotary encoder by interrupts, with Encoder: four counts a detent,
// up when its first pin falls last.

#include <Encoder.h>

Encoder encoder(3, 2);

void setup() {
  Serial.begin(115200);
}

void loop() {
  static long last = -999;
  long place = encoder.read();
  if (place != last) {
    Serial.print("at ");
    Serial.println(place);
    last = place;
  }
  delay(50);
}
