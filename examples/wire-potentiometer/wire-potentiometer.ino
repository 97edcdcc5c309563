// A digital potentiometer (AD5171) on the I2C bus moves its wiper up and down; the voltage there is
// measured at A0. Waiting for the bus holds up loop 1 only: loop 2 measures every 5 ms.

#include <Takt.h>
#include <Wire.h>

const int potentiometer = 0x2C;
const int positions = 64;

Channel<int> set;

void setup() {
  Serial.begin(115200);
  Wire.begin();
}

void loop(1, 2, 20) {
  static int position = 0, step = 1;
  Wire.beginTransmission(potentiometer);
  Wire.write((uint8_t)0);  // instruction: set the wiper
  Wire.write((uint8_t)position);
  if (Wire.endTransmission() == 0)
    set.write(position);
  if (position + step < 0 || position + step >= positions)
    step = -step;
  position += step;
  delay(50);
}

void loop(2, 1, 5) {
  static int lowest = 1023, highest = 0, reported = 0;
  int value = analogRead(A0);
  lowest = min(lowest, value);
  highest = max(highest, value);
  int position = set.read();
  if (position == positions - 1 && reported != position) {
    Serial.print("A0 from ");
    Serial.print(lowest);
    Serial.print(" to ");
    Serial.println(highest);
  }
  reported = position;
  delay(5);
}
