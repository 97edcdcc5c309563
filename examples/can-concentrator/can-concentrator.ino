// Five CAN buses by way of a USB adapter, as in a car: engine, chassis, battery, ... A pipe for each
// brings its frames to its handler, whatever the three loops do, which come right behind the
// adapter's thread and take all of their budgets. That no frame is lost, and how late it may be, is
// proved at build time.

#include <Can.h>
#include <Takt.h>

canAdapter(kvaser, hydra, 1_ms, 4500_us);

Channel<unsigned long> seen[5];

void count(int bus, takt::Pipe &from) {
  static unsigned long frames[5];
  CanFrame frame;
  while (from.read(frame))
    frames[bus]++;
  seen[bus].write(frames[bus]);
}

// Frames a second at most, room for them, and the time that handling so many takes.
void pipe(can1, canIn(kvaser, 0), qos(400, 64, 500_us)) { count(0, can1); }
void pipe(can2, canIn(kvaser, 1), qos(336, 64, 500_us)) { count(1, can2); }
void pipe(can3, canIn(kvaser, 2), qos(1195, 128, 500_us)) { count(2, can3); }
void pipe(can4, canIn(kvaser, 3), qos(1340, 128, 500_us)) { count(3, can4); }
void pipe(can5, canIn(kvaser, 4), qos(2752, 128, 500_us)) { count(4, can5); }

void setup() {
  Serial.begin(115200);
  const long rates[] = {500000, 250000, 500000, 500000, 500000};
  for (byte bus = 0; bus < 5; bus++)
    kvaser.open(bus, rates[bus]);
}

void work() {
  volatile int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += i;
}

void loop(control1, 1, 7) { work(); }
void loop(control2, 1, 7) { work(); }
void loop(control3, 1, 7) { work(); }

void loop(report, 1, 100) {
  unsigned long overruns = 0;
  for (byte bus = 0; bus < 5; bus++) {
    overruns += kvaser.counters(bus).overruns;
    Serial.print(seen[bus].read());
    Serial.print(' ');
  }
  Serial.print("frames, overruns ");
  Serial.println(overruns);
  delay(1000);
}
