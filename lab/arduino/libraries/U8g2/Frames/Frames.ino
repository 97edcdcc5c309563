// Shapes on a display of 128 x 64 dots on I2C, page by page, so that little RAM is needed.

#include <U8g2lib.h>
#include <Wire.h>

U8G2_SSD1306_128X64_NONAME_1_HW_I2C u8g2(U8G2_R0, U8X8_PIN_NONE);

void setup() {
  u8g2.begin();
  u8g2.firstPage();
  do {
    u8g2.drawFrame(0, 0, 128, 64);
    u8g2.drawBox(8, 8, 24, 48);
    u8g2.drawCircle(64, 32, 20);
    u8g2.drawDisc(64, 32, 6);
    u8g2.drawLine(96, 8, 120, 56);
    u8g2.drawLine(120, 8, 96, 56);
  } while (u8g2.nextPage());
}

void loop() {
}
