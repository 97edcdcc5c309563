// A night light: it shines when it is dark, and after a press of the button for two seconds.
#include <Takt.h>

Channel<unsigned long> pressedAt;
Channel<bool> dark;

void pressed() { pressedAt.write(millis()); }

void setup() {
  pinMode(3, INPUT_PULLUP);
  pinMode(13, OUTPUT);
  attachInterruptVcpu(3, pressed, FALLING, 1, 10);
}

void periodic(eye, 1, 20) { dark.write(analogRead(A0) < 300); }

void loop(lamp, 5, 50) {
  unsigned long at = pressedAt.read();
  bool wanted = at != 0 && millis() - at < 2000;
  digitalWrite(13, wanted || dark.read());
  delay(10);
}
