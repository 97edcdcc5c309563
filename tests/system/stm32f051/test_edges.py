"""Interrupts of pins: lines that ports share, directions the hardware does not tell, levels."""

from __future__ import annotations

import pytest

EAGAIN, EINVAL, OK = -2, -4, 0
FALL, RISE = 4, 8

SHARED = """
volatile int first, second, third, again, calls;
void count() { calls = calls + 1; }
void setup() {
  first = attachInterruptIsr(6, count, RISING);    // PB0
  second = attachInterruptIsr(A0, count, RISING);  // PC0, the same line
  third = attachInterruptIsr(9, count, RISING);    // PA11
  detachInterrupt(6);
  again = attachInterruptIsr(A0, count, RISING);
}
void loop() { delay(1); }
"""


def test_pins_of_one_line_exclude_each_other_until_it_is_free(make) -> None:
    ran = make(SHARED).to(0.05)
    assert [ran[name] for name in ("first", "second", "third", "again")] == [OK, EAGAIN, OK, OK]
    for pin in (6, 14, 9):
        ran.drive(pin, 0)
    ran.to(0.06)
    for pin, calls in ((6, 0), (14, 1), (9, 2)):
        ran.drive(pin, 1)
        ran.to(ran.seconds + 0.01)
        assert ran["calls"] == calls, pin


DIRECTIONS = """
#include <takt/gpio.h>
volatile unsigned n, seen[64];
static void note(uint8_t, unsigned edges, takt_time_t, void *) {
  if (n < 64) seen[n] = edges;
  n = n + 1;
}
void setup() {
  pinMode(3, INPUT);
  takt_gpio_on_edge(3, TAKT_EDGE_FALL | TAKT_EDGE_RISE, note, nullptr);
}
void loop() { delay(1); }
"""


def edges(ran) -> list[int]:
    at = ran.machine.symbol("seen")
    return [ran.machine.word(at + 4 * i) for i in range(ran["n"])]


def test_directions_follow_from_levels(make) -> None:
    ran = make(DIRECTIONS)
    ran.drive(3, 0)
    ran.to(0.05)
    cycle = ran.machine.now
    for n, gap in enumerate((0, 48_000, 96_000, 144_000)):  # 1 ms apart: one call each
        ran.machine.pin_drive(ran.chip(3), 1 - n % 2, cycle + gap)
    ran.machine.pin_drive(ran.chip(3), 1, cycle + 480_000)  # both before the handler looks
    ran.machine.pin_drive(ran.chip(3), 0, cycle + 480_008)
    ran.to(0.1)
    assert edges(ran) == [RISE, FALL, RISE, FALL, RISE | FALL]


LEVEL = """
volatile int calls, got;
void low() { calls = calls + 1; if (calls >= 5) detachInterrupt(4); }
void setup() { pinMode(4, INPUT); got = attachInterruptIsr(4, low, LOW); }
void loop() { delay(1); }
"""


@pytest.mark.parametrize("before", [0, 1])
def test_a_level_interrupts_as_long_as_it_lasts(make, before: int) -> None:
    ran = make(LEVEL)
    ran.drive(4, before)
    ran.to(0.05)
    if before:
        assert ran["calls"] == 0
        ran.drive(4, 0)
        ran.to(0.06)
    assert ran["got"] == OK
    assert ran["calls"] == 5


STORM = """
volatile unsigned long n, calls;
void isr() { calls = calls + 1; }
void setup() { attachInterruptVcpu(3, isr, CHANGE, 1, 20); }
void loop(1, 4, 10) { n = n + 1; }
"""
WAVE = """
[parts.storm]
type = "square-wave"
pin = 3
frequency = "25 kHz"
start = "20 ms"
"""


def test_a_storm_takes_no_more_than_its_share(make) -> None:
    ran = make(STORM, WAVE).to(0.5)
    loop = ran.threads["loop 1"]
    assert loop["misses"] == loop["starved"] == 0
    assert loop["cpu_us_min"] >= loop["least_us"]
    assert ran["calls"] > 40
