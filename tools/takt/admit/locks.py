"""The locks of a linked program: sections and ceilings (sections.py, blocking.py) in words, and the
ceilings that the image gets. Boards whose code is not analysed (sim, pc) have none here."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from takt.admit import blocking
from takt.admit.blocking import Held
from takt.admit.layout import Thread
from takt.boards import Board
from takt.code import left, library_cycles
from takt.code.architecture import AVR
from takt.code.avr.steps import AvrSteps
from takt.code.elf import Program, Symbol
from takt.code.facts import Facts
from takt.code.lengths import Length, Lengths, PerArgument
from takt.code.lines import Lines
from takt.code.names import plain, variable
from takt.code.sections import MUTEX, Section, Sections
from takt.code.stacks import Stacks
from takt.code.thumb.steps import ThumbSteps
from takt.errors import UserError

STATE = "state the longest that it lasts, US microseconds,"
SOME = "a mutex"  # not known which
OUTER = 2  # where in a struct takt_mutex it is told that the ceiling is to be computed


@dataclass(frozen=True)
class Locks:
    """What admission and the image need."""

    held: tuple[Held, ...] = ()
    ceilings: dict[int, int] = field(default_factory=dict)  # to be written, by address
    seen: bool = True  # the code has been analysed

    def waits(self, place: int) -> blocking.Waits:
        """Of the thread there."""
        return blocking.waits(self.held, place)


def find(
    program: Program, stacks: object, threads: Sequence[Thread], board: Board, lines: Lines
) -> Locks:
    """Raises for a ceiling by hand that is none."""
    if not isinstance(stacks, Stacks):
        return Locks(seen=False)
    return _Finder(program, stacks, threads, board, lines).locks()


class _Finder:
    def __init__(
        self,
        program: Program,
        stacks: Stacks,
        threads: Sequence[Thread],
        board: Board,
        lines: Lines,
    ) -> None:
        self.program, self.stacks, self.threads, self.board = program, stacks, threads, board
        self._lines = lines
        avr = program.architecture is AVR
        waits = left.word_cycles(program, board)
        stepper = AvrSteps(program) if avr else ThumbSteps(program, left.addresses(program), waits)
        library = left.slower(library_cycles.AVR if avr else library_cycles.THUMB, waits)
        self._lengths = Lengths(program, stepper, library, self._costs(stacks.graph.facts))
        self._sections = Sections(stacks.graph, self._lengths)
        self._descriptors = {d.place: d for d in program.threads()}

    def _costs(self, facts: Facts) -> dict[int, int | PerArgument]:
        """Of functions that say what they take, in cycles. Nothing comes after what is the end."""
        found: dict[int, int | PerArgument] = dict.fromkeys(facts.functions("last"), 0)
        for function in facts.of:
            for said in facts.said(function, "takes"):
                found[function] = self._cost(said)
        return found

    def _cost(self, said: str) -> int | PerArgument:
        us = -(-self.board.clock_hz // 1_000_000)
        if said.startswith("+"):  # its argument
            return PerArgument(int(said[1:]) * us, us)
        ns = int(said) * 1000 if said.isdigit() else int(self.board.costs[said])
        return -(-ns * us // 1000)

    def locks(self) -> Locks:
        self._require_calls_by_name()
        lockers = self._sections.lockers()
        computed = blocking.ceilings(lockers, self._with_setup, self.threads)
        filled = {m: to for m, to in computed.items() if self.program.read(m + OUTER, 1)[0]}
        given = {m: self.program.read(m, 1)[0] for m in computed.keys() - filled.keys()}
        for mutex, by_hand in given.items():
            self._check(mutex, by_hand, computed[mutex], lockers)
        return Locks(tuple(self._held(filled | given)), filled)

    def _require_calls_by_name(self) -> None:
        """What locks through a pointer is a section that nothing here sees."""
        graph = self.stacks.graph
        for at in graph.facts.functions("locks", "unlocks"):
            name = plain(graph.functions[at].name)
            if at in graph.address_taken:
                raise UserError(
                    f"{name}() is called through a pointer: what is locked there is not known",
                    fix=f"call {name}(), or lock() and unlock() of a Mutex, by name",
                )

    def _with_setup(self, thread: Thread) -> set[int]:
        return self.stacks.reached(self._descriptors[thread.place], setup=True)

    def _check(
        self, mutex: int, by_hand: int, computed: int, lockers: dict[int, set[int | None]]
    ) -> None:
        if by_hand <= computed:
            return
        name, thread = self._name(mutex), self.threads[computed]
        at = next(f for f, mutexes in lockers.items() if {mutex, None} & mutexes)
        raise UserError(
            f"{name} has the ceiling {by_hand}, but {thread.name} can lock it, whose place is "
            f"{computed}",
            self._lines.where(at),
            "leave the number out, so that the build finds it",
        )

    def _held(self, ceiling_of: dict[int, int]) -> Iterable[Held]:
        for thread in self.threads:
            reached = self.stacks.reached(self._descriptors[thread.place], setup=False)
            for function, sections in self._sections.found.items():
                if function in reached:
                    yield from (self._one(s, thread, ceiling_of) for s in sections)

    def _one(self, section: Section, thread: Thread, ceiling_of: dict[int, int]) -> Held:
        length, us, stated = section.length, section.stated_us, True
        if length.cycles is not None:
            us, stated = -(-length.cycles * 1_000_000 // self.board.clock_hz), False
        name = self._name(section.mutex) if section.kind == MUTEX else ""
        return Held(
            thread.name,
            thread.place,
            f"under {name}" if name else "with interrupts off",
            self._lines.where(section.at),
            blocking.in_section(section, ceiling_of),
            us,
            stated,
            self._why(length),
            _fix(name, self._function(section.at)),
            section.at,
            self._function(section.at),
        )

    def _name(self, mutex: int | None) -> str:
        symbol = self._object(mutex) if mutex is not None else None
        if symbol is None:
            return SOME
        return variable(symbol.name)

    @cached_property
    def _objects(self) -> list[Symbol]:
        found = (s for s in self.program.symbols if s.kind == "OBJECT" and s.size)
        return sorted(found, key=lambda s: s.address)

    def _object(self, address: int) -> Symbol | None:
        """The variable that it lies in."""
        index = bisect_right([s.address for s in self._objects], address) - 1
        found = self._objects[index] if index >= 0 else None
        return found if found and address < found.address + found.size else None

    def _why(self, length: Length) -> str:
        if length.cycles is not None:
            return ""
        function = self._function(length.at)
        inside = f" in {function}()" if function else ""
        return f"{length.why}{inside} ({self._lines.where(length.at)})"

    def _function(self, at: int) -> str:
        found = self.program.function_at(at)
        return plain(found.name) if found else ""


def _fix(mutex: str, function: str) -> str:
    if mutex == SOME:
        return "lock one that is named there, so that it is known which, or shorten the section"
    if mutex:
        return f"{STATE} in the mutex, as Mutex {mutex}{{US_us}}, or shorten the section"
    return (
        f"{STATE} there, as Critical section{{US_us}} or TAKT_SECTION_US(US), or of a library's in "
        f'the sketch, as TAKT_SECTION_IN("{function}", US), or shorten the section'
    )
