// The library looks for the backpack on the bus, and for how it is wired.

#include <Wire.h>
#include <hd44780.h>
#include <hd44780ioClass/hd44780_I2Cexp.h>

hd44780_I2Cexp lcd;

void setup() {
  if (lcd.begin(16, 2) != 0)
    return;
  lcd.print("found at ");
  lcd.print(lcd.getProp(hd44780_I2Cexp::Prop_addr), HEX);
  lcd.setCursor(0, 1);
  lcd.print("and it is wired");
}

void loop() {
}
