// Three loops print lines longer than the serial port sends in one period, at the same time, each
// put together by String on the one heap.
#include <Takt.h>

int lines[4];

void say(int who) {
  String text = "loop ";
  text += who;
  text += " line ";
  text += lines[who]++;
  while (text.length() < 40 + 10 * who) text += '.';
  Serial.println(text);
}

void setup() {
  Serial.begin(115200);
  Serial.println("setup");
}

void loop(1, 3, 20) {
  say(1);
  delay(20);
}
void loop(2, 6, 30) {
  say(2);
}
void loop(3, 12, 50) {
  say(3);
}
