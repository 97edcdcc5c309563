// A pump with a flow meter, in 4 KB of RAM: eight loops, each with a budget of its own. An interrupt
// counts the meter's pulses, a timer makes the pump's PWM, and once a second a line is reported.

const int meter = 2, button = 7, knob = A0;        // inputs
const int pump = 6, lamp = 3, alarm = 4, busy = 8;  // outputs

volatile unsigned pulses;           // counted in the interrupt
int wanted, flow, power, dry;       // knob, pulses in 100 ms, 0..255, how long without flow
bool on = true;
bool damaged;                       // the program is not what it was

extern const char __takt_flash_start[], __takt_flash_end[];  // the program, by the linker

void pulse() { pulses++; }

void setup() {
  pinMode(button, INPUT_PULLUP);
  pinMode(lamp, OUTPUT);
  pinMode(alarm, OUTPUT);
  pinMode(busy, OUTPUT);
  attachInterruptIsr(meter, pulse, RISING);
  Serial.begin(115200);
}

void loop(1, 1, 10) {  // the button, debounced: pump on or off
  static int same, pressed = HIGH;
  int now = digitalRead(button);
  same = now == pressed ? 0 : same + 1;
  if (same == 3) {
    pressed = now;
    same = 0;
    if (pressed == LOW)
      on = !on;
  }
  delay(5);
}

void loop(2, 1, 20) {  // the knob, smoothed
  wanted += (analogRead(knob) - wanted) / 4;
  delay(20);
}

void loop(3, 1, 20) {  // the pump follows the knob
  int goal = on && dry < 20 ? wanted / 4 : 0;
  power += goal > power ? 1 : goal < power ? -1 : 0;
  analogWrite(pump, power);
  delay(20);
}

void loop(4, 1, 100) {  // the flow
  static unsigned before;
  unsigned now = pulses;
  flow = now - before;
  before = now;
  delay(100);
}

void loop(5, 1, 100) {  // no flow although the pump runs, or a damaged program: alarm
  dry = power > 50 && flow == 0 ? dry + 1 : 0;
  digitalWrite(alarm, dry >= 20 || damaged);
  delay(100);
}

void loop(6, 1, 200) {  // heartbeat
  digitalWrite(lamp, HIGH);
  delay(50);
  digitalWrite(lamp, LOW);
  delay(950);
}

void loop(7, 5, 200) {  // the report
  Serial.print("flow ");
  Serial.print(flow);
  Serial.print(" power ");
  Serial.println(power);
  delay(1000);
}

void loop(8, 100, 400) {  // always busy: is the program what it was at first?
  static unsigned first;
  unsigned sum = 1;
  for (const char *at = __takt_flash_start; at < __takt_flash_end; at++)
    sum = sum * 31 + *at;
  if (first == 0)
    first = sum;
  damaged = sum != first;
  digitalWrite(busy, !digitalRead(busy));
}
