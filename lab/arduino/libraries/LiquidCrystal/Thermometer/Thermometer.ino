// A column of mercury of own characters, and text that is scrolled, on four data lines.

#include <LiquidCrystal.h>

LiquidCrystal lcd(12, 11, 5, 4, 3, 2);
byte full[8] = {0x0E, 0x0E, 0x0E, 0x0E, 0x0E, 0x0E, 0x0E, 0x0E};
byte bulb[8] = {0x0E, 0x1F, 0x1F, 0x1F, 0x1F, 0x1F, 0x1F, 0x0E};

void setup() {
  lcd.begin(16, 2);
  lcd.createChar(0, bulb);
  lcd.createChar(1, full);
  lcd.setCursor(2, 0);
  lcd.print("23.5 ");
  lcd.print((char)223);
  lcd.print("C outside");
  lcd.setCursor(2, 1);
  lcd.write(byte(0));
  for (int i = 0; i < 6; i++)
    lcd.write(byte(1));
  lcd.scrollDisplayLeft();
  lcd.scrollDisplayLeft();
  lcd.rightToLeft();
  lcd.setCursor(17, 1);
  lcd.print("!oga s 1");
}

void loop() {
}
