"""pipes.schedule: which sets of periodic streams a USB bus's schedule takes, and whether what it
takes is safe."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from takt import boards
from takt.can.usb_schedule import UsbSchedule
from takt.result.pictures.panel import GRID

from . import bus, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

LOADS = (50, 60, 70, 80, 90, 95)
SETS = 200
SMALL, SMALL_INTERVAL = 8, 8
LONGEST = 1024
TAKT, ONE_BY_ONE, PAPER, LINUX = "takt", "takt-one-by-one", "algorithm1-mended", "linux-first-fit"
WAYS: dict[str, Callable[[list[bus.Stream]], bus.Offsets]] = {
    TAKT: bus.together,
    PAPER: bus.algorithm1,
    ONE_BY_ONE: bus.one_by_one,
    LINUX: bus.linux,
}
Row = dict[str, Any]


def row(case: str, metric: str, value: float, goal: float | None = None) -> Row:
    told = {"case": case, "metric": metric, "value": round(value, 2), "unit": "%"}
    return told | {"paper": None, "goal": None if goal is None else round(goal, 2)}


def powers(longest: int) -> Callable[[random.Random], int]:
    return lambda rng: 1 << rng.randint(0, longest.bit_length() - 1)


def beyond(rng: random.Random) -> int:
    return LONGEST << rng.randint(1, 5)


def percent(part: int, of: int) -> float:
    return 100 * part / of if of else 0.0


def accepted(
    name: str, load: int, sets: list[list[bus.Stream]], ways: tuple[str, ...]
) -> list[Row]:
    """The share of the sets that each takes; of these, those that overload a micro-frame."""
    found: dict[str, float] = {}
    unsafe: dict[str, float] = {}
    for way in ways:
        taken = [(one, offsets) for one in sets if (offsets := WAYS[way](one)) is not None]
        found[way] = percent(len(taken), len(sets))
        bad = sum(bus.overloaded(one, offsets, bus.LIMIT) for one, offsets in taken)
        unsafe[way] = percent(bad, len(taken))
    goals = {TAKT: found.get(PAPER), ONE_BY_ONE: found.get(LINUX)}
    rows = []
    for way in ways:
        case = f"{way}-{name}{load}"
        rows.append(row(case, "accepted_pct", found[way], goals.get(way)))
        rows.append(row(case, "unsafe_pct", unsafe[way], 0.0))
    return rows


def small(load: int, sets: list[list[bus.Stream]]) -> list[Row]:
    """Beside exhaustive search."""
    rows = accepted("small", load, sets, (TAKT, PAPER, ONE_BY_ONE, LINUX))
    exist = sum(bus.exhaustive(one) is not None for one in sets)
    return [*rows, row(f"exhaustive-small{load}", "accepted_pct", percent(exist, len(sets)))]


def as_printed() -> list[Row]:
    """Algorithm 1 word by word: of what it takes, how much overloads a micro-frame, by cause."""
    rng = random.Random(3)
    causes = {
        "whole-micro-frame": (powers(LONGEST), 1.0, bus.LIMIT),
        "any-interval": (lambda rng: rng.randint(1, LONGEST), 1.0, bus.WHOLE),
        "interval-beyond-table": (powers(LONGEST), 1.2, bus.WHOLE),
    }
    rows = []
    for cause, (interval, load, limit) in causes.items():
        sets = [bus.random_set(rng, load, bus.MOST, interval) for _ in range(SETS // 4)]
        if cause == "interval-beyond-table":
            sets = [one + bus.random_set(rng, 1.0, 10, beyond) for one in sets]
        taken = [(one, offsets) for one in sets if (offsets := bus.printed(one)) is not None]
        bad = sum(bus.overloaded(one, offsets, limit) for one, offsets in taken)
        rows.append(
            row(f"algorithm1-printed-{cause}", "accepted_pct", percent(len(taken), SETS // 4))
        )
        rows.append(row(f"algorithm1-printed-{cause}", "unsafe_pct", percent(bad, len(taken))))
    return rows


class Table:
    """First fit in the order of arrival, with streams that go again."""

    def __init__(self) -> None:
        self.used = [0] * LONGEST

    def add(self, time: int, interval: int) -> int | None:
        for offset in range(interval):
            own = self.used[offset::interval]
            if max(own) + time <= bus.LIMIT:
                self.used[offset::interval] = [ns + time for ns in own]
                return offset
        return None

    def remove(self, time: int, interval: int, offset: int) -> None:
        own = self.used[offset::interval]
        self.used[offset::interval] = [ns - time for ns in own]


def come_and_go(load: int) -> list[Row]:
    """Streams that come and go, about so many per cent of the bus asked for at any time; both are
    given the same requests."""
    rng = random.Random(4)
    schedule, table = UsbSchedule(), Table()
    live: list[tuple[bus.Stream, int, int | None]] = []
    taken = {TAKT: 0, LINUX: 0}
    asked = 0
    while asked < 20 * SETS:
        share = sum(time / of / bus.LIMIT for (time, of), _, _ in live)
        if live and share > load / 100:
            (time, of), number, offset = live.pop(rng.randrange(len(live)))
            if number:
                schedule.remove(number)
            if offset is not None:
                table.remove(time, of, offset)
            continue
        stream = (bus.random_time(rng), powers(LONGEST)(rng))
        number, offset = schedule.add(*stream)[1], table.add(*stream)
        taken[TAKT] += number > 0
        taken[LINUX] += offset is not None
        asked += 1
        live.append((stream, number, offset))
    found = {name: percent(count, asked) for name, count in taken.items()}
    return [
        row(f"{TAKT}-come-and-go{load}", "accepted_pct", found[TAKT], found[LINUX]),
        row(f"{LINUX}-come-and-go{load}", "accepted_pct", found[LINUX]),
    ]


def measure(board: boards.Board, options: Row) -> Row:
    """USB schedules: sets of streams accepted, and accepted ones that overload a micro-frame."""
    rng = random.Random(1)
    rows: list[Row] = []
    for load in LOADS:
        sets = [bus.random_set(rng, load / 100, bus.MOST, powers(LONGEST)) for _ in range(SETS)]
        rows += accepted("load", load, sets, tuple(WAYS))
    rng = random.Random(2)
    for load in LOADS[2:]:
        few = [bus.random_set(rng, load / 100, SMALL, powers(SMALL_INTERVAL)) for _ in range(SETS)]
        rows += small(load, few)
    rows += as_printed()
    for load in LOADS[1::2]:
        rows += come_and_go(load)
    config = {
        "sets": f"{SETS} for each load; endpoints of 4 to 3 x 1024 bytes, intervals 1 to {LONGEST} "
        "micro-frames; load: in per cent of the 80 % of the bus that are for periodic transfers",
        "small": f"at most {SMALL} streams, intervals up to {SMALL_INTERVAL}",
        TAKT: "all of a set together",
        ONE_BY_ONE: "in the order of arrival, nothing moves",
        LINUX: "the first offset with room, in the order of arrival, as Linux's EHCI driver",
        PAPER: "Algorithm 1 with intervals that divide the table and the limit of 80 %",
        "algorithm1-printed": "1024 entries, B = 125 us; whole-micro-frame: what it takes against "
        "the limit of 80 %; the others against the 125 us themselves, in 65536 micro-frames; "
        "interval-beyond-table: such sets with 10 longer ones on a bus used 120 us of each 125",
        "come-and-go": "requests accepted, of streams that come and go",
    }
    return {"config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Accepted over load, a line each."""
    figure, (axes,) = drawing.sheet(
        "Sets of periodic streams that a USB bus's schedule takes",
        f"{SETS} random sets for each load, in per cent of what is for periodic transfers.",
    )
    for way in WAYS:
        cases = {f"{way}-load{load}": load for load in LOADS}
        points = [
            (cases[r["case"]], r["value"])
            for r in outcome.rows
            if r["metric"] == "accepted_pct" and r["case"] in cases
        ]
        x, y = zip(*points, strict=True)
        axes.plot(x, y, "o-", label=way, linewidth=2.4 if way == TAKT else 1.2)
    axes.set_xlabel("load, % of what is for periodic transfers")
    axes.set_ylabel("sets accepted, %")
    axes.grid(color=GRID, linewidth=0.7)
    drawing.key(axes, loc="center left")
    return figure
