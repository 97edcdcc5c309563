// Loop 2 never waits. Loop 1 blinks in time beside it.
volatile long rounds;

void setup() { pinMode(13, OUTPUT); }

void loop(1, 5, 50) {
  digitalWrite(13, HIGH);
  delay(100);
  digitalWrite(13, LOW);
  delay(100);
}

void loop(2, 60, 100) { rounds = rounds + 1; }
