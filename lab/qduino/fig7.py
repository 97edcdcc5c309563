"""Figure 7 and Table III: pin I/O that waits for a bus and a computation, in one loop or in two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from takt import boards
from takt.cli.labs.lab import Outcome, row

from . import drawing
from .cases import Defines, Session, built, each

LIMIT_MILLION = 7500  # cycles
BOARD = "galileo"
BOARDS = ("pico", BOARD)  # pico: that which qduino.all is told
PERIOD_US, STEP_US = 500_000, 100
PAPER_PRIME_US, PAPER_WRITE_US = 495_000, 3_000
# A budget with which the loop that writes never waits for its own: waking costs budget.
ENOUGH_US = 90_000
SINGLE: dict[str, Defines] = {
    "case-1": {"MULTI_LOOP": 0, "WITH_PRIMES": 0},
    "case-2": {"MULTI_LOOP": 0, "WITH_WRITES": 0},
    "case-3": {"MULTI_LOOP": 0},
}


@dataclass(frozen=True)
class Case:
    name: str
    defines: Defines
    tasks: int = 2


def largest_us(board: boards.Board, write_us: int | None) -> int:
    """The largest budget that is admitted for findPrime, beside that of the loop that writes; or
    for the only loop there is."""
    if write_us is None:
        name, defines = "loop 1", SINGLE["case-3"] | {"SINGLE_US": 100_000}
    else:
        name, defines = "loop 2", {"WRITE_US": write_us, "PRIME_US": 100_000}
    program = built("fig7", f"probe-{write_us or 'single'}", board, defines)
    case = program.admission.case if program.admission else None
    assert case is not None
    index = [loop.name for loop in case.loops].index(name)
    good, bad = 100_000, PERIOD_US
    while bad - good > STEP_US:
        middle = (good + bad) // 2
        fits = case.change(index, budget_us=middle).fits()
        good, bad = (middle, bad) if fits else (good, middle)
    return good // STEP_US * STEP_US


def _paper_verdict(board: boards.Board) -> str:
    """What admission says of the paper's budgets."""
    defines: Defines = {"WRITE_US": PAPER_WRITE_US, "PRIME_US": PAPER_PRIME_US}
    program = built("fig7", "paper", board, defines, admit=False)
    return program.admission.explain() if program.admission else ""


def _cycles(board: boards.Board, case: Case) -> int:
    """From the end of setup() to the end of the last task."""
    session = Session(built("fig7", case.name, board, case.defines))
    for name in ("mark", "ended"):
        session.log(name)
    seen: list[int] = []

    def finished() -> bool:
        seen.extend(cycle for cycle, _, value in session.machine.stores() if value)
        return len(seen) == 1 + case.tasks

    session.until(finished, LIMIT_MILLION, step_ms=50)
    return seen[-1] - seen[0]


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """2000 digitalWrite() behind an I2C bus, and findPrime (Figure 7, Table III)."""
    where = boards.load(BOARD)
    single_us = largest_us(where, None)
    primes = {write: largest_us(where, write) for write in (PAPER_WRITE_US, ENOUGH_US)}
    multi: dict[str, Defines] = {
        "case-4": {"WRITE_US": PAPER_WRITE_US, "PRIME_US": primes[PAPER_WRITE_US]},
        "case-4-enough": {"WRITE_US": ENOUGH_US, "PRIME_US": primes[ENOUGH_US]},
        "baseline-no-budgets": {"NO_BUDGETS": 1},
    }
    cases = [
        Case(name, defines | {"SINGLE_US": single_us}, 2 if name == "case-3" else 1)
        for name, defines in SINGLE.items()
    ]
    cases += [Case(name, defines) for name, defines in multi.items()]
    found = each(lambda case: _cycles(where, case), cases, BOARD, trace=False)
    took = {case.name: cycles for case, cycles in zip(cases, found, strict=True)}
    rows = [row(name, "cycles", cycles, "cycles") for name, cycles in took.items()]
    rows.append(row("baseline-single-loop", "cycles", took["case-3"], "cycles"))
    for name in multi:
        gain = 100 * (took["case-3"] - took[name]) / took["case-3"]
        paper = 31 if name.startswith("case-4") else None
        rows.append(row(name, "faster_than_single_loop_pct", gain, "%", paper))
    config = {
        "single_loop_us_per_500_ms": single_us,
        "writes_us_per_500_ms": {name: d.get("WRITE_US") for name, d in multi.items()},
        "primes_us_per_500_ms": {name: d.get("PRIME_US") for name, d in multi.items()},
        "paper": "single loop 498 ms; findPrime 495 ms and I/O 3 ms in every 500 ms",
        "paper_verdict": _paper_verdict(where),
        "budgets": "the largest that are admitted",
    }
    return {"board": BOARD, "config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Bars, as in the paper."""
    texts = {
        "case-1": "Case 1: digitalWrite()",
        "case-2": "Case 2: findPrime",
        "case-3": "Case 3: both in a single loop",
        "case-4": "Case 4: a loop each, 3 ms for writing",
        "case-4-enough": "Case 4: a loop each, 90 ms for writing",
        "baseline-no-budgets": "Baseline: a thread each, no budgets",
    }
    figure, (axes,) = drawing.sheet(
        "Pin I/O and a computation, in one loop and in two (Figure 7)",
        "Time for 2000 digitalWrite() behind an I2C expander, and findPrime; budgets in every 500 "
        "ms. In the paper case 4 is 31 % faster than case 3.",
    )
    values = [(drawing.value(outcome, name, "cycles") or 0) / 1e6 for name in texts]
    colours = [
        drawing.BASELINE if n in ("case-3", "baseline-no-budgets") else drawing.TAKT for n in texts
    ]
    drawing.bars(axes, list(texts.values()), values, colours, "{:.1f}")
    for at, name in enumerate(texts):
        gain = drawing.value(outcome, name, "faster_than_single_loop_pct")
        if gain is not None:
            said = f"{gain:.0f} % faster than case 3"
            axes.text(1.5, at, said, va="center", color="white", fontsize=9)
    axes.set_xlabel("million cycles (125 = 1 s)", fontsize=9)
    return figure
