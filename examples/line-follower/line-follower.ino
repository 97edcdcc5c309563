// A robot follows a line. Three loops and two interrupt handlers share the work:
//
//   left, right  count the edges of the wheel encoders          handlers, 100 us in every 5 ms
//   loop 1       looks at the line with three sensors           every 5 ms
//   loop 2       steers: turns the deviation into two speeds    every 10 ms
//   loop 3       keeps both wheels at their speeds              every 20 ms
//
// One motor is weaker than the other; what loop 3 counts makes up for it. A burst of edges, or a
// handler that takes too long, cannot make a loop late: each has its own budget.

#include <Takt.h>

const int leftMotor = 10, rightMotor = 11;      // PWM
const int leftEncoder = 14, rightEncoder = 15;  // 80 edges per turn, 0.255 cm each

Channel<float> line;                 // where it is: -1 left .. 1 right of the robot's middle
Channel<float> leftGoal, rightGoal;  // edges in 20 ms

volatile long leftEdges, rightEdges;

void left() { leftEdges = leftEdges + 1; }
void right() { rightEdges = rightEdges + 1; }

void setup() {
  Serial.begin(115200);
  pinMode(leftEncoder, INPUT);
  pinMode(rightEncoder, INPUT);
  pinMode(leftMotor, OUTPUT);
  pinMode(rightMotor, OUTPUT);
  interruptsVcpu(3, 100);
  attachInterruptVcpu(leftEncoder, left, CHANGE, 100_us, 5_ms);
  attachInterruptVcpu(rightEncoder, right, CHANGE, 100_us, 5_ms);
}

// How much line a sensor sees, 0..1.
float darkness(int pin) { return constrain((analogRead(pin) - 150) / 700.0f, 0.0f, 1.0f); }

void loop(1, 500_us, 5_ms) {
  static float last;
  float l = darkness(A0), m = darkness(A1), r = darkness(A2);
  float sum = l + m + r;
  if (sum > 0.15f)
    last = (r - l) / sum;
  else
    last = last < 0 ? -1.5f : 1.5f;  // lost: it went on where it was last seen
  line.write(last);
  delay(5);
}

void loop(2, 1, 10) {
  static float before;
  const float cruise = 2.2f;  // 28 cm/s
  float error = line.read();
  float turn = 0.9f * error + 6.0f * (error - before);
  before = error;
  leftGoal.write(constrain(cruise + turn, 0.0f, 4.5f));
  rightGoal.write(constrain(cruise - turn, 0.0f, 4.5f));
  delay(10);
}

// A PI controller for one wheel: from edges in 20 ms to PWM.
int drive(float goal, long edges, float &sum) {
  float error = goal - edges;
  sum = constrain(sum + error, -40.0f, 40.0f);
  return constrain(static_cast<int>(50.0f * goal + 4.0f * error + 2.0f * sum), 0, 255);
}

void loop(3, 1, 20) {
  static long leftBefore, rightBefore;
  static float leftSum, rightSum;
  long l = leftEdges, r = rightEdges;
  analogWrite(leftMotor, drive(leftGoal.read(), l - leftBefore, leftSum));
  analogWrite(rightMotor, drive(rightGoal.read(), r - rightBefore, rightSum));
  leftBefore = l;
  rightBefore = r;
  delay(20);
}

void loop(4, 1, 100) {
  delay(2000);
  Serial.print("edges ");
  Serial.print(leftEdges);
  Serial.print(" and ");
  Serial.print(rightEdges);
  Serial.print(", merged ");
  Serial.println(interruptsMerged(leftEncoder) + interruptsMerged(rightEncoder));
}
