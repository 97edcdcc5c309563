// Shapes and text of Adafruit_GFX on a display of 128 x 64 dots on I2C. (On an uno the picture takes
// half of the RAM, so the sketch has no Serial.)

#include <Adafruit_GFX.h>
#include <Adafruit_SSD1306.h>
#include <Wire.h>

Adafruit_SSD1306 display(128, 64, &Wire, -1);

void setup() {
  display.begin(SSD1306_SWITCHCAPVCC, 0x3C);
  display.clearDisplay();
  display.drawRect(0, 0, 128, 64, SSD1306_WHITE);
  display.setTextSize(2);
  display.setTextColor(SSD1306_WHITE);
  display.setCursor(8, 8);
  display.print("Takt");
  display.fillCircle(96, 32, 20, SSD1306_WHITE);
  display.fillTriangle(96, 20, 84, 44, 108, 44, SSD1306_BLACK);
  display.drawLine(8, 56, 60, 40, SSD1306_WHITE);
  display.display();
}

void loop() {
}
