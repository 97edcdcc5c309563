// Who is on the I2C bus? Every address is called once a second; who is there acknowledges.

#include <Wire.h>

const int first = 0x08, last = 0x77;  // the other addresses are reserved

void setup() {
  Serial.begin(115200);
  Wire.begin();
}

void loop(1, 20, 100) {
  int found = 0;
  for (int address = first; address <= last; address++) {
    Wire.beginTransmission(address);
    if (Wire.endTransmission() == 0) {
      Serial.print(found++ ? ", 0x" : "devices at 0x");
      Serial.print(address, HEX);
    }
  }
  Serial.println(found ? "" : "nobody there");
  delay(1000);
}
