// A 28BYJ-48 behind a ULN2003: a quarter of a turn forwards, half of that back, with Arduino's Stepper.

#include <Stepper.h>

const int steps = 2048;
Stepper motor(steps, 8, 10, 9, 11);  // IN1, IN3, IN2, IN4

void setup() {
  Serial.begin(115200);
  motor.setSpeed(14);
  motor.step(steps / 4);
  motor.step(-steps / 8);
  Serial.println("done");
}

void loop() {
  delay(1000);
}
