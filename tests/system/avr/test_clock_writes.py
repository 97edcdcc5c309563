"""Sketches that write registers of Timer1, the kernel's clock, are refused with the place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.errors import UserError
from takt.machine.machines import machine_of

HZ = 16_000_000

WRITES = {
    "TCCR1A": "TCCR1A = _BV(COM1A0);",
    "TCCR1B": "TCCR1B = (TCCR1B & B11111000) | B00000001;",
    "TCCR1C": "TCCR1C = _BV(FOC1A);",
    "TCNT1": "TCNT1 = 0;",
    "ICR1": "ICR1 = 40000;",
    "OCR1A": "OCR1A = analogRead(A0);",
    "OCR1B": "OCR1B += 5;",
    "TIMSK1": "TIMSK1 |= _BV(TOIE1);",
    "TIFR1": "TIFR1 = _BV(TOV1);",
    "PRR": "power_timer1_disable();",
    "GTCCR": "GTCCR = _BV(TSM) | _BV(PSRASY);",
    "CLKPR": "CLKPR = _BV(CLKPCE); CLKPR = 1;",
}
SKETCH = """
#include <avr/power.h>
volatile byte other;
struct Timer { void begin(); };
void Timer::begin() {
  other = 1;
  %s
}
void setup() { Timer timer; timer.begin(); }
void loop() {}
"""
FAST = """
#include <avr/io.h>
#include "Fast.h"
void fast(void) {
  for (int i = 0; i < 2; i++)
    (&TCCR1A)[i] = 0;
}
"""
USER = """
#include <Takt.h>
#include <Fast.h>
void setup() { fast(); }
void loop(1, 2, 20) {}
"""


@pytest.mark.parametrize("register", WRITES)
@pytest.mark.parametrize("board", ("uno", "atmega324p"))
def test_refused(write: Callable, board: str, register: str) -> None:
    folder = write("timer", SKETCH % WRITES[register])
    with pytest.raises(UserError) as caught:
        build(folder, boards.load(board), trace=False)
    assert caught.value.what.startswith(
        (f"setup() writes {register}:", f"Timer::begin() writes {register}:")
    )
    assert caught.value.where.endswith("timer.ino:7")
    assert ("Timer2" in caught.value.fix) == (register not in ("PRR", "GTCCR", "CLKPR"))


def test_refused_in_a_library(write: Callable, tmp_path: Path) -> None:
    """Also by a pointer that goes on from register to register, and with budgets."""
    (tmp_path / "Fast").mkdir()
    (tmp_path / "Fast" / "Fast.h").write_text("void fast(void);")
    (tmp_path / "Fast" / "Fast.cpp").write_text(FAST)
    folder = write("user", USER)
    with pytest.raises(UserError) as caught:
        build(folder, boards.load("uno"), extra_libs=[tmp_path / "Fast"])
    assert caught.value.what.startswith("fast() writes TCCR1")
    assert caught.value.where.endswith("Fast.cpp:6")


@pytest.mark.parametrize(
    "statement",
    (
        "other = TCNT1L + TCCR1B;",
        "TCCR2A = _BV(WGM21); TCCR2B = _BV(CS22); OCR2A = 249; TIMSK2 = 0; TIFR2 = 7;",
        "TCCR0B = (TCCR0B & B11111000) | B00000001; OCR0A = 3; TIMSK0 = 0;",
        "power_adc_disable(); power_timer2_disable(); power_all_enable(); PRR |= other;",
        "GTCCR = _BV(PSRASY); clock_prescale_set(clock_div_1);",
        "tone(4, 440, 20); analogWrite(3, 9); delay(3); Serial.begin(9600); delayMicroseconds(90);",
    ),
)
def test_not_refused(write: Callable, statement: str) -> None:
    assert not build(write("timer", SKETCH % statement), boards.load("uno"), trace=False).warnings


NOT_SEEN = """
volatile byte bits = 8;
void away(volatile uint8_t *pointer, byte value) __attribute__((noinline));
void away(volatile uint8_t *pointer, byte value) { *pointer = value; }
void setup() { away(%s, %s); }
void loop() {}
"""


@pytest.mark.parametrize(
    ("register", "value", "says"),
    (
        ("&TIMSK1", "0", ""),
        ("&PRR", "bits", "PRR stops Timer1"),
        ("&GTCCR", "_BV(TSM)", "GTCCR holds"),
    ),
)
def test_not_seen(write: Callable, register: str, value: str, says: str) -> None:
    """Where the address or the value comes from elsewhere: some of that a run tells."""
    board = boards.load("uno")
    machine = machine_of(board)
    machine.load_elf(build(write("timer", NOT_SEEN % (register, value)), board, trace=False).elf)
    assert (machine.run(HZ).reason == "fault") == bool(says)
    assert says in (machine.fault() or "")
