"""AVR: a timer that is brought up to date when somebody looks, against one that ticks."""

from __future__ import annotations

import random

import bare_avr as r
import pytest
from bare_avr import bare


class Ticks:
    """Timer 0 tick by tick, without a prescaler."""

    def __init__(self, mode: int, ocr: list[int]) -> None:
        self.mode, self.ocr, self.written = mode, [*ocr], [*ocr]
        self.count = self.flags = 0
        self.down = False

    @property
    def top(self) -> int:
        return self.ocr[0] if self.mode in (2, 5, 7) else 255

    def tick(self) -> None:
        left = self.count
        for k in range(2):
            self.flags |= (left == self.ocr[k]) << 1 + k
        if self.mode in (1, 5):
            self._dual(left)
            return
        over = left == (self.top if self.mode in (3, 7) else 255)
        self.count = 0 if left in (self.top, 255) else left + 1
        self.flags |= over
        if over and self.mode in (3, 7):
            self.ocr = [*self.written]

    def _dual(self, left: int) -> None:
        top = self.top
        if not self.down and left in (top, 255):
            self.down, self.count = True, left - 1
            self.ocr = [*self.written] if left == top else self.ocr
        elif self.down and left == 0:
            self.down, self.count = False, 1
            self.flags |= 1
        else:
            self.count += -1 if self.down else 1


@pytest.mark.parametrize("mode", [0, 1, 2, 3, 5, 7])
@pytest.mark.parametrize("listens", [0, 7])
def test_against_a_timer_that_ticks(mode: int, listens: int) -> None:
    """Looked at and told new compare values now and then, with events and without."""
    chance = random.Random(mode)
    values = [chance.randrange(3, 256), chance.randrange(256)]
    m, model = bare(), Ticks(mode, values)
    m.put(r.TIMSK0, listens)  # nobody takes the interrupts
    m.put(r.OCR0A, values[0])
    m.put(r.OCR0B, values[1])
    m.put(r.TCCR0A, mode & 3)
    m.put(r.TCCR0B, 1 | (mode & 4) << 1)
    at = m.now + 1
    for _ in range(300):
        m.wait(chance.choice([2, 10, 100, 300, 1100, 5000]))
        while at < m.now:
            model.tick()
            at += 1
        assert (m.get(r.TCNT0), m.get(r.TIFR0)) == (model.count, model.flags)
        if chance.random() < 0.5:
            m.put(r.TIFR0, 7)
            model.flags = 0
        elif chance.random() < 0.4:
            k, value = chance.randrange(2), chance.randrange(3, 256)
            m.wait(2)
            while at < m.now + 1:  # the write ends its cycle
                model.tick()
                at += 1
            m.put(r.OCR0A + k, value)
            model.written[k] = value
            if mode in (0, 2):
                model.ocr[k] = value
