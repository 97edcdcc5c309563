"""The runs of this lab: systems, scenarios of Table II, seeds; and what is seen in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

from takt.cli import console
from takt.cli.labs.lab import row
from takt.errors import UserError

from . import linux_guest, plan, record, takt_guest
from .debian import NotSetUp
from .scenario import COUNT_US, LOOP_BUDGET_US, LOOP_PERIOD_US, START_MS, TABLE2, Scenario
from .simulate import kept, made, run
from .told import Told

SEEDS, JOBS = 10, 1
HERE = "run here"
System = linux_guest.Linux | takt_guest.Takt


@dataclass(frozen=True)
class Seen:
    """One run, and the frames that were on the buses for its readers."""

    told: Told
    frames: dict[int, int]
    scenario: Scenario
    where: str = HERE

    @property
    def overruns(self) -> int:
        return self.told.device["overruns"]

    @property
    def lost(self) -> int:
        """Frames of the buses that no reader got."""
        read = {channel: one.received for channel, one in self.told.channels.items()}
        return sum(self.frames[channel] - got for channel, got in read.items())

    def latest_us(self) -> int:
        return max((one.latest_us for one in self.told.channels.values()), default=0)

    @property
    def expected_count(self) -> float:
        """What a loop counts to in its budget."""
        return self.scenario.seconds * 1_000_000 / LOOP_PERIOD_US * LOOP_BUDGET_US / COUNT_US

    def loop_errors_pct(self) -> list[float]:
        """Of each loop's count, against its budget; above 0: it counted more."""
        return [100 * (count / self.expected_count - 1) for count in self.told.hogs]


def planned(scenario: Scenario, seed: int) -> tuple[list[str], dict[int, int]]:
    """What goes on at the device, the same for every guest; and the frames for its readers."""
    start_ns = START_MS * plan.NS_PER_MS
    lines, frames = plan.traffic(scenario.buses, seed, start_ns, scenario.seconds)
    lines = [lines[at] for at in scenario.read]
    lines += plan.drain(scenario.written, seed, start_ns)
    return lines, {at: frames[at] for at in scenario.read}


def simulate(system: System, scenario: Scenario, seed: int) -> Seen:
    """A run, or what an equal one told before. What admission refuses is not run."""
    verdict = system.admission(scenario)
    if verdict.startswith(takt_guest.REFUSED):
        raise UserError(f"{system.name} {scenario.name} is {verdict}", "lab/pipes/takt_guest.py")
    lines, frames = planned(scenario, seed)
    return Seen(run(system.guest(scenario), lines, scenario.seconds), frames, scenario)


def remembered(system: System, scenario: Scenario, seed: int) -> Seen | None:
    """A run that is kept here, or else in the record."""
    lines, frames = planned(scenario, seed)
    try:
        of = made(system.guest(scenario), lines)
    except NotSetUp:
        of = None
    told, where = (kept(of) if of else None), HERE
    if not told:
        told, where = record.told(system.name, scenario.name, seed, of)
    if of and not told:
        _say_what_differs(system.name, record.differs(system.name, scenario.name, seed, of))
    return Seen(told, frames, scenario, where) if told else None


@cache
def _say_what_differs(system: str, parts: str) -> None:
    """Once for each."""
    if parts:
        console.note(f"{system}: recorded with another {parts}, not shown")


Key = tuple[System, Scenario]


def runs(
    keys: Iterable[Key],
    options: dict[str, Any],
    each: Callable[[System, Scenario, int, Seen], None] = lambda *_: None,
) -> dict[Key, list[Seen]]:
    """Every system and scenario, with every seed; what was run before is not run again. All cases
    with the first seed come first. Option kept: those that were run before, nothing else. A run
    that fails is told of and its case left out, as the worst of the others would not be the worst.
    """
    every = list(keys)
    seeds = range(1, int(options.get("seeds", SEEDS)) + 1)
    asked = [(system, scenario, seed) for seed in seeds for system, scenario in every]
    done = 0

    failed: set[Key] = set()

    def one(key: tuple[System, Scenario, int]) -> Seen | None:
        nonlocal done
        if options.get("kept"):
            return remembered(*key)
        system, scenario, seed = key
        seen, how = None, ""
        try:
            seen = simulate(*key)
        except NotSetUp:
            raise
        except UserError as error:
            failed.add((system, scenario))
            how = f": {error.what}; {error.detail}"
        done += 1
        console.note(f"{done}/{len(asked)}: {system.name} {scenario.name}, seed {seed}{how}")
        return seen

    found: dict[Key, list[Seen]] = {key: [] for key in every}
    with ThreadPoolExecutor(int(options.get("jobs", JOBS))) as pool:
        for (system, scenario, seed), seen in zip(asked, pool.map(one, asked), strict=True):
            if seen:
                found[system, scenario].append(seen)
                each(system, scenario, seed, seen)
    found = {key: seen for key, seen in found.items() if seen and key not in failed}
    if not found and failed:
        raise UserError("every case has a run that failed", "see above", "", 1)
    if not found:
        raise UserError("no runs are kept", "--kept", "leave it out", 1)
    return found


def worst(seen: list[Seen], value: Callable[[Seen], float]) -> tuple[float, float]:
    """The largest and the smallest of the seeds."""
    values = [value(one) for one in seen]
    return max(values), min(values)


def pipes_too() -> tuple[System, ...]:
    """And pipes with which frames come soon."""
    return (systems()[0], takt_guest.SOON, *systems()[1:])


def systems() -> tuple[System, ...]:
    """Those that every figure compares."""
    return (takt_guest.TAKT, *linux_guest.SYSTEMS)


def table2() -> list[Key]:
    """The six scenarios, on these and on Linux with a driver such as the vendor's."""
    return [(one, scenario) for one in (*pipes_too(), *linux_guest.VENDOR) for scenario in TABLE2]


def seeds_row(case: str, seen: list[Seen]) -> dict[str, Any]:
    """How many seeds a case has."""
    return row(case, "seeds", len(seen), "")


def loop_rows(case: str, seen: list[Seen], goal: float | None = None) -> list[dict[str, Any]]:
    """The largest error of a loop's count, and the mean in counts."""
    errors = [error for one in seen for error in one.loop_errors_pct()]
    mean = sum(errors) / len(errors) / 100 * seen[0].expected_count
    return [
        seeds_row(case, seen),
        row(case, "loop_error_pct", max(errors, key=abs), "%", None, goal),
        row(case, "counter_error_mean", mean, "counts"),
    ]


def goal(system: System, value: float) -> float | None:
    """Goals are Takt's."""
    return value if system.name.startswith("takt") else None


def _said(system: System, scenario: Scenario) -> str:
    verdict = system.admission(scenario)
    return f"; {scenario.name} is {verdict}" if verdict else ""


def _where(found: dict[Key, list[Seen]]) -> dict[str, str]:
    """Which runs were made here, which are from the record."""
    told: dict[str, dict[str, int]] = {}
    for (system, _), seen in found.items():
        counts = told.setdefault(system.name, {})
        for one in seen:
            counts[one.where] = counts.get(one.where, 0) + 1
    return {
        name: ", ".join(f"{n} {where}" for where, n in one.items()) for name, one in told.items()
    }


def _about(system: System) -> str:
    try:
        return system.about
    except NotSetUp:
        return record.about(system.name)


def config(found: dict[Key, list[Seen]]) -> dict[str, Any]:
    """Of any lab here: what the runs were, and what admission says of them."""
    told: dict[str, str] = {}
    for system, scenario in found:
        told.setdefault(system.name, _about(system))
        told[system.name] += _said(system, scenario)
    return {
        "values": "the worst of all seeds, where nothing else is said",
        "runs": _where(found),
        "clock": "500 million instructions a second, no caches, one CPU: tells of loss and of how "
        "systems compare, not of the times of a real PC",
        **told,
    }
