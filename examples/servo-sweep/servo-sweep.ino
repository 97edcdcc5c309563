// A servo's arm goes from 0 to 180 degrees and back while the processor is kept busy by somebody
// else: the pulses come from hardware, the loop only says where to.

#include <Servo.h>

const int signalPin = 9;

Servo servo;
volatile unsigned long burnt;

void setup() {
  servo.attach(signalPin);
}

void loop(1, 1, 10) {
  for (int angle = 0; angle <= 180; angle++) {
    servo.write(angle);
    delay(15);
  }
  for (int angle = 180; angle >= 0; angle--) {
    servo.write(angle);
    delay(15);
  }
}

void loop(2, 50, 100) {
  burnt = burnt + 1;
}
