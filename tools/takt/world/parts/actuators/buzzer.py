"""A passive buzzer: it sounds as often a second as its pin rises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Pin, Setting

LOWEST_HZ = 20  # fewer edges a second are clicks
SAME = 0.03  # share by which periods of one note may differ: half a semitone
SHORTEST = 2  # periods of a note
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


class Buzzer(Part):
    """Hears what its pin plays. Reports notes: when each began (ms), its frequency (Hz), and how
    long it was (ms)."""

    kind = "buzzer"
    settings: ClassVar[dict[str, Setting]] = {"pin": Pin("the pin it hangs on", required=True)}

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.note: _Note | None = None
        self.notes: list[_Note] = []
        self.clicks = 0  # rises with silence around them

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin)]

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        if not level:
            return
        note = self.note
        if note is None or (cycle - note.end) * LOWEST_HZ > self.bench.hz:
            self._begin(cycle, cycle)
        elif note.periods and abs(cycle - note.end - note.period) > SAME * note.period:
            self._begin(note.end, cycle)
        else:
            note.end, note.periods = cycle, note.periods + 1

    def _begin(self, start: int, now: int) -> None:
        """Another note; one whose first period is over already has two rises."""
        self._keep(alone=start == now)
        self.note = _Note(start, now, int(now > start))

    def _keep(self, alone: bool) -> None:
        """The note is over. alone: there is silence after it; else an odd period between two."""
        if self.note is None:
            return
        if self.note.periods >= SHORTEST:
            self.notes.append(self.note)
        else:
            self.clicks += alone

    def finish(self, cycle: int) -> None:
        self._keep(alone=True)
        self.note = None

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
