// Finds the thermometers on a 1-Wire bus and reads each of them, with OneWire alone.

#include <OneWire.h>

OneWire bus(2);

void setup() {
  Serial.begin(115200);
}

void sayAddress(const byte *address) {
  for (int n = 0; n < 8; n++) {
    if (address[n] < 16)
      Serial.print('0');
    Serial.print(address[n], HEX);
  }
}

int measure(const byte *address) {
  byte data[9];
  bus.reset();
  bus.select(address);
  bus.write(0x44);  // convert
  delay(760);
  bus.reset();
  bus.select(address);
  bus.write(0xBE);  // read the scratchpad
  bus.read_bytes(data, 9);
  if (OneWire::crc8(data, 8) != data[8])
    Serial.print(" CRC?");
  return (int16_t)(data[1] << 8 | data[0]);
}

void loop() {
  byte address[8];
  bus.reset_search();
  while (bus.search(address)) {
    if (OneWire::crc8(address, 7) != address[7])
      Serial.print("CRC? ");
    sayAddress(address);
    Serial.print(" ");
    Serial.println(measure(address) / 16.0, 4);
  }
  Serial.println("that is all");
}
