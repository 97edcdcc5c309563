// Text in each corner of a display with four rows, by way of an I2C backpack.

#include <LiquidCrystal_I2C.h>

LiquidCrystal_I2C lcd(0x27, 20, 4);

void setup() {
  lcd.init();
  lcd.backlight();
  lcd.setCursor(0, 0);
  lcd.print("above left");
  lcd.setCursor(13, 1);
  lcd.print("a right");
  lcd.setCursor(0, 2);
  lcd.print("third row");
  lcd.setCursor(9, 3);
  lcd.print("below right");
  lcd.home();
}

void loop() {
}
