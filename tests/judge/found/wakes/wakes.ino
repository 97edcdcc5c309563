#include <Takt.h>
unsigned long n;
void setup() {
  pinMode(13, OUTPUT);
  Serial.begin(115200);
}
void loop(1, 20, 100) {
  digitalWrite(13, HIGH);
  delayMicroseconds(20);
  digitalWrite(13, LOW);
  delay(1);
  n++;
}
void loop(2, 50, 100) {}
