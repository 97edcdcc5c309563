"""The project's own copies of programs that once showed a defect (found/), built and run."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import command
import numpy as np
import pins
from pins import Burst, Seen
from rules import RULES, Rule
from takt import boards
from takt.build.build import Build, build
from work import Work, origin_candidates, work_of

PROGRAMS = Path(__file__).resolve().parent / "found"


def source(name: str) -> Path:
    """The one file of a program."""
    return next(file for file in (PROGRAMS / name).iterdir() if file.stem == name)


def written(name: str, folder: Path, changes: dict[str, str]) -> Path:
    """A copy in a folder of its own, parts of its text replaced, each of which is there."""
    text = source(name).read_text()
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    own = folder / name
    own.mkdir(parents=True, exist_ok=True)
    (own / source(name).name).write_text(text)
    return own


@dataclass(repr=False)
class Program:
    """One of them on a board."""

    built: Build
    rule: Rule

    def run(self, seconds: float, *bursts: Burst) -> Seen:
        seen = pins.run(self.built.board, self.built.elf, seconds, list(bursts))
        assert not seen.stopped, f"{seen.stopped}; {seen.said.decode('latin-1')}"
        return seen

    def bound(self, name: str) -> int:
        assert self.built.admission
        found = self.built.admission.bound_us(name)
        assert found is not None
        return found

    def least(self, seen: Seen, pin: int, period_us: int) -> float:
        """Microseconds of work in the worst window, from the instant on that suits it best."""
        work = known(seen, pin)
        assert seen.set_up is not None, "setup() did not end"
        width = seen.cycles(self.rule.origin_us)
        length = seen.cycles(period_us)
        count = (seen.end - seen.set_up - width) // length
        starts = origin_candidates(seen.set_up, width)
        return max(seen.us(work.within(int(at), length, count).min()) for at in starts)

    def wanted(self, budget_us: int) -> float:
        """Of work in every window."""
        return self.rule.share * budget_us - self.rule.less_us

    def has(self, seen: Seen, pin: int, budget_us: int, period_us: int) -> None:
        """No window holds less."""
        least, wanted = self.least(seen, pin, period_us), self.wanted(budget_us)
        text = f"the worst window holds {least:.1f} us of work, {wanted:.1f} are promised"
        assert least >= wanted, text


def program(name: str, board: str, folder: Path, trace: bool = True, **changes: str) -> Program:
    """Admitted and built. changes: replacements of its text, see written()."""
    own = written(name, folder, changes)
    built = build(own, boards.load(board), trace, out=folder / "out")
    return Program(built, RULES[board])


def known(seen: Seen, pin: int) -> Work:
    work = work_of(seen.of(pin))
    assert work is not None, f"no work to be seen on pin {pin}"
    return work


def preempted(seen: Seen, pin: int) -> int:
    """How many units were interrupted: at least so often did something come in between."""
    work = known(seen, pin)
    return int(np.count_nonzero(np.diff(work.edges) > work.units[:-1] + seen.cycles(1)))


def takt(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The command line as a user has it."""
    return command.takt(*words, COLUMNS="200")
