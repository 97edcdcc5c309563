// Two tasks with transactions on one bus: neither begins within the other's.
#include <Takt.h>
#include <Wire.h>
volatile bool within;

static void transaction(uint32_t turns) {
  Wire.beginTransmission(0x20);
  if (within) digitalWrite(12, LOW);
  within = true;
  for (; turns; turns--) asm volatile("");
  within = false;
  Wire.endTransmission();
}

void setup() {
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
  Wire.begin();
}

void task(1, 2) { transaction(1); }
void task(2, 17) { transaction(60000); }
void loop(1, 1, 20) { delay(5); }
