// Twelve lamps of a strip, lit one after the other; each keeps the colour of its step.

#include <NeoPixelBus.h>

const int lamps = 12;

NeoPixelBus<NeoGrbFeature, NeoWs2812xMethod> strip(lamps, 6);

void setup() {
  strip.Begin();
  for (int lamp = 0; lamp < lamps; lamp++) {
    strip.SetPixelColor(lamp, RgbColor(lamp * 16, 200 - lamp * 16, lamp));
    strip.Show();
    delay(10);
  }
}

void loop() {
}
