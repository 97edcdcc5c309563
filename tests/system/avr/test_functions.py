"""What Arduino's functions of AVR keep although they are short: pins that PWM has, pins of one port
that interrupts write, milliseconds, and waits."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import Build, build
from takt.cli.run import _Session as Session
from takt.world import world

UNO = "uno"
B, D = 8, 24  # the first of each port, as the chip counts


def ran(folder: Path, text: str, seconds: float, board: str = UNO) -> Session:
    sketch = folder / "short"
    sketch.mkdir()
    (sketch / "short.ino").write_text(text)
    target = boards.load(board)
    built: Build = build(sketch, target, trace=False, out=folder / "out")
    session = Session(built, world.load(sketch, target))
    session.go(seconds, None)
    return session


def said(session: Session) -> list[str]:
    return session.bench.text().split()


MILLIS = """
#include <avr/interrupt.h>
volatile bool in_handler_wrong;
unsigned long wrong, calls, rounds;
bool holds() {
  unsigned long before = micros(), ms = millis(), after = micros();
  return ms >= before / 1000 && ms <= after / 1000;
}
unsigned long n = 1;
void setup() { Serial.begin(115200); }
void loop() {
  n = n * 1103515245 + 12345;
  delayMicroseconds(n >> 22);
  if ((n >> 8) % 8 == 0) delay((n >> 12) % 70);
  uint8_t flags = SREG;
  if ((n >> 5) % 4 == 0) cli();
  if ((n >> 6) % 4 == 0) for (volatile int i = 0; i < 300; i++) {}
  wrong += !holds();
  SREG = flags;
  for (int i = 0; i < 3; i++) wrong += !holds();
  calls += 4;
  if (millis() < 2900) return;
  Serial.print(wrong);
  Serial.print(' ');
  Serial.println(calls);
  delay(999);
}
"""


@pytest.mark.parametrize("board", [UNO, "atmega324p"])
def test_millis_is_a_thousandth_of_micros(tmp_path: Path, board: str) -> None:
    """Whenever it is called, with interrupts off for a while, too, and after rounds of the counter
    without a call."""
    wrong, calls = map(int, said(ran(tmp_path, MILLIS, 3.2, board)))
    assert wrong == 0 and calls > 500


PWM = """
void show(byte level) {
  Serial.print((TCCR2A & (3 << COM2B0)) != 0);
  Serial.print((DDRD >> 3 & 1) != 0);
  Serial.print((PORTD >> 3 & 1) != 0);
  Serial.print(' ');
}
volatile byte three = 3;
void setup() {
  Serial.begin(115200);
  %s
}
void loop() { delay(1000); }
"""
ENDS = {  # what ends it: has the timer it, is it an output, its level or pull-up (?: as it was)
    "digitalWrite(3, HIGH)": "011", "digitalWrite(3, LOW)": "010",
    "digitalWrite(three, HIGH)": "011", "digitalWrite(three, LOW)": "010",
    "pinMode(3, INPUT)": "000", "pinMode(3, INPUT_PULLUP)": "001", "pinMode(3, OUTPUT)": "01?",
    "pinMode(three, INPUT)": "000", "pinMode(three, INPUT_PULLUP)": "001",
    "pinMode(three, OUTPUT)": "01?",
}  # fmt: skip


def test_what_ends_pwm(tmp_path: Path) -> None:
    """With a pin that the compiler knows, and with another; and analogWrite() has it back."""
    text = "".join(
        f"analogWrite(3, 99); show(3); {end}; show(3); analogWrite(three, 50); show(3);\n"
        for end in ENDS
    )
    found = said(ran(tmp_path, PWM % text, 0.3))
    level = "0"
    for n, (end, code) in enumerate(ENDS.items()):
        before, ended, again = found[3 * n : 3 * n + 3]
        level = code[2].replace("?", level)
        assert before[:2] == "11" and ended == code[:2] + level and again == f"11{level}", (
            end,
            found,
        )


LEVELS = """
volatile byte p = %d;
void setup() {}
void loop() { for (int v = -20; v < 300; v += 16) { analogWrite(p, v); delay(20); } }
"""


@pytest.mark.parametrize(("pin", "chip"), [(5, D + 5), (6, D + 6), (3, D + 3), (11, B + 3)])
def test_levels_one_after_the_other(tmp_path: Path, pin: int, chip: int) -> None:
    session = ran(tmp_path, LEVELS % pin, 0.016)
    for n, value in enumerate(range(-20, 300, 16)):
        session.go(0.016 + 0.02 * n, None)
        _, duty = session.machine.pin_pwm(chip) or (0, 0.0)
        assert duty == pytest.approx(min(max(value, 0), 255) / 255, abs=1 / 128), value


SHARED = """
#include <avr/interrupt.h>
volatile unsigned long turns;
ISR(TIMER2_COMPA_vect) { PINB = 1 << 2; turns++; }  // turns pin 10
volatile byte eight = 8;
unsigned long n;
void setup() {
  Serial.begin(115200);
  pinMode(8, OUTPUT); pinMode(9, OUTPUT); pinMode(10, OUTPUT);
  OCR2A = 96; TCCR2A = 1 << WGM21; TCCR2B = 1 << CS20; TIMSK2 = 1 << OCIE2A;
}
void loop() {
  for (int i = 0; i < 3000; i++) {
    digitalWrite(eight, i & 1);
    digitalWrite(9, !(i & 1));
    digitalWrite(9, LOW);
  }
  cli();
  bool odd = turns & 1, level = PORTB >> 2 & 1;
  unsigned long many = turns;
  TIMSK2 = 0;
  sei();
  Serial.print(odd == level);
  Serial.print(' ');
  Serial.println(many > 1000);
  TIMSK2 = 1 << OCIE2A;
}
"""


def test_an_interrupt_that_writes_the_port_loses_nothing(tmp_path: Path) -> None:
    found = said(ran(tmp_path, SHARED, 1.0))
    assert len(found) >= 4 and set(found) == {"1"}, found


WAITS = (1, 2, 3, 4, 5, 10, 16, 50, 100, 999, 1000, 1001, 5000)
DELAY = f"""
volatile unsigned waits[] = {{{", ".join(map(str, WAITS))}}};
void setup() {{
  pinMode(8, OUTPUT);
  for (unsigned n = 0; n < {len(WAITS)}; n++) {{
    unsigned us = waits[n];
    digitalWrite(8, HIGH);
    delayMicroseconds(us);
    digitalWrite(8, LOW);
  }}
}}
void loop() {{ delay(1000); }}
"""


def test_waits_are_as_long_as_asked_for(tmp_path: Path) -> None:
    session = ran(tmp_path, DELAY, 0.1)
    edges = [(cycle / 16, level) for cycle, pin, level in session.bench.edges if pin == B]
    assert len(edges) == 2 * len(WAITS)
    for us, (up, high), (down, low) in zip(WAITS, edges[::2], edges[1::2], strict=True):
        assert high and not low
        assert us <= down - up <= us * 1.001 + (3 if us <= 1000 else 25), (us, down - up)
