"""Figure 5: cost of digitalWrite() and digitalRead(), and how often interrupts may come."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from takt import boards
from takt.build.build import Build
from takt.cli.labs.lab import Outcome, row

from . import drawing
from .cases import Defines, Session, built, each

BOARDS = ("pico",)  # and the galileo for some cases
TIMES = 4000  # as in the sketch, and edges of the interrupt's pin
IO_LIMIT_MILLION, START_MS, REST_MS = 2500, 20, 100
INTERRUPT_PIN = 2
SLOWEST_US, RATIO, CHECKS = 16_000.0, 1.03, 8

# Case -> what its sketch is, and on which board.
CASES: dict[str, tuple[str, Defines]] = {
    "direct": ("pico", {}),
    "galileo": ("galileo", {}),
    "baseline-single-loop": ("pico", {"POLL": 1}),
    "baseline-no-budgets": ("pico", {"NO_BUDGETS": 1, "IN_INTERRUPT": 1}),
    "direct-30-percent": ("pico", {"LARGE_BUDGET": 1}),
}


def _io_cycles(program: Build) -> float:
    """Cycles of one call, its share of the loop around it included."""
    session = Session(program)
    session.log("mark")
    seen: list[int] = []

    def ended() -> bool:
        seen.extend(cycle for cycle, _, value in session.machine.stores() if value)
        return len(seen) == 2

    session.until(ended, IO_LIMIT_MILLION)
    return (seen[1] - seen[0]) / TIMES


def _received(program: Build, edges: int, distance: int) -> int:
    """How often the handler is called for edges `distance` cycles from each other."""
    session = Session(program)
    session.run(session.cycles(START_MS))
    begin = session.machine.now
    for edge in range(1, edges + 1):
        session.bench.drive(INTERRUPT_PIN, edge & 1, begin + edge * distance)
        if edge % 500 == 0:
            session.run(begin + edge * distance)
    session.run(begin + edges * distance + session.cycles(REST_MS))
    return session.word("received")


def _rate(program: Build, edges: int) -> float:
    """The highest rate at which no edge is lost, nor at several lower ones."""
    hz = program.board.clock_hz

    def lossless(us: float) -> bool:
        return _received(program, edges, round(us * hz / 1e6)) == edges

    good, bad = SLOWEST_US, 0.0
    if not lossless(good):
        return 0.0
    while bad == 0.0 or good / bad > RATIO:
        middle = (good * bad) ** 0.5 if bad else good / 4
        if middle < 0.1:
            break
        good, bad = (middle, bad) if lossless(middle) else (good, middle)
    for step in range(1, CHECKS):  # a longer distance must do as well
        longer = good * (1 + step / CHECKS)
        if not lossless(longer):
            good = longer * (1 + 1 / CHECKS)
    return 1e6 / good


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Cost of pin I/O and loss-free interrupt rate (Figure 5), direct and behind an expander."""
    edges = int(options.get("edges", TIMES))
    cases = [case for case in CASES if CASES[case][0] in boards.names()]

    def values(case: str) -> tuple[float | None, float | None, float]:
        on, defines = CASES[case]
        where = boards.load(on)
        write = built(
            "fig5", f"{case}-write", where, defines | {"WHAT_WRITE": 1, "WHAT_INTERRUPTS": 0}
        )
        read = built(
            "fig5", f"{case}-read", where, defines | {"WHAT_READ": 1, "WHAT_INTERRUPTS": 0}
        )
        rate = built("fig5", f"{case}-rate", where, defines)
        return _io_cycles(write), _io_cycles(read), _rate(rate, edges)

    rows = []
    for case, found in zip(cases, each(values, cases, board.name, trace=False), strict=True):
        write, read, rate = found
        rows.append(row(case, "digital_write_cycles", write, "cycles"))
        rows.append(row(case, "digital_read_cycles", read, "cycles"))
        rows.append(row(case, "irq_rate_max_hz", rate, "Hz"))
    config = {
        "times": TIMES,
        "edges": edges,
        "cycles": "of one call, the loop around it included",
        "rate": "highest at which every edge calls the handler; no longer distance loses one",
        "handler": "attachInterrupt(): 5 % of the CPU for interrupts, 5 % for handlers",
        "clock_hz": board.clock_hz,
    }
    return {"board": board.name, "config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Bars, as in the paper."""
    figure, panels = drawing.sheet(
        "Pin I/O and interrupts: what they cost, and how fast they may come (Figure 5)",
        "Takt on a 125 MHz Cortex-M0+ (blue), baselines on the same kernel (orange). Direct: pins "
        "of the chip; galileo: pins behind an I2C expander, as in the paper.",
        3,
    )
    parts = (
        ("digital_write_cycles", "digitalWrite(), cycles a call"),
        ("digital_read_cycles", "digitalRead(), cycles a call"),
        ("irq_rate_max_hz", "interrupts without loss, Hz"),
    )
    for axes, (metric, title) in zip(panels, parts, strict=True):
        names = drawing.cases(outcome, metric)
        values = [drawing.value(outcome, name, metric) for name in names]
        labels = [drawing.label(name) for name in names]
        drawing.bars(axes, labels, values, [drawing.colour(name) for name in names])
        axes.set_xscale("log")
        axes.set_xlim(10, max(v or 0 for v in values) * 12)
        drawing.heading(axes, title)
        if axes is not panels[0]:
            axes.set_yticklabels([])
    return figure
