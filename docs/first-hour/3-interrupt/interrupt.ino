// A button switches a lamp while a loop computes.
volatile long rounds;

void pressed() { digitalWrite(13, !digitalRead(13)); }

void setup() {
  pinMode(3, INPUT_PULLUP);
  pinMode(13, OUTPUT);
  attachInterruptVcpu(3, pressed, FALLING, 1, 10);
}

void loop(1, 60, 100) { rounds = rounds + 1; }
