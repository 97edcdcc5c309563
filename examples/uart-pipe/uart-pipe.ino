// A GPS receiver sends NMEA sentences at 115200 baud, as fast as the line can carry them. The pipe's
// period follows from its buffer: no byte is lost, whatever the two loops do, and the delay from the
// wire to the parser has a bound that was proved at build time.

#include <Takt.h>

const long baud = 115200;
const long bytesPerSecond = baud / 10;

Channel<long> sentences, bad;

byte checksum, told;
int state = -1;  // characters of the check sum that have come; -1: not yet there

void parse(int c) {
  if (c == '$') {
    checksum = 0;
    state = -1;
  } else if (c == '*') {
    state = 0;
    told = 0;
  } else if (state < 0) {
    checksum ^= c;
  } else if (state < 2) {
    told = told << 4 | (c >= 'A' ? c - 'A' + 10 : c - '0');
    if (++state < 2)
      return;
    static long good, wrong;
    checksum == told ? sentences.write(++good) : bad.write(++wrong);
  }
}

void pipe(gps, uartIn(1, baud), qos(bytesPerSecond, 250, 1_ms)) {
  int c;
  while ((c = gps.read()) >= 0)
    parse(c);
}

void setup() { Serial.begin(115200); }

void loop(control, 2, 7) {  // takes all of its budget, and is more urgent than the pipe
  volatile int work = 0;
  for (int i = 0; i < 100; i++)
    work += i;
}

void loop(report, 3, 100) {
  Serial.print("sentences ");
  Serial.print(sentences.read());
  Serial.print(", bad ");
  Serial.print(bad.read());
  Serial.print(", bytes lost ");
  Serial.println(gps.lost());
  delay(1000);
}
