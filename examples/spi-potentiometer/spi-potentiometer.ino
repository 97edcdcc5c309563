// Six digital potentiometers in one chip (AD5206) on the SPI bus dim six channels one after the
// other. The voltages of the first two wipers are measured at A0 and A1.

#include <SPI.h>

const int chipSelect = 17;
const int channels = 6;

void setWiper(int channel, int position) {
  SPI.beginTransaction(SPISettings(1000000, MSBFIRST, SPI_MODE0));
  digitalWrite(chipSelect, LOW);
  SPI.transfer(channel);
  SPI.transfer(position);
  digitalWrite(chipSelect, HIGH);
  SPI.endTransaction();
}

void setup() {
  Serial.begin(115200);
  pinMode(chipSelect, OUTPUT);
  digitalWrite(chipSelect, HIGH);
  SPI.begin();
}

void loop(1, 2, 20) {
  static int channel = 0;
  for (int position = 0; position <= 255; position += 15) {
    setWiper(channel, position);
    delay(10);
  }
  Serial.print("channel ");
  Serial.print(channel);
  Serial.print(" is up: A0 ");
  Serial.print(analogRead(A0));
  Serial.print(", A1 ");
  Serial.println(analogRead(A1));
  for (int position = 255; position >= 0; position -= 15) {
    setWiper(channel, position);
    delay(10);
  }
  channel = (channel + 1) % channels;
}
