// A wheel of colours that turns on twelve lamps; at last each shows its own, at half of its light.

#include <Adafruit_NeoPixel.h>

const int lamps = 12;

Adafruit_NeoPixel strip(lamps, 6, NEO_GRB + NEO_KHZ800);

void show(unsigned turn) {
  for (int lamp = 0; lamp < lamps; lamp++)
    strip.setPixelColor(lamp, strip.ColorHSV(lamp * (65536UL / lamps) + turn));
  strip.show();
}

void setup() {
  strip.begin();
  strip.setBrightness(128);
  for (int step = 1; step <= 24; step++) {
    show(step * (65536UL / 24));
    delay(20);
  }
}

void loop() {
}
