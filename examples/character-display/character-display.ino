// A bar on a display of characters (HD44780, 4 data lines) shows the voltage at A0. Bytes are sent
// as the data sheet has it: when the busy flag says that the controller is ready.

#include <Takt.h>

const int rs = 12, rw = 10, enable = 11;
const int data[] = {5, 4, 3, 2};  // D4 to D7
const int columns = 16, dots = 5;

Channel<int> level;

void setData(uint8_t mode) {
  for (int pin : data)
    pinMode(pin, mode);
}

void sendHalf(int half) {
  for (int bit = 0; bit < 4; bit++)
    digitalWrite(data[bit], half >> bit & 1);
  digitalWrite(enable, HIGH);
  delayMicroseconds(1);
  digitalWrite(enable, LOW);
}

int readHalf() {
  int half = 0;
  digitalWrite(enable, HIGH);
  delayMicroseconds(1);
  for (int bit = 0; bit < 4; bit++)
    half |= digitalRead(data[bit]) << bit;
  digitalWrite(enable, LOW);
  return half;
}

void waitUntilReady() {
  setData(INPUT);
  digitalWrite(rs, LOW);
  digitalWrite(rw, HIGH);
  int high;
  do {
    high = readHalf();
    readHalf();
  } while (high & 8);  // busy
  digitalWrite(rw, LOW);
  setData(OUTPUT);
}

void send(bool character, int byte) {
  waitUntilReady();
  digitalWrite(rs, character);
  sendHalf(byte >> 4);
  sendHalf(byte & 15);
}

void command(int byte) {
  send(false, byte);
}

void print(const char *text) {
  while (*text)
    send(true, *text++);
}

// Five characters of our own: so many columns of dots from the left.
void makeCharacters() {
  for (int filled = 1; filled <= dots; filled++) {
    command(0x40 | filled << 3);
    for (int row = 0; row < 8; row++)
      send(true, 0x1F & 0x1F << (dots - filled));
  }
}

void beginDisplay() {
  const int waits[] = {5, 1, 1};  // ms
  delay(50);
  for (int wait : waits) {  // 8 data lines, whatever it was before
    sendHalf(3);
    delay(wait);
  }
  sendHalf(2);    // 4 of them
  command(0x28);  // two lines
  command(0x0C);  // on, no cursor
  command(0x06);  // to the right
  command(0x01);  // clear
}

void setup() {
  const int outputs[] = {rs, rw, enable};
  for (int pin : outputs)
    pinMode(pin, OUTPUT);
  setData(OUTPUT);
}

void loop(1, 8, 50) {
  static bool begun = false;
  if (!begun) {  // here its waits hold up nothing else
    beginDisplay();
    makeCharacters();
    begun = true;
  }
  int mean = level.read();
  char text[20];
  snprintf(text, sizeof text, "A0 is at %4d mV ", int(mean * 3300L / 1023));
  command(0x80);
  print(text);
  command(0x80 | 0x40);
  int lit = mean * (columns * dots) / 1023;
  for (int column = 0; column < columns; column++) {
    int here = constrain(lit - column * dots, 0, dots);
    send(true, here == 0 ? ' ' : here);
  }
  delay(100);
}

void loop(2, 1, 5) {
  static long sum = 0;
  sum += analogRead(A0) - sum / 16;
  level.write(sum / 16);
  delay(5);
}
