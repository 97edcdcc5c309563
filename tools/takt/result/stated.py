"""Whether sections with interrupts off are as short as the program states, measured: from where one
begins the machine records stretches with interrupts off, until the section's own has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from takt.admit.blocking import ALL
from takt.code.facts import Facts
from takt.durations import duration_text

if TYPE_CHECKING:
    from takt.admit.blocking import Held
    from takt.code.elf import Program

MOST = 12  # sections that are looked at, for break addresses are few
OURS = "takt_"  # what bodies of loops are called by
ROUNDED_US = 1


class Stated:
    """Of one program on one machine."""

    def __init__(self, machine: Any, program: Program, held: tuple[Held, ...]) -> None:
        self.machine, self.program = machine, program
        able = getattr(machine, "sees_delivery", False)
        stated = {h.at: h for h in held if h.stated and h.us and h.ceiling == ALL}
        self.sections: dict[int, Held] = dict(list(stated.items())[:MOST]) if able else {}
        self.left_out = len(stated) - len(self.sections) if able else 0
        self.longest: dict[int, int] = {}  # cycles, by where it begins
        self._begun: Held | None = None
        masks = Facts(program).functions("masks") if self.sections else set()
        self._masks = {program.function_at(at) for at in masks}
        for at in self.sections:
            machine.break_at(at)

    def took(self, stop: Any) -> bool:
        """Whether the machine has stopped for this, and may go on."""
        if not self.sections or stop is None or stop.reason != "break":
            return False
        begins = self.sections.get(self.machine.pc & ~1)
        if begins is None:
            return False
        self.look()
        self._begun = begins
        self.machine.log_masked(True)
        return True

    def look(self) -> None:
        """Takes what has been recorded since it looked last."""
        if self._begun is None:
            return
        own = self.program.function_at(self._begun.at)
        for stretch in self.machine.masked():
            begins = self.program.function_at(stretch.start)
            if begins is not None and (begins == own or begins in self._masks):
                before = self.longest.get(self._begun.at, 0)
                self.longest[self._begun.at] = max(before, stretch.cycles)
                self._begun = None
                self.machine.log_masked(False)
                self.machine.masked()
                return

    def told(self) -> list[str]:
        """A warning, if some are not looked at."""
        if not self.left_out:
            return []
        were = "section was" if self.left_out == 1 else "sections were"
        return [f"{self.left_out} stated {were} not measured: a run measures {MOST}"]

    def broken(self, hz: int) -> list[str]:
        """Those that have lasted longer than that."""
        self.look()
        found = []
        for at, cycles in self.longest.items():
            held, us = self.sections[at], cycles * 1e6 / hz
            if us > (held.us or 0) + ROUNDED_US:
                name = held.function or "a section"
                place = f"at {held.where}" if name.startswith(OURS) else f"in {name}"
                stated = duration_text(held.us or 0)
                found.append(f"section {place}: stated {stated}, lasted {duration_text(us)}")
        return found
