// A receiver sends sentences; loop 1 uses all of its budget; no byte is lost.
#include <Takt.h>

Channel<long> sentences;
volatile long rounds;

void pipe(gps, uartIn(1, 9600), qos(960, 250, 1_ms)) {  // bytes a second, room, time
  static long count;
  int c;
  while ((c = gps.read()) >= 0)
    if (c == '$') sentences.write(++count);
}

void setup() { Serial.begin(115200); }

void loop(1, 60, 100) { rounds = rounds + 1; }

void loop(print, 5, 200) {
  Serial.print(sentences.read());
  Serial.print(" sentences, lost bytes: ");
  Serial.println(gps.lost());
  delay(1000);
}
