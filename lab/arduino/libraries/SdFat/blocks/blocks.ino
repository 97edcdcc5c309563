// Writes 24 KB in pieces of all lengths, says how long the slowest took, and reads them back.
#include <SdFat.h>

const int SELECT = SS, LONGEST = 300;
const uint32_t BYTES = 24 * 1024;
SdFat sd;
uint8_t piece[LONGEST];

uint8_t at(uint32_t place) { return place ^ (place >> 7); }

void fail(const char *what) {
  Serial.println(what);
  sd.printSdError(&Serial);
  while (true) delay(1000);
}

void setup() {
  Serial.begin(115200);
  if (!sd.begin(SdSpiConfig(SELECT, DEDICATED_SPI, SD_SCK_MHZ(8)))) fail("no card");
  Serial.print(sd.card()->sectorCount());
  Serial.println(" blocks");

  File32 file;
  sd.mkdir("DATA");
  if (!file.open("DATA/A long name.bin", O_RDWR | O_CREAT)) fail("no file");
  uint32_t slowest = 0;
  for (uint32_t place = 0, length = 1; place < BYTES; place += length, length = length % LONGEST + 1) {
    if (length > BYTES - place) length = BYTES - place;
    for (uint32_t k = 0; k < length; k++) piece[k] = at(place + k);
    uint32_t start = micros();
    if (file.write(piece, length) != length) fail("not written");
    uint32_t took = micros() - start;
    if (took > slowest) slowest = took;
  }
  file.close();

  uint32_t wrong = 0, found = 0;
  file.open("DATA/A long name.bin", O_RDONLY);
  for (int c; (c = file.read()) >= 0; found++) wrong += c != at(found);
  file.close();
  Serial.print(found);
  Serial.print(" bytes, wrong ");
  Serial.print(wrong);
  Serial.print(", slowest write ");
  Serial.print(slowest / 1000);
  Serial.println(" ms");
}

void loop() { delay(1000); }
