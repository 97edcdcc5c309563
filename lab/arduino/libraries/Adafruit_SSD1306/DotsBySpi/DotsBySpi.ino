// Text, upside down and inverted, on a display of 128 x 32 dots on SPI.

#include <Adafruit_GFX.h>
#include <Adafruit_SSD1306.h>
#include <SPI.h>

const int dc = 9, reset = 8, chipSelect = 10;

Adafruit_SSD1306 display(128, 32, &SPI, dc, reset, chipSelect);

void setup() {
  display.begin(SSD1306_SWITCHCAPVCC);
  display.clearDisplay();
  display.setRotation(2);
  display.setTextSize(1);
  display.setTextColor(SSD1306_WHITE);
  display.setCursor(4, 4);
  display.print("the other way round");
  display.display();
  display.invertDisplay(true);
}

void loop() {
}
