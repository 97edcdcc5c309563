// A comet runs along twelve lamps and drags a tail that fades; at last it stands at the end.

#include <FastLED.h>

const int lamps = 12;

CRGB strip[lamps];

void setup() {
  FastLED.addLeds<WS2812B, 6, GRB>(strip, lamps);
  FastLED.setBrightness(255);
  for (int at = 0; at < lamps; at++) {
    fadeToBlackBy(strip, lamps, 128);
    strip[at] = CRGB(at * 20, 255 - at * 20, 64);
    FastLED.show();
    delay(10);
  }
}

void loop() {
}
