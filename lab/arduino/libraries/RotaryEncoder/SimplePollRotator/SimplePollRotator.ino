// Follows a rotary encoder by polling, with RotaryEncoder, which counts up when its
// first pin falls last.

#include <RotaryEncoder.h>

RotaryEncoder encoder(3, 2, RotaryEncoder::LatchMode::FOUR3);

void setup() {
  Serial.begin(115200);
}

void loop() {
  static long last = 0;
  encoder.tick();
  long place = encoder.getPosition();
  if (place != last) {
    Serial.print("at ");
    Serial.println(place);
    last = place;
  }
}
