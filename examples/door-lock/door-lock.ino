// A door with a keypad: 2580 and # open it for two seconds. A buzzer answers each key, and a motion
// sensor turns on the light at the door. Scanning never waits for any of that.

#include <Takt.h>

const int rows[] = {6, 7, 8, 9}, columns[] = {10, 11, 12};
const char keys[4][4] = {"123", "456", "789", "*0#"};
const char code[] = "2580";
const int buzzer = 14, motion = 15, latch = 16, light = LED_BUILTIN;

struct Typed {
  char key;
  unsigned int number;  // of this key press
};

Channel<Typed> typed;

void setup() {
  Serial.begin(115200);
  for (int row : rows)
    pinMode(row, INPUT_PULLUP);
  for (int column : columns)
    pinMode(column, INPUT);
  pinMode(motion, INPUT);
  pinMode(latch, OUTPUT);
  pinMode(light, OUTPUT);
}

// The key that is pressed, or 0.
char scan() {
  char found = 0;
  for (int c = 0; c < 3; c++) {
    pinMode(columns[c], OUTPUT);
    digitalWrite(columns[c], LOW);
    for (int r = 0; r < 4; r++)
      if (digitalRead(rows[r]) == LOW)
        found = keys[r][c];
    pinMode(columns[c], INPUT);
  }
  return found;
}

void loop(1, 1, 10) {
  static char last = 0, held = 0;
  static unsigned int number = 0;
  char now = scan();
  if (now == last && now != held) {  // twice the same: the contacts are at rest
    held = now;
    if (held)
      typed.write({held, ++number});
  }
  last = now;
  delay(8);
}

void loop(2, 2, 20) {
  static int right = 0;
  static unsigned int seen = 0;
  static unsigned long opened = 0;
  Typed now = typed.read();
  char key = now.key;
  if (now.number != seen) {
    seen = now.number;
    tone(buzzer, key == '#' ? 880 : 440, 60);
    if (key == '#' && right == 4) {
      digitalWrite(latch, HIGH);
      opened = millis();
      Serial.println("open");
    } else if (key == '#') {
      Serial.println("wrong");
    }
    right = key == '#' ? 0 : right < 4 && key == code[right] ? right + 1 : 5;
  }
  if (opened && millis() - opened >= 2000) {
    digitalWrite(latch, LOW);
    opened = 0;
  }
  digitalWrite(light, digitalRead(motion));
  delay(10);
}
