// Two lamps, each at its own speed.

void setup() {
  pinMode(12, OUTPUT);
  pinMode(13, OUTPUT);
}

void loop(1, 5, 50) {
  digitalWrite(12, HIGH);
  delay(130);
  digitalWrite(12, LOW);
  delay(170);
}

void loop(2, 5, 100) {
  digitalWrite(13, HIGH);
  delay(500);
  digitalWrite(13, LOW);
  delay(500);
}
