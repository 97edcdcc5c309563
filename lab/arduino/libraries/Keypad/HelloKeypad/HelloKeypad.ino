// A keypad of 16 keys, scanned with Keypad.

#include <Keypad.h>

char keys[4][4] = {
  {'1', '2', '3', 'A'},
  {'4', '5', '6', 'B'},
  {'7', '8', '9', 'C'},
  {'*', '0', '#', 'D'},
};
byte rows[] = {6, 7, 8, 9}, columns[] = {2, 3, 10, 11};
Keypad keypad(makeKeymap(keys), rows, columns, 4, 4);

void setup() {
  Serial.begin(115200);
}

void loop() {
  char key = keypad.getKey();
  if (key)
    Serial.print(key);
}
