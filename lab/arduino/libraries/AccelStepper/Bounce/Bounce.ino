// Two motors with AccelStepper: one behind a driver, one with half steps behind a ULN2003.

#include <AccelStepper.h>

AccelStepper arm(AccelStepper::DRIVER, 2, 3);
AccelStepper lid(AccelStepper::HALF4WIRE, 8, 10, 9, 11);  // IN1, IN3, IN2, IN4

void setup() {
  Serial.begin(115200);
  arm.setMaxSpeed(400);
  arm.setAcceleration(400);
  arm.moveTo(400);
  lid.setMaxSpeed(300);
  lid.setAcceleration(300);
  lid.moveTo(-256);
}

void loop() {
  static bool said = false;
  arm.run();
  lid.run();
  if (!said && arm.distanceToGo() == 0 && lid.distanceToGo() == 0) {
    Serial.println("both there");
    said = true;
  }
}
