// A dot with a tail runs up and down a strip of lamps (WS2812B). A bit is high for 0.4 or 0.8 us and
// takes 1.25 us: cycles are counted, at 16 MHz, and interrupts are off for a frame of 0.3 ms.

const int strip = 6;  // bit 6 of PORTD
const int lamps = 10;

uint8_t colours[lamps][3];  // green, red, blue

void show() {
  const uint8_t *next = colours[0];
  cli();
  for (uint8_t bytes = sizeof colours; bytes > 0; bytes--) {
    uint8_t byte = *next++;
    for (uint8_t bits = 8; bits > 0; bits--) {
      PORTD |= 1 << 6;
      if (byte & 0x80) {
        __builtin_avr_delay_cycles(8);
        PORTD &= ~(1 << 6);
      } else {
        __builtin_avr_delay_cycles(2);
        PORTD &= ~(1 << 6);
        __builtin_avr_delay_cycles(4);
      }
      byte <<= 1;
    }
  }
  sei();
}

void setup() {
  pinMode(strip, OUTPUT);
}

void loop() {
  static int at = 0, step = 1;
  for (auto &colour : colours)
    for (uint8_t &part : colour)
      part = part * 5 / 8;
  colours[at][0] = 40 + 20 * at;
  colours[at][1] = 255 - 20 * at;
  colours[at][2] = step > 0 ? 0 : 120;
  show();
  if (at + step < 0 || at + step >= lamps)
    step = -step;
  at += step;
  delay(40);
}
