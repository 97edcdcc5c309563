// A button switches a lamp. Loop 1 watches the button and is not fooled by its bouncing contacts;
// loop 2 drives the lamp. The channel between them always holds the newest count.

#include <Takt.h>

const int button = 3;
const int lamp = LED_BUILTIN;
const int settled = 4;  // so many equal readings in a row count

Channel<int> presses;

void setup() {
  pinMode(button, INPUT_PULLUP);
  pinMode(lamp, OUTPUT);
  Serial.begin(115200);
}

void loop(1, 1, 5) {
  static int count, same;
  static int pressed = HIGH;
  int now = digitalRead(button);
  same = now == pressed ? 0 : same + 1;
  if (same >= settled) {
    pressed = now;
    same = 0;
    if (pressed == LOW)
      presses.write(++count);
  }
  delay(2);
}

void loop(2, 2, 20) {
  static int shown;
  int count = presses.read();
  if (count != shown) {
    shown = count;
    digitalWrite(lamp, count % 2 ? HIGH : LOW);
    Serial.print("presses: ");
    Serial.println(count);
  }
  delay(10);
}
