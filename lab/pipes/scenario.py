"""What runs beside what: the scenarios of Table II, and those of the figures behind it."""

from __future__ import annotations

from dataclasses import dataclass

from . import plan

ALL = 0b11111
HOGS = 3  # loops with a budget that count
START_MS = 6000  # of the measurement by the machine's clock: when any guest has long been ready
COUNT_US, LOOP_BUDGET_US, LOOP_PERIOD_US = 10, 1000, 7000


@dataclass(frozen=True)
class Scenario:
    name: str
    seconds: int
    hogs: int = 0
    readers: int = 0  # masks of channels
    writers: int = 0
    buses: tuple[plan.Bus, ...] = plan.TABLE1
    budget_us: int = 0  # of readers and writers on Linux; 0: they have none
    period_us: int = 0

    @property
    def read(self) -> tuple[int, ...]:
        return tuple(at for at in range(len(self.buses)) if self.readers >> at & 1)

    @property
    def written(self) -> tuple[int, ...]:
        return tuple(at for at in range(len(self.buses)) if self.writers >> at & 1)


TABLE2 = (
    Scenario("1", 30, 0, ALL),
    Scenario("2", 30, HOGS, 0),
    Scenario("3", 30, HOGS, ALL),
    Scenario("4", 60, 0, ALL),
    Scenario("5", 60, HOGS, 0),
    Scenario("6", 60, HOGS, ALL),
)
