"""Builds a random sketch with the largest budgets that admission grants."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

from sketches import Sketch
from takt import boards
from takt.build.build import Build, build
from takt.errors import UserError

SMALL = 1e-6  # a scale at which every budget is the least
STEPS = 24
NO_ROOM = ("more than", "has room for")  # for bytes, for threads
UNSEEN = "cannot be found out"  # how long a section is
LESS = (1.0, 0.97, 0.9, 0.75, 0.5)  # of what should fit, until it does


@dataclass(frozen=True)
class Fitted:
    """A sketch with its budgets, and the image."""

    sketch: Sketch
    built: Build
    folder: Path


def fit(sketch: Sketch, folder: Path) -> Fitted:
    """The largest admitted, or less, as the seed says. Without some of its threads if even the
    smallest budgets do not fit, or without sections if the build cannot see which mutex it is."""
    while True:
        sketch, first = _with_room(sketch, folder)
        found = _admitted(sketch, first, folder)
        if isinstance(found, Fitted):
            return found
        if UNSEEN in found.what:
            sketch = sketch.without_sections()
        elif len(sketch.kinds) > 1:
            sketch = sketch.smaller()
        else:
            raise found


def _admitted(sketch: Sketch, first: Build, folder: Path) -> Fitted | UserError:
    """Or what is said of it with the least of the budgets that are tried."""
    most = _largest(sketch, first) * _part(sketch)
    for less in LESS:
        sized = sketch.with_budgets(most * less)
        try:
            return Fitted(sized, _build(sized, folder, admit=True), folder)
        except UserError as error:
            said = error
            if UNSEEN in said.what:  # whatever the budgets are
                break
    return said


def _part(sketch: Sketch) -> float:
    chance = random.Random(f"part {sketch.seed}")
    return 1.0 if chance.random() < 0.6 else chance.uniform(0.5, 1.0)


def _with_room(sketch: Sketch, folder: Path) -> tuple[Sketch, Build]:
    """Threads that the board has no room for are left out."""
    while True:
        try:
            return sketch, _build(sketch.with_budgets(SMALL), folder, admit=False)
        except UserError as error:
            if len(sketch.kinds) < 2 or not any(one in error.what for one in NO_ROOM):
                raise
            sketch = sketch.smaller()


def _build(sketch: Sketch, folder: Path, admit: bool) -> Build:
    inside = folder / "sketch"
    inside.mkdir(parents=True, exist_ok=True)
    (inside / "sketch.ino").write_text(sketch.text())
    traced = sketch.seed % 2 == 0  # else as it is flashed, where switches are done at once
    return build(inside, boards.load(sketch.rule.board), traced, folder / "out", admit=admit)


def _largest(sketch: Sketch, first: Build) -> float:
    """By halving, of scales at which admission's own test admits what was built first, with other
    budgets."""
    assert first.admission and first.admission.case
    case = first.admission.case
    total = sum(kind.weight for kind in sketch.kinds if kind.scaled)

    def fits(scale: float) -> bool:
        budgets = {k.name: k.budget_us for k in sketch.with_budgets(scale).kinds if k.scaled}
        loops = [replace(t, budget_us=budgets.get(t.name, t.budget_us)) for t in case.loops]
        return replace(case, loops=tuple(loops)).fits()

    low, high = SMALL, 1.0 / total
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
