// A knob turns a stepper motor: each detent is ten steps. Pressing the knob sends the motor home. The knob
// is looked at every 2 ms, whatever the motor does; the motor makes a step every 4 ms.

#include <Takt.h>

const int a = 2, b = 3, push = 4, contacts[] = {a, b, push};
const int coils[] = {6, 7, 8, 9};
const byte sequence[] = {0b0011, 0b0110, 0b1100, 0b1001};  // bit 0 is coil 1
const int stepsPerDetent = 10;

Channel<int> wanted;

void setup() {
  Serial.begin(115200);
  for (int pin : contacts)
    pinMode(pin, INPUT_PULLUP);
  for (int pin : coils)
    pinMode(pin, OUTPUT);
}

// Quarter steps since the last call: -1, 0 or 1. A closes before B when the knob is turned clockwise.
int turned() {
  static int before = 0;
  int now = digitalRead(a) == digitalRead(b) ? 0 : 1;
  int closed = digitalRead(a) == LOW;
  int quarter = closed ? (now ? 1 : 2) : (now ? 3 : 0);
  int step = ((quarter - before + 5) & 3) - 1;
  before = quarter;
  return step == 2 ? 0 : step;
}

void loop(1, 1, 2) {
  static int quarters = 0;
  quarters += turned();
  if (digitalRead(push) == LOW)
    quarters = 0;
  wanted.write(quarters / 4 * stepsPerDetent);
  delay(1);
}

void loop(2, 1, 4) {
  static int at = 0;
  static bool there = true;
  int goal = wanted.read();
  if (at != goal)
    at += at < goal ? 1 : -1;
  for (int n = 0; n < 4; n++)
    digitalWrite(coils[n], sequence[at & 3] >> n & 1);
  if (there != (at == goal)) {
    there = !there;
    if (there) {
      Serial.print("at ");
      Serial.println(at);
    }
  }
  delay(4);
}
