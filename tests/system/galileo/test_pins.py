"""digitalWrite(), digitalRead(), analogRead(), analogWrite() and fast pins."""

from __future__ import annotations

import re

from conftest import ECONTEXT, EINVAL, OK
from takt import boards
from takt.paths import ROOT

NAMES = '#include <Takt.h>\nextern "C" {\n#include <takt/gpio.h>\n#include <takt/adc.h>\n}\n'

LEVELS = """
int before[14], now[14], pulled[14];
void setup() {
  for (int p = 0; p < 14; p++) before[p] = digitalRead(p);
  for (int p = 0; p < 14; p += 2) pinMode(p, INPUT_PULLUP);
  for (int p = 1; p < 14; p += 2) pinMode(p, INPUT_PULLDOWN);
  for (int p = 0; p < 14; p++) pulled[p] = digitalRead(p);
}
void loop(1, 50, 100) {
  for (int p = 0; p < 14; p++) now[p] = digitalRead(p);
  delay(10);
}
"""


def test_levels_from_outside_reach_the_pin_they_are_at(make) -> None:
    driven = {pin: (pin * 5 + pin // 3) % 2 for pin in range(14)}
    stimuli = "".join(
        f'[[stimuli]]\nat = "200 ms"\npin = {pin}\nlevel = "{"high" if level else "low"}"\n'
        for pin, level in driven.items()
    )
    ran = make(LEVELS, stimuli).to(0.5)
    assert ran.values("before", 14) == [0] * 14
    assert ran.values("pulled", 14) == [1, 0] * 7
    assert ran.values("now", 14) == list(driven.values())


OUTPUTS = """
int read[14];
void setup() {
  for (int p = 0; p < 14; p++) pinMode(p, OUTPUT);
  digitalWrite(13, HIGH);
}
// pins 4, 6, 7, 8 and 11 are on one port, 3, 5, 9 and 10 on another
void toggle(int pin, int &n) {
  digitalWrite(pin, ++n & 1);
  delayMicroseconds(137);
}
int a, b, c;
void loop(1, 2, 10) { if (a < 101) toggle(4, a); }
void loop(2, 2, 11) { if (b < 151) toggle(7, b); }
void loop(3, 2, 12) {
  if (c < 201) toggle(11, c);
  for (int p = 0; p < 14; p++) read[p] = digitalRead(p);
}
"""


def test_outputs_of_several_loops_on_one_port_do_not_disturb_each_other(make) -> None:
    leds = "".join(f'[parts.p{pin}]\ntype = "led"\npin = {pin}\n' for pin in range(14))
    ran = make(OUTPUTS, leds).to(3.0)
    toggles = {pin: ran.part(f"p{pin}")["toggles"] for pin in range(14)}
    assert toggles == dict.fromkeys(range(14), 0) | {4: 101, 7: 151, 11: 201, 13: 1}
    assert ran.values("read", 14) == [int(pin in (4, 7, 11, 13)) for pin in range(14)]
    assert all(thread["misses"] == 0 for thread in ran.result.threads())


REMEMBERED = (
    NAMES
    + """
int high_first, mode_14, write_14, read_20, analog_2, fast_5;
void setup() {
  digitalWrite(8, HIGH);
  pinMode(8, OUTPUT);
  high_first = digitalRead(8);
  mode_14 = takt_gpio_mode(14, TAKT_GPIO_OUTPUT);
  write_14 = takt_gpio_write(14, true);
  read_20 = takt_gpio_read(20);
  analog_2 = takt_adc_read(2);
  fast_5 = takt_gpio_mode(5, (enum takt_gpio_mode)OUTPUT_FAST);
}
void loop(1, 5, 100) { delay(10); }
"""
)


def test_levels_are_remembered_and_pins_that_are_not_there_refused(make) -> None:
    ran = make(REMEMBERED, '[parts.led]\ntype = "led"\npin = 8\n').to(0.2)
    assert ran["high_first"] == 1
    assert ran.part("led")["toggles"] == 1, "no glitch"
    assert [ran[v] for v in ("mode_14", "write_14", "read_20", "analog_2")] == [EINVAL] * 4
    assert ran["fast_5"] == OK, "an ordinary output"


CONTEXT = (
    NAMES
    + """
int in_irq[4], locked[3], off;
Mutex mutex;
struct Early { int mode; Early() { mode = takt_gpio_mode(4, TAKT_GPIO_OUTPUT); } } early;
int before_start;
void isr() {
  in_irq[0] = takt_gpio_read(4);
  in_irq[1] = takt_gpio_write(4, true);
  in_irq[2] = takt_gpio_mode(4, TAKT_GPIO_INPUT);
  in_irq[3] = takt_gpio_read(3);
}
void setup() {
  before_start = early.mode;
  pinMode(2, INPUT_FAST);
  pinMode(3, INPUT_FAST);
  attachInterruptIsr(2, isr, RISING);
  mutex.lock();
  locked[0] = takt_gpio_read(4);
  locked[1] = takt_gpio_write(4, true);
  locked[2] = takt_adc_read(A0);
  mutex.unlock();
  { takt::Critical critical; off = takt_gpio_read(4); }
}
void loop(1, 5, 100) { delay(10); }
"""
)


def test_the_expander_is_not_waited_for_where_nobody_may_wait(make) -> None:
    world = '[[stimuli]]\nat = "100 ms"\npin = 2\nlevel = "high"\n'
    world += '[[stimuli]]\nat = "50 ms"\npin = 3\nlevel = "high"\n'
    ran = make(CONTEXT, world).to(0.2)
    assert ran["before_start"] == ECONTEXT
    assert ran.values("in_irq", 4) == [ECONTEXT] * 3 + [1]
    assert ran.values("locked", 3) == [ECONTEXT] * 3
    assert ran["off"] == ECONTEXT


FAST = """
int level, slow_level, pulse, slow_pulse, us, slow_us, again;
void setup() {
  pinMode(3, OUTPUT_FAST);
  pinMode(2, INPUT_FAST);
}
void loop(1, 50, 100) {
  unsigned long start = micros();
  for (int i = 0; i < 50; i++) { digitalWrite(3, HIGH); digitalWrite(3, LOW); }
  us = micros() - start;
  pulse = pulseIn(2, HIGH, 50000);
  slow_pulse = pulseIn(4, HIGH, 50000);
  level = digitalRead(2);
  pinMode(2, INPUT);
  slow_level = digitalRead(2);
  pinMode(2, INPUT_FAST);
  pinMode(3, OUTPUT);
  start = micros();
  for (int i = 0; i < 5; i++) { digitalWrite(3, HIGH); digitalWrite(3, LOW); }
  slow_us = micros() - start;
  pinMode(3, OUTPUT_FAST);
}
"""


def test_fast_pins_are_those_of_the_chip(make) -> None:
    world = '[parts.led]\ntype = "led"\npin = 3\n'
    world += '[[stimuli]]\nat = "20 ms"\nevery = "10 ms"\npin = 2\nlevel = "low"\npulse = "9 ms"\n'
    world += '[[stimuli]]\nat = "20 ms"\nevery = "10 ms"\npin = 4\nlevel = "low"\npulse = "9 ms"\n'
    ran = make(FAST, world).to(1.0)
    assert ran["us"] < 100, "100 writes"
    assert 10 * 250 < ran["slow_us"] < 10 * 400, "10 writes of 3 bytes at 100 kHz"
    assert 995 <= ran["pulse"] <= 1005
    assert ran["slow_pulse"] == 0, "the expander does not tell when"
    assert ran["level"] == ran["slow_level"] == 0
    assert ran.part("led")["toggles"] > 500


ANALOG = """
int values[6], wrong;
void setup() { analogReadResolution(12); }
void loop(1, 2, 10) { for (int i = 0; i < 6; i += 2) values[i] = analogRead(i); }
void loop(2, 2, 11) {
  for (int i = 1; i < 6; i += 2) values[i] = analogRead(A0 + i);
  int odd = analogRead(A5);
  if (odd < 3500 || odd > 3600) wrong = wrong + 1;
}
"""


def test_analog_inputs_are_channels_of_the_converter(make) -> None:
    volts = [0.0, 0.5, 1.0, 1.65, 3.3, 2.86]
    stimuli = "".join(
        f'[[stimuli]]\nat = "1 ms"\npin = "A{n}"\nvolts = "{v} V"\n' for n, v in enumerate(volts)
    )
    ran = make(ANALOG, stimuli).to(0.5)
    expected = [min(int(v / 3.3 * 4096), 4095) for v in volts]
    assert all(abs(a - b) <= 1 for a, b in zip(ran.values("values", 6), expected, strict=True))
    assert ran["wrong"] == 0, "two loops ask at the same time"
    assert ran.part("board.adc")["conversions"] > 100


PWM = """
extern "C" int takt_pwm_write(uint8_t, uint32_t, uint16_t);
int too_low, no_pwm;
void setup() {
  analogWrite(9, 64);
  analogWrite(11, 255);
  analogWrite(5, 200);
  digitalWrite(5, LOW);
  tone(6, 440);
  tone(3, 1000, 50);
  too_low = takt_pwm_write(10, 100, 9);
  no_pwm = takt_pwm_write(4, 490, 9);
}
void loop(1, 2, 100) { delay(10); }
"""


def test_pwm_is_the_expanders(make) -> None:
    leds = "".join(f'[parts.p{pin}]\ntype = "led"\npin = {pin}\n' for pin in (3, 5, 6, 9, 11))
    ran = make(PWM, leds).to(0.2)
    assert ran.world.carriers[3].pwm(3) is None, "the tone has ended"
    pwm = {pin: ran.world.carriers[pin].pwm(pin) for pin in (5, 6, 9, 11)}
    assert pwm[5] is None and not ran.part("p5")["lit"]
    assert pwm[9] is not None and abs(pwm[9][0] - 490) < 2 and abs(pwm[9][1] - 64 / 255) < 0.003
    assert pwm[11] is not None and pwm[11][1] == 1
    assert pwm[6] is not None and abs(pwm[6][0] - 440) < 2 and abs(pwm[6][1] - 0.5) < 0.003
    assert ran["too_low"] == ran["no_pwm"] == EINVAL


def test_wiring_is_the_same_for_tools_and_drivers() -> None:
    board = boards.load("galileo")
    source = (ROOT / "drivers/gpio/galileo.c").read_text()
    table = source[source.index("galileo_pins[] = {") :]
    pairs = [[int(a), int(b)] for a, b in re.findall(r"\{(\d), (\d)\}", table[: table.index("};")])]
    assert [board.raw["expander"]["pins"][f"D{pin}"] for pin in range(14)] == pairs
    header = (ROOT / "board/galileo/galileo.h").read_text()
    said = {name: int(n, 0) for name, n in re.findall(r"GALILEO_(\w+) = (0?x?\d+),", header)}
    assert said["EXPANDER"] == board.raw["expander"]["address"]
    assert said["INT"] == board.raw["expander"]["interrupt"]
    assert said["I2C_BUS"] == board.raw["expander"]["i2c"]
    assert said["SPI_BUS"] == board.raw["adc_chip"]["spi"]
    assert said["ADC_SELECT"] == board.raw["adc_chip"]["select"]
    assert board.raw["chip_pins"] == {"D2": 2, "D3": 3}
