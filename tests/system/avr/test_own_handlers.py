"""Handlers that the kernel does not know, by ISR() of avr-libc, wake the CPU often; loops with
budgets go on as without them, by their pins."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from takt import boards
from takt.build.build import build
from takt.machine.machines import machine_of
from takt.world import world

HZ = 16_000_000
SKETCH = """
#include <Takt.h>
ISR(TIMER2_COMPA_vect) {}
void setup() {
  pinMode(3, OUTPUT);
  TCCR2A = _BV(WGM21);
  TCCR2B = _BV(CS21);
  OCR2A = %d;
  TIMSK2 = _BV(OCIE2A);
}
void loop(1, 3_ms, 20_ms) {
  static int n;
  delay(1 + n++ %% 15);
  digitalWrite(3, HIGH);
  delayMicroseconds(500);
  digitalWrite(3, LOW);
}
"""


@pytest.mark.parametrize("us", [10, 15, pytest.param(30, marks=pytest.mark.smoke), 100])
def test_a_loop_wakes_in_time(us: int, write: Callable) -> None:
    """An eighth of the clock is half a microsecond; the handler takes 2 us each time."""
    target = boards.load("uno")
    machine = machine_of(target)
    machine.load_elf(build(write("own", SKETCH % (2 * us - 1)), target, trace=False).elf)
    machine.log_pin(world.empty(target).chip[3])
    machine.run(2 * HZ)
    edges = [(cycle, level) for cycle, _, level, *_ in machine.pin_edges()]
    pairs = pairwise(edges)
    works = [(fall - rise) / 16 for (rise, level), (fall, _) in pairs if level]
    assert len(works) > 200
    assert min(works) > 500 and max(works) < 1000  # and never until its budget comes again
    slept = [after - before for before, after in pairwise(c for c, level in edges if level)]
    assert max(slept) < 17 * HZ / 1000
