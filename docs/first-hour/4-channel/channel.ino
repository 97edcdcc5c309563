// One loop measures, another one prints.
#include <Takt.h>

struct Reading {
  unsigned long at;  // ms
  int value;
};

Channel<Reading> newest;

void setup() { Serial.begin(115200); }

void loop(measure, 1, 10) {
  newest.write({millis(), analogRead(A0)});
  delay(20);
}

void loop(print, 5, 100) {
  Reading reading = newest.read();
  Serial.print(reading.at);
  Serial.print(" ms: ");
  Serial.println(reading.value);
  delay(500);
}
