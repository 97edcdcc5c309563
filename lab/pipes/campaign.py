"""The runs of this lab: systems, scenarios of Table II, seeds; and what is seen in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from takt import console
from takt.errors import UserError
from takt.lab import row

from . import linux_guest, plan, takt_guest
from .scenario import COUNT_US, LOOP_BUDGET_US, LOOP_PERIOD_US, TABLE2, Scenario
from .simulate import Told, kept, run

SEEDS, JOBS = 10, 1
System = linux_guest.Linux | takt_guest.Takt


@dataclass(frozen=True)
class Seen:
    """One run, and the frames that were on the buses for its readers."""

    told: Told
    frames: dict[int, int]
    scenario: Scenario

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


def simulate(system: System, scenario: Scenario, seed: int, only_kept: bool = False) -> Seen | None:
    """A run; None if it is not kept and nothing is to run."""
    start_ns = system.start_ms * plan.NS_PER_MS
    lines, frames = plan.traffic(scenario.buses, seed, start_ns, scenario.seconds)
    lines = [lines[at] for at in scenario.read]
    lines += plan.drain(scenario.written, seed, start_ns)
    guest = system.guest(scenario)
    told = kept(guest, lines) if only_kept else run(guest, lines, scenario.seconds)
    return told and Seen(told, {at: frames[at] for at in scenario.read}, scenario)


Key = tuple[System, Scenario]


def runs(keys: Iterable[Key], options: dict[str, Any]) -> dict[Key, list[Seen]]:
    """Every system and scenario, with every seed; what was run before is not run again. Option
    kept: of those that were."""
    seeds = range(1, int(options.get("seeds", SEEDS)) + 1)
    jobs = int(options.get("jobs", JOBS))
    asked = [(system, scenario, seed) for system, scenario in keys for seed in seeds]
    done = 0

    only_kept = bool(options.get("kept"))

    def one(key: tuple[System, Scenario, int]) -> Seen | None:
        nonlocal done
        seen = simulate(*key, only_kept)
        if only_kept:
            return seen
        done += 1
        system, scenario, seed = key
        console.note(f"{done}/{len(asked)}: {system.name} {scenario.name}, seed {seed}")
        return seen

    found: dict[Key, list[Seen]] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for (system, scenario, _), seen in zip(asked, pool.map(one, asked), strict=True):
            if seen:
                found.setdefault((system, scenario), []).append(seen)
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
    return [(one, scenario) for one in (*systems(), *linux_guest.VENDOR) for scenario in TABLE2]


def loop_rows(case: str, seen: list[Seen], goal: float | None = None) -> list[dict[str, Any]]:
    """The largest error of a loop's count, and the mean in counts."""
    errors = [error for one in seen for error in one.loop_errors_pct()]
    mean = sum(errors) / len(errors) / 100 * seen[0].expected_count
    return [
        row(case, "loop_error_pct", max(errors, key=abs), "%", None, goal),
        row(case, "counter_error_mean", mean, "counts"),
    ]


def goal(system: System, value: float) -> float | None:
    """Goals are Takt's."""
    return value if system.name.startswith("takt") else None


def _said(system: System, scenario: Scenario) -> str:
    verdict = system.admission(scenario)
    return f"; {scenario.name} is {verdict}" if verdict else ""


def config(found: dict[Key, list[Seen]]) -> dict[str, Any]:
    """Of any lab here: what the runs were, and what admission says of them."""
    told: dict[str, str] = {}
    seeds = [len(one) for one in found.values()]
    for system, scenario in found:
        told.setdefault(system.name, system.about)
        told[system.name] += _said(system, scenario)
    return {
        "seeds": " to ".join(str(n) for n in sorted({min(seeds), max(seeds)})),
        "values": "the worst of all seeds, where nothing else is said",
        "clock": "500 million instructions a second, no caches, one CPU: tells of loss and of how "
        "systems compare, not of the times of a real PC",
        **told,
    }
