// What comes is read and counted, and every tenth frame sent back with another identifier.
#include <Can.h>
#include <Takt.h>

canAdapter(candle, gs, 1_ms, 4_ms);
usbShare(5_ms, 100_ms);

volatile unsigned long frames, disorder, sent, late;

void setup() {
  Serial.begin(115200);
  candle.open(0, 500000);
}

void loop(echo, 1, 10) {
  static unsigned long next;
  CanFrame frame;
  if (!candle.wait(0, 100_ms))
    delay(1);
  while (candle.read(0, frame)) {
    unsigned long number = frame.data[0] | frame.data[1] << 8;
    disorder += frames > 0 && number != next;
    next = number + 1;
    unsigned long age = micros() - frame.at;
    if (age > late)
      late = age;
    if (++frames % 10 == 0) {
      frame.id = 0x700;
      sent += candle.write(0, frame);
    }
  }
}

void loop(report, 1, 50) {
  Serial.print(frames);
  Serial.print(' ');
  Serial.print(disorder);
  Serial.print(' ');
  Serial.print(sent);
  Serial.print(' ');
  Serial.print(late);
  Serial.print(' ');
  Serial.println(candle.counters(0).sent);
  delay(100);
}
