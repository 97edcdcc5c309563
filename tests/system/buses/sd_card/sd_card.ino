// A card without a library: initialise, read a block, write another, read that back.
#include <SPI.h>

const int SELECT = SS;
byte block[512];

byte command(byte number, uint32_t argument, byte crc) {
  SPI.transfer(0x40 | number);
  for (int shift = 24; shift >= 0; shift -= 8) SPI.transfer(argument >> shift);
  SPI.transfer(crc);
  byte answer = 0xFF;
  for (int k = 0; k < 9 && answer & 0x80; k++) answer = SPI.transfer(0xFF);
  return answer;
}

void readBlock(uint32_t number) {
  if (command(17, number, 1)) Serial.println("refused=17");
  while (SPI.transfer(0xFF) != 0xFE) {}
  for (byte &one : block) one = SPI.transfer(0xFF);
  SPI.transfer(0xFF);
  SPI.transfer(0xFF);
}

void say(const char *what, long value) {
  Serial.print(what);
  Serial.print('=');
  Serial.println(value);
}

long sum() {
  long total = 0;
  for (byte one : block) total += one;
  return total;
}

void setup() {
  Serial.begin(115200);
  digitalWrite(SELECT, HIGH);
  pinMode(SELECT, OUTPUT);
  SPI.begin();
  SPI.beginTransaction(SPISettings(400000, MSBFIRST, SPI_MODE0));
  for (int k = 0; k < 10; k++) SPI.transfer(0xFF);
  digitalWrite(SELECT, LOW);
  say("idle", command(0, 0, 0x95));
  say("version", command(8, 0x1AA, 0x87));
  for (int k = 0; k < 4; k++) SPI.transfer(0xFF);
  unsigned long start = millis();
  do command(55, 0, 1); while (command(41, 0x40000000, 1));
  say("ready", millis() - start);
  SPI.endTransaction();
  SPI.beginTransaction(SPISettings(4000000, MSBFIRST, SPI_MODE0));
  readBlock(0);
  say("signature", block[511] * 256L + block[510]);
  for (byte &one : block) one = &one - block;
  say("write", command(24, 9, 1));
  SPI.transfer(0xFE);
  for (byte one : block) SPI.transfer(one);
  SPI.transfer(0);
  SPI.transfer(0);
  byte accepted = SPI.transfer(0xFF) & 0x1F;
  start = micros();
  while (SPI.transfer(0xFF) != 0xFF) {}
  say("busy", micros() - start);
  say("accepted", accepted);
  memset(block, 0, sizeof block);
  readBlock(9);
  say("sum", sum());
  digitalWrite(SELECT, HIGH);
  SPI.endTransaction();
  say("over", 1);
}

void loop() { delay(1000); }
