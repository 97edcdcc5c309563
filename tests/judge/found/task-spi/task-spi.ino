// Two tasks with transactions on one bus: neither begins within the other's.
#include <Takt.h>
#include <SPI.h>
volatile bool within;

static void transaction(uint32_t turns) {
  SPI.beginTransaction(SPISettings(1000000, MSBFIRST, SPI_MODE0));
  if (within) digitalWrite(12, LOW);
  within = true;
  for (; turns; turns--) asm volatile("");
  within = false;
  SPI.endTransaction();
}

void setup() {
  pinMode(12, OUTPUT);
  digitalWrite(12, HIGH);
  SPI.begin();
}

void task(1, 2) { transaction(1); }
void task(2, 50) { transaction(300000); }
void loop(1, 1, 20) { delay(5); }
