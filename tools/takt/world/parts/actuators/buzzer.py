"""A passive buzzer: it sounds as often a second as its pin rises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Pin, Setting

LOWEST_HZ = 20  # fewer edges a second are clicks
SAME = 0.03  # share by which periods of one note may differ: half a semitone; a single one, by more
SHORTEST = 2  # periods of a note
PAUSE = 2  # periods without a rise are silence, unless a lower note is heard
SHOWN = 100  # notes in the summary


@dataclass
class _Note:
    """Cycles from its first rise to its last, and the periods between."""

    start: int
    end: int
    periods: int = 0

    @property
    def period(self) -> float:
        return (self.end - self.start) / self.periods


def _alike(a: float, b: float) -> bool:
    """Two periods of one note."""
    return abs(a - b) <= SAME * b


class Buzzer(Part):
    """Hears what its pin plays. Reports notes: when each began (ms), its frequency (Hz), and how
    long it was (ms)."""

    kind = "buzzer"
    settings: ClassVar[dict[str, Setting]] = {"pin": Pin("the pin it hangs on", required=True)}

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.note: _Note | None = None
        self.rose: int | None = None  # the last time
        self.odd: int | None = None  # when a period began that is not one of the note's
        self.notes: list[_Note] = []
        self.clicks = 0  # rises with silence around them

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin)]

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        if not level:
            return
        before, self.rose = self.rose, cycle
        note = self.note
        if note is None or before is None or (cycle - before) * LOWEST_HZ > self.bench.hz:
            self._begin(_Note(cycle, cycle), alone=True)
        elif self.odd is not None and before - self.odd > PAUSE * note.period:
            lower = _alike(cycle - before, before - self.odd)
            self._begin(
                _Note(self.odd, cycle, 2) if lower else _Note(before, cycle, 1), alone=False
            )
        elif not note.periods or _alike(cycle - before, note.period):
            self.odd = None  # if there was one, it was jitter
            note.periods += 1 if before == note.end else 2
            note.end = cycle
        elif self.odd is None:
            self.odd = before
        elif _alike(cycle - before, before - self.odd):
            self._begin(_Note(self.odd, cycle, 2), alone=False)
        else:
            self._begin(_Note(before, cycle, 1), alone=False)

    def _begin(self, note: _Note | None, alone: bool) -> None:
        """The note before is over. alone: there is silence after it."""
        if self.note is not None and self.note.periods >= SHORTEST:
            self.notes.append(self.note)
        elif self.note is not None:
            self.clicks += alone
        self.note, self.odd = note, None

    def finish(self, cycle: int) -> None:
        self._begin(None, alone=True)

    def summary(self) -> dict[str, Any]:
        bench = self.bench
        return {
            "notes": len(self.notes),
            "clicks": self.clicks,
            "start_hz_length": [
                [bench.ms(n.start), round(bench.hz / n.period, 1), self._length_ms(n)]
                for n in self.notes[:SHOWN]
            ],
        }

    def _length_ms(self, note: _Note) -> float:
        """Also of its last period."""
        return self.bench.ms(round(note.end - note.start + note.period))
