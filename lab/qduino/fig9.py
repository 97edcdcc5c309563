"""Figure 9 and Table V: from the interrupt to its handler, seen and bounded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from takt import boards
from takt.admit.admit_library import Delivery
from takt.admit.events import PINS_VCPU, Interrupts, costs_of
from takt.build.build import Build
from takt.cli.labs.lab import Outcome, row
from takt.machine.wave import Random
from takt.result.pictures.panel import GRID
from takt.result.trace import decode

from . import drawing
from .cases import Defines, Session, built, each

BOARDS = ("pico",)  # and the galileo for some cases
PIN = 2
SECONDS, SLICE_MS, START_MS = 60, 10, 10
DEVICE_NS = 2_330_000  # the bottom half, as in the paper and in the sketch
LONGEST_US = 2300  # between two edges; the shortest is that of 477 kHz
SHORTEST_HZ = 477_000
SEED = 2015
DELIVER = 15  # TAKT_EV_DELIVER
GOAL_RATIO = 2
# Table V: C and T of the I/O VCPU, C and T of the handler, ms.
TABLE = {
    1: (2, 10, 3, 10),
    2: (1, 10, 3, 10),
    3: (3, 10, 3, 10),
    4: (2, 10, 2, 10),
    5: (2, 10, 3, 20),
}


@dataclass(frozen=True)
class Case:
    name: str
    board: str
    number: int
    defines: Defines

    def all_defines(self) -> Defines:
        names = ("IO_C", "IO_T", "HANDLER_C", "HANDLER_T")
        return dict(zip(names, TABLE[self.number], strict=True)) | self.defines


@dataclass(frozen=True)
class Seen:
    """Times of delivery in us, and the bounds for them."""

    times: np.ndarray
    bound: Delivery | None
    steps: int  # of the greedy loop


def _cases() -> list[Case]:
    found = [Case(f"case-{n}", "pico", n, {}) for n in TABLE]
    if "galileo" in boards.names():
        found += [Case(f"galileo-case-{n}", "galileo", n, {"WITH_DEVICE": 0}) for n in TABLE]
    in_interrupt: Defines = {"WITH_DEVICE": 0, "IN_INTERRUPT": 1}
    return [
        *found,
        Case("baseline-single-loop", "pico", 1, {"WITH_DEVICE": 0, "POLL": 1}),
        Case("baseline-no-budgets", "pico", 1, {"NO_BUDGETS": 1} | in_interrupt),
    ]


def bounds_of_device(program: Build) -> Delivery:
    """Those of the sketch's own device: what the build computes for pins, with its bottom half."""
    case = program.admission.case if program.admission else None
    assert case is not None
    bottom = next(thread for thread in program.threads if thread.share)
    handler = next(thread for thread in program.threads if thread.name == "handler")
    costs = costs_of(program.board)
    costs = replace(costs, bottom_ns=(DEVICE_NS + sum(costs.bottom_ns),))
    pins = replace(bottom, vcpu=PINS_VCPU)
    device = Interrupts((pins,), pins, (handler,), 1, costs)
    whole = (*case.interrupts, *device.tops())
    return device.events(replace(case, ios=tuple(device.ios()), interrupts=whole))[0].bound


def _wave(session: Session) -> None:
    distances = (session.hz // SHORTEST_HZ, session.hz * LONGEST_US // 1_000_000)
    session.bench.wave(PIN, Random(session.cycles(START_MS), *distances, SEED))


def _delivered(session: Session, seconds: float) -> np.ndarray:
    """As the kernel traces it when the handler's thread takes an event."""
    traced = bytearray()
    while session.machine.now < session.cycles(1000 * seconds):
        session.run(session.machine.now + session.cycles(SLICE_MS))
        traced += session.machine.rtt_take(1)
    trace = decode(bytes(traced))
    assert not trace.lost
    return trace.value[trace.kind == DELIVER] & 0xFFFFFF


def _polled(session: Session, seconds: float) -> np.ndarray:
    """Without a bottom half: from the first edge not seen before to its handler."""
    session.log("polled")
    session.log("handled")
    session.machine.log_pin(PIN, True, inputs=True)
    polled = session.machine.symbol("polled")
    looks, calls, edges = [], [], []
    while session.machine.now < session.cycles(1000 * seconds):
        session.machine.run(session.machine.now + session.cycles(SLICE_MS))
        edges += [cycle for cycle, pin, _ in session.machine.pin_edges() if pin == PIN]
        for cycle, address, value in session.machine.stores():
            if value:
                (looks if address == polled else calls).append(cycle)
    first = np.searchsorted(edges, [0, *looks[:-1]], side="right")
    return (np.array(calls) - np.array(edges)[first[: len(calls)]]) * 1e6 / session.hz


def _run(case: Case, seconds: float) -> Seen:
    polled = case.name.startswith("baseline")
    where = boards.load(case.board)
    program = built("fig9", case.name, where, case.all_defines(), trace=not polled)
    session = Session(program)
    _wave(session)
    times = (_polled if polled else _delivered)(session, seconds)
    if polled:
        bound = None
    elif case.board == "galileo":
        bound = program.events[0].bound
    else:
        bound = bounds_of_device(program)
    return Seen(times, bound, session.word("steps"))


def _rows(case: Case, seen: Seen) -> list[dict[str, Any]]:
    longest = float(seen.times.max())
    bound = seen.bound
    found = [
        row(case.name, "delivery_max_us", longest, "us", None, bound.safe_us if bound else None),
        row(case.name, "delivery_mean_us", mean(seen.times.tolist()), "us"),
        row(case.name, "events", len(seen.times), ""),
        row(case.name, "loop_steps", seen.steps, ""),
    ]
    if bound and bound.safe_us is not None:
        found += [
            row(case.name, "bound_safe_us", bound.safe_us, "us", None, GOAL_RATIO * longest),
            row(case.name, "bound_paper_us", bound.paper_us, "us"),
            row(case.name, "bound_over_max", bound.safe_us / longest, "", None, GOAL_RATIO),
        ]
    return found


def _histogram(times: np.ndarray) -> list[list[float]]:
    """Counts of 40 classes, and their borders."""
    counts, borders = np.histogram(times, bins=40)
    return [counts.tolist(), [round(float(b), 1) for b in borders]]


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Delivery of events to handlers (Figure 9, Table V): longest seen, and the bounds."""
    seconds = float(options.get("seconds", SECONDS))
    cases = [c for c in _cases() if c.name in options.get("cases", [c.name])]
    found = each(lambda case: _run(case, seconds), cases, board.name, trace=True)
    rows = [line for case, seen in zip(cases, found, strict=True) for line in _rows(case, seen)]
    config = {
        "seconds": seconds,
        "edges": f"random, {1e6 / SHORTEST_HZ:.1f} us to {LONGEST_US / 1000} ms apart",
        "bottom_half_us": DEVICE_NS / 1000,
        "io_and_handler_ms": {f"case-{n}": values for n, values in TABLE.items()},
        "time": "from the entry of the top half until the handler's thread takes the event; "
        "baselines: from the edge until the handler is called",
        "histograms": {
            case.name: _histogram(seen.times) for case, seen in zip(cases, found, strict=True)
        },
    }
    return {"board": board.name, "config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Observed and bounds, as in the paper; the observed with their distribution."""
    figure, panels = drawing.sheet(
        "From the interrupt to its handler, seen and bounded (Figure 9)",
        "Time from the interrupt to the handler, for the budgets of Table V (I/O VCPU, handler; "
        "ms). Shade: how often; blue line: longest seen.",
        2,
        sharey=True,
    )
    kinds = {
        "case": "bottom half of 2.33 ms CPU time, as in the paper",
        "galileo-case": "the galileo: bottom half reads the expander by I2C",
    }
    for axes, (prefix, title) in zip(panels, kinds.items(), strict=True):
        names = [f"{prefix}-{n}" for n in TABLE]
        for at, name in enumerate(names):
            if drawing.value(outcome, name, "delivery_max_us") is not None:
                _column(axes, at, outcome, name)
        texts = ["{}/{}, {}/{}".format(*TABLE[n]) for n in TABLE]
        texts = [f"case {n}\n{text}" for n, text in zip(TABLE, texts, strict=True)]
        axes.set_xticks(range(len(TABLE)), texts)
        axes.grid(axis="y", color=GRID, linewidth=0.7)
        drawing.heading(axes, title)
    panels[0].set_ylabel("ms", fontsize=9)
    panels[0].set_ylim(0, None)
    handles, labels = panels[0].get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    panels[1].legend(once.values(), once.keys(), frameon=False, fontsize=8.5, loc="upper left")
    return figure


def _column(axes: Axes, at: int, outcome: Outcome, name: str) -> None:
    counts, borders = outcome.config["histograms"][name]
    for count, low, high in zip(counts, borders, borders[1:], strict=False):
        alpha = min(1.0, 0.12 + 3 * count / sum(counts)) if count else 0
        axes.bar(
            at - 0.2,
            (high - low) / 1000,
            0.36,
            low / 1000,
            color=drawing.TAKT,
            alpha=alpha,
            linewidth=0,
        )
    marks = (
        ("delivery_max_us", -0.2, drawing.TAKT, "longest seen"),
        ("bound_safe_us", 0.2, drawing.GOAL, "safe bound"),
        ("bound_paper_us", 0.2, drawing.PAPER, "paper's bound (Eq. 3)"),
    )
    for metric, aside, colour, text in marks:
        ms = (drawing.value(outcome, name, metric) or 0) / 1000
        width = 0.36
        if metric == "bound_safe_us":
            axes.bar(at + aside, ms, width, color=colour, alpha=0.18)
        axes.plot([at + aside - width / 2, at + aside + width / 2], [ms, ms], color=colour,
                  linewidth=2.2, label=text)  # fmt: skip
        axes.annotate(f"{ms:.1f}", (at + aside, ms), xytext=(0, 3), textcoords="offset points",
                      ha="center", fontsize=8, color=colour)  # fmt: skip
