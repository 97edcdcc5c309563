"""Judges a run by its pins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pins
from fitting import Fitted, fit
from kinds import Greedy, Kind
from pins import Seen
from rules import Rule
from sketches import Sketch, draw
from takt import boards
from work import origin_candidates

SHOWN = 4  # of each kind of complaint


@dataclass
class View:
    """What kinds of threads see of a run."""

    fitted: Fitted
    seen: Seen
    start: int = 0  # when budgets began

    @property
    def sketch(self) -> Sketch:
        return self.fitted.sketch

    @property
    def rule(self) -> Rule:
        return self.sketch.rule

    @property
    def end(self) -> int:
        return self.seen.end

    @property
    def set_up(self) -> int:
        """When setup() was over."""
        assert self.seen.set_up is not None
        return self.seen.set_up

    @property
    def said(self) -> bytes:
        return self.seen.said

    def edges(self, pin: int) -> np.ndarray:
        return self.seen.of(pin)

    def cycles(self, us: float) -> int:
        return self.seen.cycles(us)

    def us(self, cycles: np.ndarray | float) -> np.ndarray:
        return np.asarray(cycles) * 1e6 / self.seen.hz

    def bound(self, name: str) -> int:
        """What check said: the claim that is judged."""
        assert self.fitted.built.admission
        found = self.fitted.built.admission.bound_us(name)
        assert found is not None, name
        return found

    def event_bound(self, name: str) -> int | None:
        return next((e.bound.safe_us for e in self.fitted.built.events if e.handler == name), None)

    def is_first(self, kind: Kind) -> bool:
        """Whether no thread has a shorter period, or the same and comes before."""
        loops = self.fitted.built.admission.loops if self.fitted.built.admission else ()
        return bool(loops) and loops[0].name == kind.name


def start_of(view: View) -> int:
    """When budgets began: not known to the microsecond, so what suits the program best."""
    kinds = view.sketch.kinds
    width = view.cycles(view.rule.origin_us)
    greedy = [kind for kind in kinds if isinstance(kind, Greedy)]

    def short(start: int) -> int:
        view.start = start
        return sum(len(kind.judge(view)) for kind in greedy)

    return min(map(int, origin_candidates(view.set_up, width)), key=short)


def found_itself(view: View) -> list[str]:
    """What the sketch says of itself: the pin that rises at the end of setup() falls then."""
    falls = view.edges(pins.SETUP_ENDS)[1:]
    return [
        f"the sketch found at {view.us(at):.1f} us two in a section at once, or a byte that is not "
        "the next"
        for at in falls[:1]
    ]


def ended(seen: Seen) -> str:
    """Why nothing else can be asked of a run; empty: it can."""
    if seen.stopped or b"takt: fatal" in seen.said:
        return f"it stopped: {seen.stopped} {seen.said[-300:].decode('latin-1')}"
    return "setup() did not end" if seen.set_up is None else ""


def judge(fitted: Fitted, seen: Seen) -> list[str]:
    """What fell short, in words; empty: nothing."""
    if early := ended(seen):
        return [early]
    view = View(fitted, seen)
    view.start = start_of(view)
    found = found_itself(view)
    for kind in view.sketch.kinds:
        said = kind.judge(view)
        found += said[:SHOWN]
        if len(said) > SHOWN:
            found.append(f"{kind.name}: and {len(said) - SHOWN} more")
    return found


def run(fitted: Fitted) -> Seen:
    sketch = fitted.sketch
    board = boards.load(sketch.rule.board)
    return pins.run(board, fitted.built.elf, sketch.seconds, sketch.bursts, sketch.sent)


@dataclass(frozen=True)
class Verdict:
    """Of one seed."""

    fitted: Fitted
    short: list[str]

    def __str__(self) -> str:
        sketch = self.fitted.sketch
        lines = [f"seed {sketch.seed} on {sketch.rule.board}:", *self.short, "", sketch.text()]
        again = f"tests/judge/again.py {sketch.seed} --board {sketch.rule.board}"
        return "\n".join([*lines, f"again: .venv/bin/python {again}"])


def verdict(seed: int, board: str, folder) -> Verdict:
    """Draws, builds, runs, judges."""
    fitted = fit(draw(seed, board), folder)
    return Verdict(fitted, judge(fitted, run(fitted)))
