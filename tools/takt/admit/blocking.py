"""What sections make the threads of a program wait for: which thread may be in which, the ceilings
that follow, and how long each thread with a budget may be held up; the kernel's longest one.

A thread is held up by one section of any other thread that has its ceiling or a more urgent one: it
cannot begin while the thread is ready. Beside that, a more urgent thread whose budget ends in a
section finishes it, which once takes so much more than its budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from takt.admit.layout import MOST_THREADS, Thread
from takt.boards import Board
from takt.code.elf import Program
from takt.code.sections import MUTEX, Section
from takt.code.structs import TABLE

ALL = -1  # ceiling of a section with interrupts off
WAKE = {"takt_flags_set", "takt_flags_set_isr", "takt_cond_signal", "takt_cond_broadcast"}
MORE = 2  # waiters that take as long as the call itself


@dataclass(frozen=True)
class Held:
    """A section that a thread may be in."""

    thread: str
    place: int  # of the thread
    lock: str  # in words
    where: str  # file and line
    ceiling: int
    us: int | None  # None: not known
    stated: bool
    why: str = ""  # it is not known
    fix: str = ""
    at: int = 0  # address where it begins, and the function there
    function: str = ""

    def as_dict(self) -> dict[str, object]:
        """For --json."""
        how = "unknown" if self.us is None else "stated" if self.stated else "computed"
        return {
            "thread": self.thread,
            "lock": self.lock,
            "where": self.where,
            "ceiling": None if self.ceiling == ALL else self.ceiling,
            "us": self.us,
            "length": how,
        }

    def holds_up(self, place: int) -> bool:
        """Whether a thread there may have to wait for it."""
        return place != self.place and (self.ceiling <= place or self.place < place)


@dataclass(frozen=True)
class Waits:
    """Of one thread, for others' sections."""

    us: int = 0
    longest: Held | None = None


def waits(held: Sequence[Held], place: int) -> Waits:
    """As far as lengths are known."""
    mine = [h for h in held if h.us is not None and h.place != place]
    once = max((h for h in mine if h.ceiling <= place), key=_us, default=None)
    over: dict[int, Held] = {}
    for h in mine:
        if h.place < place and _us(h) > _us(over.get(h.place)):
            over[h.place] = h
    total = _us(once) + sum(_us(h) for h in over.values())
    longest = max([h for h in (once, *over.values()) if h], key=_us, default=None)
    return Waits(total, longest)


def _us(held: Held | None) -> int:
    return held.us or 0 if held else 0


def own_sections(held: Iterable[Held]) -> dict[str, int]:
    """By name of a thread: its longest section."""
    found: dict[str, int] = {}
    for one in held:
        found[one.thread] = max(found.get(one.thread, 0), one.us or 0)
    return found


def unknown(held: Iterable[Held], budgeted: Iterable[Thread]) -> list[tuple[Held, Thread]]:
    """Sections whose length must be stated, each with a thread that it may hold up."""
    threads = list(budgeted)
    found = []
    for one in held:
        late = next((t for t in threads if one.holds_up(t.place)), None)
        if one.us is None and late:
            found.append((one, late))
    return found


def ceilings(
    lockers: dict[int, set[int | None]],
    reached: Callable[[Thread], set[int]],
    threads: Sequence[Thread],
) -> dict[int, int]:
    """By address of a mutex: the place of the most urgent thread that may lock it."""
    found: dict[int, int] = {}
    known = {mutex for mutexes in lockers.values() for mutex in mutexes} - {None}
    for thread in threads:
        mine = {m for f, mutexes in lockers.items() if f in reached(thread) for m in mutexes}
        for mutex in known if None in mine else mine:
            if mutex is not None:
                found[mutex] = min(found.get(mutex, thread.place), thread.place)
    return found


def in_section(section: Section, ceiling_of: dict[int, int]) -> int:
    """The ceiling in force; 0: it is not known which mutex that is."""
    if section.kind != MUTEX:
        return ALL
    return ceiling_of.get(section.mutex, 0) if section.mutex is not None else 0


def waking_ns(waiter_ns: int, waiters: int) -> int:
    """How long interrupts are off while so many threads that wait for flags, or for a condition,
    are woken at once."""
    return waiter_ns * (waiters + MORE)


def with_waiters(board: Board, program: Program, threads: int) -> Board:
    """The board, its `critical` as long as it is in a program of so many threads."""
    if not WAKE & program.by_name.keys():
        return board
    if TABLE in program.by_name:
        threads = program.by_name[MOST_THREADS].address
    off = waking_ns(int(board.costs.get("waiter", 0)), threads - 1)
    longest = max(off, int(board.costs.get("critical", 0)))
    return replace(board, costs=board.costs | {"critical": longest})
