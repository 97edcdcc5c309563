// What the voltage at A0 was in the last 1.28 s, as a curve on a display of dots (SSD1306) on the
// I2C bus. Sending a picture takes 25 ms; samples are taken every 10 ms by another loop.

#include <Takt.h>
#include <Wire.h>

const int display = 0x3C;
const int width = 128, height = 64, pages = height / 8;
const int piece = 16;  // bytes in a message

struct Samples {
  uint8_t row[width];  // of the last ones, the oldest first
};

Channel<Samples> samples;
uint8_t picture[pages][width];

void command(const uint8_t *bytes, int count) {
  Wire.beginTransmission(display);
  Wire.write((uint8_t)0x00);
  Wire.write(bytes, count);
  Wire.endTransmission();
}

void show() {
  const uint8_t all[] = {0x21, 0, width - 1, 0x22, 0, pages - 1};
  command(all, sizeof all);
  for (int page = 0; page < pages; page++) {
    for (int column = 0; column < width; column += piece) {
      Wire.beginTransmission(display);
      Wire.write((uint8_t)0x40);
      Wire.write(&picture[page][column], piece);
      Wire.endTransmission();
    }
  }
}

void dot(int x, int y) {
  picture[y / 8][x] |= 1 << y % 8;
}

void setup() {
  const uint8_t start[] = {
    0xAE, 0xA8, height - 1, 0xD3, 0, 0x40,     // off, all rows, from the first one
    0xA1, 0xC8, 0xDA, 0x12, 0x81, 0xCF,        // as the panel is wired, contrast
    0x8D, 0x14, 0x20, 0x00, 0xA4, 0xA6, 0xAF,  // charge pump, row by row, on
  };
  Wire.begin();
  Wire.setClock(400000);
  command(start, sizeof start);
}

void draw(const Samples &now) {
  memset(picture, 0, sizeof picture);
  for (int x = 0; x < width; x += 4) {
    dot(x, 0);
    dot(x, height / 2);
    dot(x, height - 1);
  }
  for (int x = 1; x < width; x++) {
    int from = min(now.row[x - 1], now.row[x]), to = max(now.row[x - 1], now.row[x]);
    for (int y = from; y <= to; y++)
      dot(x, y);
  }
}

void loop(1, 6, 20) {
  draw(samples.read());
  show();
  delay(450);
}

void loop(2, 1, 10) {
  static Samples own;
  memmove(own.row, own.row + 1, width - 1);
  own.row[width - 1] = height - 1 - analogRead(A0) * height / 1024;
  samples.write(own);
  delay(10);
}
