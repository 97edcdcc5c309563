"""What threads were delivered of the CPU, as the machine saw it (platform/core/delivered.c).

Nothing of this comes from the kernel. Its trace says in which band a thread ran and when it
blocked: that divides what was delivered, and tells which periods are judged; it adds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from takt.boards import Board

ASLEEP = 0xFFFF
CALL = 0x8000  # and more: of a function's calls
LEFT = 1  # enum takt_piece_end


@dataclass(frozen=True)
class Tolerance:
    """A thread that wants CPU throughout a period has its C when it was delivered `share` of it,
    less `less_us`: what the kernel may charge it for being interrupted."""

    share: float = 0.99
    less_us: float = 5.0
    more_us: int = 0  # beyond C when the end of a budget is told
    start_us: int = 0  # what a loop pays the kernel for a start and its end, at most
    interrupt_us: float = 0  # of an interrupt or unlock, what the trace does not count, at most

    @property
    def over_us(self) -> int:
        """Beyond C in a period: late ends and starts, of this and the one before."""
        return 2 * (self.more_us + self.start_us)

    def least_us(self, budget_us: int) -> float:
        """What it must be delivered."""
        return self.share * budget_us - self.less_us

    def differs(self, kernel_us: float, seen_us: float, starts: int, interrupts: float = 0) -> bool:
        """Is that more than the kernel's figure may be beyond what was delivered?"""
        more = (1 - self.share) * kernel_us + (self.less_us + self.start_us) * (starts + 1)
        return kernel_us - seen_us > more + self.interrupt_us * interrupts


def tolerance_of(board: Board, start_us: int) -> Tolerance:
    """What the board file says."""
    costs = board.costs
    more_us = (int(costs.get("margin", 0)) + int(costs.get("alarm", 0))) // 1000
    own = board.raw.get("delivered", {})
    interrupt_us = costs.get("alarm", 0) / 2000  # its way in and out: half of the alarm's, about
    return Tolerance(**own, more_us=more_us, start_us=start_us, interrupt_us=interrupt_us)


@dataclass(frozen=True)
class Curve:
    """An amount that grows with time, us; it begins at 0."""

    time: np.ndarray
    amount: np.ndarray

    def at(self, time: np.ndarray | Sequence[float]) -> np.ndarray:
        """How much it is by then."""
        if not len(self.time):
            return np.zeros(len(time))
        return np.interp(time, self.time, self.amount)

    def reached(self, start: float, amount: float) -> float:
        """When it has grown by so much since then; infinity: never."""
        asked = float(self.at([start])[0]) + amount
        last = float(self.amount[-1]) if len(self.amount) else 0.0
        return float(np.interp(asked, self.amount, self.time)) if asked <= last else np.inf

    def within(self, stretches: np.ndarray) -> Curve:
        """What of it grows within stretches, (n, 2) starts and ends in order."""
        if not len(stretches):
            return Curve(np.zeros(0), np.zeros(0))
        start, end = stretches[:, 0].astype(float), stretches[:, 1].astype(float)
        inside = self.time[(self.time > start[0]) & (self.time < end[-1])]
        time = np.unique(np.concatenate([start, end, inside]))
        grown = np.diff(self.at(time))
        nth = np.searchsorted(start, time[:-1], side="right") - 1
        grown[time[:-1] >= end[nth]] = 0
        return Curve(time, np.concatenate([[0.0], np.cumsum(grown)]))


@dataclass(frozen=True)
class Calls:
    """When each began, how much it was delivered, and how many of them have returned."""

    start: np.ndarray
    us: np.ndarray
    finished: int


class Delivered:
    """Pieces as machine.delivered() gives them, on the kernel's clock.

    us_per_cycle, offset_us: us since the clock's zero are cycles * us_per_cycle - offset_us.
    """

    def __init__(self, pieces: np.ndarray, us_per_cycle: float, offset_us: float) -> None:
        self._pieces = pieces
        self._us, self._offset = us_per_cycle, offset_us

    def _of(self, thread: int) -> np.ndarray:
        return self._pieces[self._pieces["thread"] == thread]

    def _time(self, cycles: np.ndarray) -> np.ndarray:
        return cycles * self._us - self._offset

    def curve(self, thread: int) -> Curve:
        """What a thread has been delivered; ASLEEP: how long the CPU has slept."""
        mine = self._of(thread)
        ends = np.cumsum(mine["cycles"], dtype=np.int64)
        cycle = np.stack([mine["cycle"], mine["cycle"] + mine["cycles"]], axis=1).ravel()
        amount = np.stack([ends - mine["cycles"], ends], axis=1).ravel()
        return Curve(self._time(cycle), amount * self._us)

    def left(self, thread: int) -> np.ndarray:
        """When it called the kernel, and something else ran after that: it may have blocked."""
        mine = self._of(thread)
        return self._time((mine["cycle"] + mine["cycles"])[mine["end"] == LEFT])

    def came(self, thread: int) -> np.ndarray:
        """When it was delivered something first after each of these."""
        mine = self._of(thread)
        index = np.flatnonzero(mine["end"] == LEFT) + 1
        return self._time(mine["cycle"][index[index < len(mine)]])

    def interruptions(self, thread: int) -> int:
        """How often it was interrupted, or preempted."""
        mine = self._of(thread)
        gap = mine["cycle"][1:] > mine["cycle"][:-1] + mine["cycles"][:-1]
        return int((gap & (mine["end"][:-1] != LEFT)).sum())

    def calls(self, function: int) -> Calls:
        """Of a function, by its number."""
        mine = self._of(CALL + function)
        ended = mine["end"] == LEFT
        nth = np.cumsum(ended) - ended
        first = np.flatnonzero(np.diff(nth, prepend=-1))
        us = np.bincount(nth, weights=mine["cycles"]) * self._us if len(mine) else np.zeros(0)
        return Calls(self._time(mine["cycle"][first]), us, int(ended.sum()))

    def others_us(self, start: float, end: float, threads: Sequence[int]) -> float:
        """Neither delivered to one of these nor slept: handlers, preemptions, choosing."""
        ours = sum(
            float(np.diff(self.curve(one).at([start, end]))[0]) for one in (*threads, ASLEEP)
        )
        return max(0.0, end - start - ours)
