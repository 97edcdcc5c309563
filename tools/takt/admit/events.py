"""Interrupts with budgets in a linked program: what they ask of admission, and how long an event
takes from its interrupt to its handler.

board.toml says in [delivery] what one event of one pin costs: top_ns, the top half; bottom_ns, the
bottom half until it has passed the event on and asks for the next, in pieces; wait_ns, the waits
for a device between the pieces. Boards without the table have no bounds of delivery.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from takt.admit.admit_library import MARGIN_US, Delivery, EventPath, Interrupt, IoVcpu
from takt.admit.fixes import Case, duration
from takt.admit.layout import Thread
from takt.admit.shares import Share
from takt.boards import Board
from takt.code.elf import Program

PINS_VCPU = "takt_io_interrupts"  # the I/O VCPU of pins
SHARED = "takt_thread_handlers"  # the thread of attachInterrupt(), for any number of pins
ANY_PIN = 0xFF  # among the pins of attachInterrupt(): only the running program knows
RARE_US = 1 << 30  # separation of what comes once


@dataclass(frozen=True)
class Costs:
    """[delivery] of a board, in us, rounded up where one event is concerned."""

    top_ns: int
    bottom_ns: tuple[int, ...]
    wait_ns: tuple[int, ...]
    start_us: int  # what a start of a bottom half is charged
    switch_ns: int
    margin_us: int = MARGIN_US  # by which the end of a budget may be late

    @property
    def known(self) -> bool:
        return bool(self.bottom_ns)

    def event_us(self) -> int:
        """CPU time of one event."""
        return -(-(self.top_ns + sum(self.bottom_ns)) // 1000)


def costs_of(board: Board) -> Costs:
    """What the board file says."""
    table = board.raw.get("delivery", {})
    start_ns = 2 * (int(board.costs.get("switch", 0)) + int(board.costs.get("alarm", 0)))
    start_ns = int(board.costs.get("io_start", start_ns))
    bottom, wait = (tuple(map(int, table.get(key, ()))) for key in ("bottom_ns", "wait_ns"))
    switch_ns = int(board.costs.get("switch", 0))
    margin_us = -(-int(board.costs.get("margin", MARGIN_US * 1000)) // 1000)
    top_ns, start_us = int(table.get("top_ns", 0)), -(-start_ns // 1000)
    return Costs(top_ns, bottom, wait, start_us, switch_ns, margin_us)


@dataclass(frozen=True)
class Event:
    """Events for one handler, and the bounds of their delivery in us."""

    handler: str
    place: int
    budget_us: int
    period_us: int
    share: Share
    bound: Delivery

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return {
            "handler": self.handler,
            "budget_us": self.budget_us,
            "period_us": self.period_us,
            "io_c_us": self.share.c_us,
            "io_t_us": self.share.t_us,
            "io_budget_us": self.share.within(self.period_us),
            "bound_safe_us": self.bound.safe_us,
            "bound_paper_us": self.bound.paper_us,
            "bound_paper_corrected_us": self.bound.corrected_us,
        }


@dataclass(frozen=True)
class Interrupts:
    """The bottom half of pins, its handlers, and how many pins may interrupt."""

    bottoms: tuple[Thread, ...]  # all there are
    pins: Thread | None  # the one of pins
    handlers: tuple[Thread, ...]
    lines: int
    costs: Costs

    def _overhead_us(self) -> int:
        """What is charged to an I/O VCPU beside each budget: a start, a late end, and as much as a
        start, or more, for top halves before it."""
        start, tops = self.costs.start_us, -(-self.lines * self.costs.top_ns // 1000)
        return start + max(start, tops) + self.costs.margin_us

    def ios(self) -> list[IoVcpu]:
        """For admission: with the largest share there may be."""
        return [self._io(thread, thread.share) for thread in self.bottoms if thread.share]

    def _io(self, thread: Thread, share: Share) -> IoVcpu:
        name = "interrupts" if thread.vcpu == PINS_VCPU else thread.name
        stated = (share.c_us, share.t_us)
        ratio = (share.numerator, share.denominator)
        return IoVcpu(name, *ratio, 0, self._overhead_us(), stated)

    def tops(self) -> list[Interrupt]:
        """For admission: what may come of pins before anything is charged: a top half of each, and
        a decision for each handler."""
        cost = self.lines * self.costs.top_ns + len(self.handlers) * self.costs.switch_ns
        return [Interrupt("top halves", cost, RARE_US)] if cost else []

    def _path(self, place: int, io: int, periods: list[int]) -> EventPath:
        """All pins at once, ours the last of them. Top halves and looks of the dispatcher that fall
        into a piece of it are taken from the same budgets: another pin may interrupt before and
        after it has been served, and its handler be more urgent each time."""
        costs, again = self.costs, self.lines - 1
        others = len(periods) - 1
        more = -(-(1 + 2 * again) * costs.top_ns // 1000)
        more += (2 * others + 1) * costs.start_us if others else 0
        pieces = list(costs.bottom_ns)
        for _ in range(again):  # the last piece for one pin and the first for the next are one
            pieces[-1] += costs.bottom_ns[0]
            pieces += costs.bottom_ns[1:]
        work = [-(-piece // 1000) + more for piece in pieces]
        waits = [-(-wait // 1000) for wait in costs.wait_ns] * self.lines
        top = -(-costs.top_ns // 1000)
        return EventPath(place, io, min(periods), max(periods), top, tuple(work), tuple(waits))

    def events(self, case: Case, admitted: bool = True) -> list[Event]:
        """Bounds for each handler; of a program that is refused there are none."""
        if self.pins is None or self.pins.share is None:
            return []
        io = [thread.vcpu for thread in self.bottoms].index(PINS_VCPU)
        shares = [s for s in self.pins.share.every if s.c_us] or [self.pins.share]
        periods = [h.period_us or 0 for h in self.handlers]
        names = [loop.name for loop in sorted(case.loops, key=lambda loop: loop.period_us)]
        found = []
        for handler in self.handlers:
            bounds = []
            for share in shares if self.costs.known and admitted else ():
                ios = list(case.ios)
                ios[io] = self._io(self.pins, share)
                path = self._path(names.index(handler.name), io, periods)
                bounds.append(replace(case, ios=tuple(ios)).native().delivery(path))
            facts = (handler.place, handler.budget_us or 0, handler.period_us or 0)
            found.append(Event(handler.name, *facts, shares[-1], _largest(bounds)))
        return found

    def warnings(self) -> list[str]:
        """Shares that are too small to be meant."""
        if self.pins is None or self.pins.share is None:
            return []
        share = min(self.pins.share.every, key=lambda s: s.value or 2)
        named = f"the share of interrupts, {duration(share.c_us)} in every {duration(share.t_us)},"
        if not share.c_us:
            return ["interrupts have a share of 0: no event reaches a handler"]
        found = []
        for handler in self.handlers:
            period = handler.period_us or 0
            budget, event = share.within(period), self.costs.event_us()
            served = f"the {duration(period)} of {handler.name}"
            fix = "give interruptsVcpu() a larger share, or the handler a longer period"
            if budget == 0:
                found.append(f"{named} is less than 1 us of {served}: no event reaches it; {fix}")
            elif budget < event:
                found.append(
                    f"{named} is {duration(budget)} of {served}, and one event takes "
                    f"{duration(event)}: it waits for {-(-event // budget)} of these; {fix}"
                )
        return found

    def assumed(self) -> list[str]:
        """What the bounds and the verdict take for granted."""
        if self.pins is None or self.pins.share is None:
            return []
        if not self.costs.known:
            return ["interrupts: the board file has no [delivery], so there are no bounds for them"]
        costs, pins = self.costs, "1 pin" if self.lines == 1 else f"{self.lines} pins"
        bottom = f"{sum(costs.bottom_ns) / 1000:g} us"
        if costs.wait_ns:
            bottom += f" and {sum(costs.wait_ns) / 1e6:g} ms of waiting for a device"
        return [
            f"counted: interrupts of {pins}, each {costs.top_ns / 1000:g} us in the interrupt and "
            f"{bottom} in the bottom half; one call of a handler takes no more than its C; "
            "interrupts are not switched off"
        ]


def _largest(bounds: Sequence[Delivery]) -> Delivery:
    """Of all shares; None, which is no bound, is the largest."""

    def most(values: list[int | None]) -> int | None:
        numbers = [value for value in values if value is not None]
        return max(numbers) if numbers and len(numbers) == len(values) else None

    return Delivery(
        most([b.safe_us for b in bounds]),
        most([b.paper_us for b in bounds]),
        most([b.corrected_us for b in bounds]),
    )


def find(threads: Sequence[Thread], board: Board, program: Program) -> Interrupts:
    """Those of a program."""
    bottoms = tuple(thread for thread in threads if thread.share)
    pins = next((thread for thread in bottoms if thread.vcpu == PINS_VCPU), None)
    handlers = tuple(thread for thread in threads if thread.handler)
    lines, all_pins = len(handlers), set(board.pins.values())
    if SHARED in program.by_name:
        attached = set(program.note(".takt.pins"))  # by attachInterrupt()
        known = attached and ANY_PIN not in attached
        shared = len(attached if known else all_pins)
        lines = min(lines - 1 + shared, len(all_pins))
    return Interrupts(bottoms, pins, handlers, lines, costs_of(board))
