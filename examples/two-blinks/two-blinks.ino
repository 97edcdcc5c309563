// Two LEDs at speeds that have nothing to do with each other. With a single loop() this takes
// millis(), two variables and an if for each ("blink without delay"); with two loops each LED is
// the first sketch everybody writes, because delay() blocks its own loop only.

const int slow = LED_BUILTIN;
const int fast = 15;

void setup() {
  pinMode(slow, OUTPUT);
  pinMode(fast, OUTPUT);
}

void loop(1, 5, 50) {
  digitalWrite(fast, HIGH);
  delay(130);
  digitalWrite(fast, LOW);
  delay(170);
}

void loop(2, 5, 100) {
  digitalWrite(slow, HIGH);
  delay(1000);
  digitalWrite(slow, LOW);
  delay(1000);
}
