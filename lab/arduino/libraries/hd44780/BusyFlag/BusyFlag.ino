// With R/W connected the library waits for the busy flag, and reads back what it has written.

#include <hd44780.h>
#include <hd44780ioClass/hd44780_pinIO.h>

const int rs = 12, rw = 10, en = 11;

hd44780_pinIO lcd(rs, rw, en, 5, 4, 3, 2);

void setup() {
  lcd.begin(16, 2);
  lcd.print("read back: ");
  lcd.setCursor(0, 1);
  lcd.print("Takt");
  char text[5] = "";
  lcd.setCursor(0, 1);
  for (int i = 0; i < 4; i++)
    text[i] = lcd.read();
  lcd.setCursor(11, 0);
  lcd.print(text);
}

void loop() {
}
