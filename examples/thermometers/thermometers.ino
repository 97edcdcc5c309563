// Two DS18B20 on one wire and a DHT22 on another, read bit by bit, without libraries. There is one loop,
// so nothing comes between the bits.

const int oneWire = 2, dht = 3;

void setup() {
  Serial.begin(115200);
  pinMode(dht, INPUT);
}

// 1-Wire: slots begin with a low pulse; what it is, its length says.

void low(unsigned int us, unsigned int then) {
  digitalWrite(oneWire, LOW);
  pinMode(oneWire, OUTPUT);
  delayMicroseconds(us);
  pinMode(oneWire, INPUT);
  delayMicroseconds(then);
}

bool reset() {
  low(500, 70);
  bool present = digitalRead(oneWire) == LOW;
  delayMicroseconds(450);
  return present;
}

void writeByte(byte value) {
  for (int n = 0; n < 8; n++)
    if (value >> n & 1)
      low(5, 65);
    else
      low(65, 5);
}

bool readBit() {
  low(3, 7);
  bool bit = digitalRead(oneWire);
  delayMicroseconds(60);
  return bit;
}

byte readByte() {
  byte value = 0;
  for (int n = 0; n < 8; n++)
    value |= readBit() << n;
  return value;
}

// The next device on the wire after the one found last, whose bits are in `rom`. 0: no more.
byte rom[8];

bool search() {
  static int last = -1;  // where it went to 0 although there was a 1
  int zero = -1;
  if (!reset())
    return false;
  writeByte(0xF0);
  for (int n = 0; n < 64; n++) {
    bool bit = readBit(), complement = readBit();
    if (bit && complement)
      return false;
    if (!bit && !complement) {
      bit = n < last ? rom[n / 8] >> n % 8 & 1 : n == last;
      if (!bit)
        zero = n;
    }
    rom[n / 8] = (rom[n / 8] & ~(1 << n % 8)) | bit << n % 8;
    if (bit)
      low(5, 65);
    else
      low(65, 5);
  }
  last = zero;
  return true;
}

void sayDs18b20() {
  byte data[9];
  reset();
  writeByte(0x55);  // this one
  for (byte one : rom)
    writeByte(one);
  writeByte(0xBE);
  for (byte &one : data)
    one = readByte();
  Serial.print(rom[1], HEX);
  Serial.print(": ");
  Serial.print((int16_t)(data[1] << 8 | data[0]) / 16.0, 2);
  Serial.println(" C");
}

// DHT22: a long high is a 1.

unsigned long highLasts() {
  while (digitalRead(dht) == LOW)
    ;
  unsigned long begin = micros();
  while (digitalRead(dht) == HIGH && micros() - begin < 200)
    ;
  return micros() - begin;
}

void sayDht22() {
  byte data[5] = {0};
  digitalWrite(dht, LOW);
  pinMode(dht, OUTPUT);
  delayMicroseconds(1200);
  pinMode(dht, INPUT);
  highLasts();  // until it answers
  highLasts();
  for (int n = 0; n < 40; n++)
    data[n / 8] = data[n / 8] << 1 | (highLasts() > 45);
  if ((byte)(data[0] + data[1] + data[2] + data[3]) != data[4]) {
    Serial.println("air: sum is wrong");
    return;
  }
  int tenths = (data[2] & 0x7F) << 8 | data[3];
  Serial.print("air: ");
  Serial.print((data[2] & 0x80 ? -tenths : tenths) / 10.0, 1);
  Serial.print(" C, ");
  Serial.print((data[0] << 8 | data[1]) / 10.0, 1);
  Serial.println(" %");
}

void loop() {
  reset();
  writeByte(0xCC);  // all of them
  writeByte(0x44);  // convert
  delay(1500);
  for (int n = 0; n < 2 && search(); n++)
    sayDs18b20();
  sayDht22();
  delay(500);
}
