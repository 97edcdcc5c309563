// A W5500 without a library: an address, a datagram, its answer.
#include <SPI.h>

const int SELECT = SS;
const byte SOCKET = 1, TX = 2, RX = 3;

void begin(byte block, uint16_t at, bool write) {
  digitalWrite(SELECT, LOW);
  SPI.transfer(at >> 8);
  SPI.transfer(at & 0xFF);
  SPI.transfer(block << 3 | (write ? 4 : 0));
}

void put(byte block, uint16_t at, const byte *data, int count) {
  begin(block, at, true);
  for (int k = 0; k < count; k++) SPI.transfer(data[k]);
  digitalWrite(SELECT, HIGH);
}

void put(byte block, uint16_t at, byte value) { put(block, at, &value, 1); }

uint16_t get(byte block, uint16_t at, int count) {
  begin(block, at, false);
  uint16_t value = 0;
  for (int k = 0; k < count; k++) value = value << 8 | SPI.transfer(0);
  digitalWrite(SELECT, HIGH);
  return value;
}

void say(const char *what, long value) {
  Serial.print(what);
  Serial.print('=');
  Serial.println(value);
}

void setup() {
  Serial.begin(115200);
  digitalWrite(SELECT, HIGH);
  pinMode(SELECT, OUTPUT);
  SPI.begin();
  SPI.beginTransaction(SPISettings(8000000, MSBFIRST, SPI_MODE0));
  say("version", get(0, 0x39, 1));
  const byte addresses[] = {192, 168, 1, 1, 255, 255, 255, 0, 2, 1, 2, 3, 4, 5, 192, 168, 1, 50};
  put(0, 1, addresses, sizeof addresses);
  put(SOCKET, 0, 2);
  const byte port[] = {0x0F, 0xA0}, to[] = {192, 168, 1, 9, 0, 7}, size[] = {0, 5};
  put(SOCKET, 4, port, 2);
  put(SOCKET, 1, 1);
  say("open", get(SOCKET, 3, 1));
  put(SOCKET, 12, to, 6);
  put(TX, 0, (const byte *)"hello", 5);
  put(SOCKET, 0x24, size, 2);
  unsigned long start = micros();
  put(SOCKET, 1, 0x20);
  while (get(SOCKET, 0x26, 2) == 0) {}
  say("took", micros() - start);
  say("size", get(SOCKET, 0x26, 2));
  say("first", get(RX, 8, 1));
  say("last", get(RX, 10, 1));
  say("over", 1);
}

void loop() { delay(1000); }
