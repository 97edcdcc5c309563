"""An expander that does not answer, and a bus that somebody holds: errors, no hang, and all that
does not need it goes on."""

from __future__ import annotations

import pytest
from conftest import EBUS, ENACK, ETIMEOUT, OK
from takt.world.onboard import EXPANDER

SKETCH = """
#include <Takt.h>
extern "C" {
#include <takt/gpio.h>
}
int attached, read, level, wrote, mode, calls, fast, n, us, us_max, us_min = 1000000, ok;
void isr() { calls = calls + 1; }
void on_fast() { fast = fast + 1; }
void setup() {
  pinMode(2, INPUT_FAST);
  interruptsVcpu(10, 100);
  attached = attachInterruptVcpu(9, isr, CHANGE, 1, 20);
  attachInterruptVcpu(2, on_fast, RISING, 1, 20);
}
void loop(1, 5, 30) { n = n + 1; }
void loop(2, 5, 40) {
  unsigned long start = micros();
  mode = takt_gpio_mode(13, TAKT_GPIO_OUTPUT);
  wrote = takt_gpio_write(13, true);
  read = takt_gpio_read(4);
  level = digitalRead(4);
  us = micros() - start;
  if (us > us_max) us_max = us;
  if (us < us_min) us_min = us;  // a whole pass, without the end of a budget in it
  if (read >= 0) ok = ok + 1;
}
"""
WORLD = """
[[stimuli]]
at = "50 ms"
every = "50 ms"
pin = 2
level = "high"
pulse = "10 ms"

[[stimuli]]
at = "60 ms"
every = "50 ms"
pin = 9
level = "high"
pulse = "10 ms"

[[stimuli]]
at = "1 ms"
pin = 4
level = "high"
"""


def test_an_expander_that_is_not_there(make) -> None:
    ran = make(SKETCH, WORLD, expander=False).to(1.0)
    assert [ran[v] for v in ("attached", "mode", "read")] == [ENACK] * 3
    assert ran["wrote"] == OK, "still an input: remembered"
    assert ran["level"] == 0 and ran["calls"] == 0
    assert ran["us_min"] < 2000, "refused at once"
    assert ran["us_max"] < 40_000, "its budget may end in between, no more"
    assert ran["fast"] == 19, "the chip's own pins work"
    ran.has_its_budget("loop 1")


def test_it_comes_back(make) -> None:
    ran = make(SKETCH, WORLD).to(0.2)
    assert ran["read"] == ran["level"] == 1
    machine = ran.machine
    machine.i2c_hold(0, sda=True, scl=None)
    ran.to(0.5)
    assert ran["read"] in (EBUS, ETIMEOUT) and ran["level"] == 0
    machine.i2c_hold(0, sda=False, scl=None)
    calls = ran["calls"]
    ran.to(0.8)
    assert ran["read"] == ran["level"] == 1
    assert ran["calls"] >= calls + 10, "events go on"


@pytest.mark.parametrize("line", ["sda", "scl"])
def test_a_bus_held_for_good_under_the_bottom_half(make, line: str) -> None:
    fault = f'[parts.fault]\ntype = "i2c-fault"\nline = "{line}"\nat = "161 ms"\n'
    ran = make(SKETCH, WORLD + fault).to(1.5)
    calls, fast = ran["calls"], ran["fast"]
    assert 0 < calls <= 8
    assert fast >= 20, "pins of the chip wait for the bottom half, but not for ever"
    ran.has_its_budget("loop 1")
    assert ran["us_max"] < 60_000, "four calls, each with a time-out and nine clocks"
    bottom = ran.threads["bottom half of interrupts"]
    assert bottom["cpu_us"] <= 0.1 * 1_500_000 + 1000
    assert all(thread["misses"] == 0 for thread in ran.result.threads())


def test_interrupt_output_stuck_active(make) -> None:
    """INT stays high although nothing has changed: it costs the share of interrupts and no more."""
    ran = make(SKETCH, "").to(0.1)
    ran.machine.pin_drive(22, 1, at=ran.machine.now)
    ran.to(1.1)
    assert ran["calls"] == 0
    ran.has_its_budget("loop 1")
    assert ran.threads["bottom half of interrupts"]["cpu_us"] <= 0.1 * 1_000_000 * 1.01 + 1000
    assert ran.world.everything()[EXPANDER].summary()["transactions"] > 100
    assert ran["ok"] > 5, "the bus is shared with the loops"
