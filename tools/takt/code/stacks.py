"""How much stack every thread and the interrupts need.

A thread needs the deepest chain of calls from its entry; on top, at the worst moment, the frame of
an interrupt, the made-up frame of a preemption and what the kernel calls in it (port/armv6m); below
lies the sentinel. Parts of the dispatcher cannot be preempted, only interrupted: there the frame is
all. Interrupts share one stack: the deepest handler of each priority, above the program before the
first thread, or the dispatcher with budgets, which works there.

A port that takes more says so by symbols (port/armv7m/switch.S): port_guard_bytes at the bottom
instead of the sentinel, port_frame_bytes with every frame, port_preempt_bytes with a preemption;
port_priorities: how many interrupts nest, if not four; port_guard_windows: that guards are in so
many pieces of memory at most, of port_guard_window bytes (port/armv6m/guards.c).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from takt.code import facts, looking, task_table, vectors
from takt.code.architecture import AVR
from takt.code.callgraph import CallGraph
from takt.code.deepest import CAUGHT, RECURSION, Doubt, Looking, Need, Search, taken
from takt.code.elf import Descriptor, Program
from takt.errors import UserError

SEI = b"\x78\x94"
REGION = 24  # addresses with the same upper bits are of one memory
HANDLER = "isr_"  # and the source: how a vector's function is called


class Stacks:
    """Needs of one program."""

    def __init__(
        self,
        program: Program,
        priorities: Sequence[Sequence[str]] = (),
        before: CallGraph | None = None,
    ) -> None:
        """priorities: the sources of interrupts by priority (board.toml). before: as CallGraph."""
        self.program, self.priorities = program, priorities
        self.graph = CallGraph(program, before)
        self.facts = self.graph.facts
        self.last = self.facts.functions("last")
        alone = task_table.read(program) if task_table.alone(program) else []
        self._on_their_own = {task.run for task in alone}
        self._measure()
        if self._unsure():
            self.separate_by_type()

    def separate_by_type(self) -> None:
        """Calls through pointers go only where types allow it. That takes a while to read."""
        self.graph.separate_by_type()
        self._measure()

    def count(self, levels: int) -> None:
        """So many levels of recursions without a bound."""
        self._measure()
        self.looking = replace(self.looking, levels=levels)

    def _unsure(self) -> bool:
        """Is anything a recursion, as far as calls through pointers may lead anywhere?"""
        needs = [self.interrupts(), *map(self.thread, self.program.threads())]
        kinds = (RECURSION, CAUGHT)
        return any(doubt.kind in kinds for need in needs for doubt in need.doubts)

    def _measure(self) -> None:
        """What comes on top of a thread, and at its end."""
        program = self.program
        self._threads: dict[int, Need] = {}  # by place
        self._interrupts: Need | None = None
        self.looking = Looking()
        frame = program.architecture.frame + taken(program, "port_frame_bytes")
        self.own = self._own_handlers()
        self.frame = max(frame, self.own)
        self.again = 0 if program.architecture.masked else self.frame  # where it is preempted
        self.guard = taken(program, "port_guard_bytes")
        self.bottom = self.guard or program.architecture.sentinel
        self.overhead = self._overhead(self.facts.functions("only tasks"))
        room = max(self.again, self.overhead)  # with being preempted there
        self.looking = looking.find(self.graph, self.last, room)

    def thread(self, thread: Descriptor) -> Need:
        """Of a thread. setup() runs in the most urgent of the sketch's loops."""
        if thread.place not in self._threads:
            self._threads[thread.place] = self._of_thread(thread)
        return self._threads[thread.place]

    def _of_thread(self, thread: Descriptor) -> Need:
        cut = self._cut(thread, setup=True)
        if self._runs_tasks(thread):
            return self._tasks(thread.entry, cut)
        called = self._called(thread)
        search = self._search(thread.entry, cut, called)
        whole = search.deepest()
        outside = self._search(thread.entry, cut, called, preempted=True).deepest()
        inside = whole.bytes + self.again
        depth = max(inside, outside.bytes + self.overhead)
        deepest = whole if depth == inside else outside
        total = self.aligned(depth + self.bottom)
        return Need(total, deepest.chain, whole.doubts, deepest.bytes, search.step())

    def jumps(self, need: Need, stack: int) -> bool:
        """May an overflow jump over the guard, and destroy the program, which lies below?"""
        code = (s.address for s in self.program.sections if s.executable)
        below = any(at < stack and at >> REGION == stack >> REGION for at in code)
        return below and need.step > self.guard

    def reached(self, thread: Descriptor, setup: bool) -> set[int]:
        """Functions that a thread may come to. setup: also from setup(), if it runs that."""
        called = self._called(thread)
        found = set(self._search(thread.entry, self._cut(thread, setup), called).needs)
        if self._runs_tasks(thread):
            for task in task_table.read(self.program):
                found |= set(self._search(task.run).needs)
        return found

    def _search(
        self,
        entry: int,
        cut: set[int] | None = None,
        called: set[int] | None = None,
        preempted: bool = False,
    ) -> Search:
        """cut: beside what is the end, and tasks, which come on top (task_table.py)."""
        cut = self.last | self._on_their_own | (cut or set())
        return Search(self.graph, cut, entry, called, preempted, self.looking)

    @property
    def least(self) -> int:
        """Bytes that must be left of a stack where a function looks for room."""
        return self.looking.room + self.bottom

    def _cut(self, thread: Descriptor, setup: bool) -> set[int]:
        """What it does not come to: setup() and what goes with that is one thread's, if it is to be
        looked at."""
        tasks = set() if self._runs_tasks(thread) else self.facts.functions("only tasks")
        begins = self.facts.functions("only setup")
        if setup and thread.place == self._setup_place():
            return tasks
        return tasks | begins | (self.facts.functions("only with setup") if begins else set())

    def _called(self, thread: Descriptor) -> set[int] | None:
        """All it calls by pointer, where its entry says so: its argument."""
        states = self.facts.entry(thread.entry) in facts.SKETCHS
        return {thread.called} if thread.called and states else None

    def _runs_tasks(self, thread: Descriptor) -> bool:
        return self.facts.entry(thread.entry) in (facts.TASKS, facts.IN_TURN)

    def _tasks(self, entry: int, cut: set[int]) -> Need:
        """Of the thread of all tasks: each of them on top of a preemption of the next."""
        whole = self._search(entry, cut).deepest()
        again = self._overhead()
        tasks = self._on_top(again)
        total = self.aligned(whole.bytes + tasks + again + self.bottom)
        doubts = [*whole.doubts, *self._doubts_of_tasks()]
        return Need(total, whole.chain, doubts, whole.bytes + tasks)

    def _doubts_of_tasks(self) -> list[Doubt]:
        """One that looks for room does not look for that of others on top of it."""
        needs = (self._search(task.run).deepest() for task in task_table.read(self.program))
        return list(dict.fromkeys(doubt.uncaught() for need in needs for doubt in need.doubts))

    def _on_top(self, between: int) -> int:
        in_turn = bool(self.facts.functions(f"entry {facts.IN_TURN}"))
        return task_table.on_top(self.program, self._need, between, in_turn)

    def _need(self, address: int) -> int:
        return self._search(address).deepest().bytes

    def _own_handlers(self) -> int:
        """Of vectors, as far as they stay on the stack they find: avr-libc's ISR(), which may not
        call the kernel, and what comes before another stack."""
        if self.program.architecture is not AVR or task_table.alone(self.program):
            return 0
        cut = self.facts.functions(f"calls {facts.ISR_STACK}")
        own = [at for at in self.graph.handlers_of if at not in self.last]
        for at in own:
            self._require_masked(at)
        return max((self._search(at, cut).deepest().bytes for at in own), default=0)

    def _require_masked(self, vector: int) -> None:
        """What stays on the stack that it finds may not let others in, which would come on top."""
        symbol = self.program.function_at(vector)
        if symbol is None or self.graph.handlers_of[vector]:
            return
        code = self.program.read(vector, self.program.end_of(symbol) - vector)
        if SEI in (code[at : at + 2] for at in range(0, len(code), 2)):
            raise UserError(
                f"the interrupt handler {symbol.name} lets other interrupts in",
                fix="leave out ISR_NOBLOCK, sei() and interrupts(): what comes on top of it has "
                "no place in any stack",
            )

    def guarded(self, stacks: Sequence[int]) -> list[bool]:
        """Which of these, in order of threads, have a guard."""
        window = taken(self.program, "port_guard_window", 1)
        most = taken(self.program, "port_guard_windows", len(stacks))
        first = list(dict.fromkeys(at // window for at in stacks))[:most]
        return [bool(self.guard) and at // window in first for at in stacks]

    def aligned(self, size: int) -> int:
        """As stacks must be."""
        unit = self.program.architecture.aligned
        return -(-size // unit) * unit

    def _setup_place(self) -> int | None:
        """Threads that are no loops may have places before it (tone)."""
        setup = self.facts.functions("only setup")
        loops = [t.place for t in self.program.threads() if self._calls(t.entry) & setup]
        return min(loops, default=None)

    def _calls(self, entry: int) -> set[int]:
        """Functions that are called by name, from there on."""
        found, work = {entry}, [entry]
        while work:
            new = self.graph.functions[work.pop()].calls - found
            found |= new
            work += new
        return found

    def interrupts(self) -> Need:
        """Of the stack that main, the dispatcher and the handlers share."""
        if self._interrupts is None:
            self._interrupts = self._of_interrupts()
        return self._interrupts

    def _of_interrupts(self) -> Need:
        if task_table.alone(self.program):
            return self._alone()
        handlers = self._handlers()
        needs = {at: self._search(at).deepest() for at in handlers}
        work = [
            self._search(at).deepest() for at in self.facts.functions(f"called {facts.ISR_STACK}")
        ]
        # No room above other interrupts: a fault is the end, the dispatcher is not preempted.
        alone = {*vectors.FAULTS, *((vectors.SVCALL, vectors.PENDSV) if work else ())}
        worst = self._nested(
            {at: n for at, n in needs.items() if not alone.intersection(handlers[at])}
        )
        boot = self.boot()
        below = max((boot, *work), key=lambda need: need.bytes)
        total = below.bytes + sum(need.bytes + self.frame for need in worst)
        total += 0 if worst else self.own
        waits = self.facts.functions("only threads")
        for at, numbers in handlers.items():
            if set(numbers).intersection(vectors.FAULTS):  # begins at the stack's end, and tells
                total = max(total, Search(self.graph, waits, at).deepest().bytes + self.frame)
        # A handler that looks for room looks at the stack of a thread.
        others = (d for need in (*work, *needs.values()) for d in need.doubts)
        doubts = [*boot.doubts, *(d.uncaught() for d in others)]
        return Need(total, [need.chain[0] for need in worst], list(dict.fromkeys(doubts)))

    def boot(self) -> Need:
        """Of the constructors and main, before the first thread."""
        return self._search(self.program.entry, called=self.graph.constructors).deepest()

    def _handlers(self) -> dict[int, list[int]]:
        """What runs on that stack, and for which exceptions; but for what is the end."""
        found = vectors.functions(self.program)
        if self.program.architecture is AVR:
            found = {to: found[at] for at, tos in self.graph.handlers_of.items() for to in tos}
        return {at: numbers for at, numbers in found.items() if at not in self.last}

    def _alone(self) -> Need:
        """Of the only stack there is: main, the tasks on it, and handlers on top of those."""
        boot = self._search(self.program.entry, called=set()).deepest()
        found = vectors.functions(self.program)
        handlers = [self._need(at) + self.frame for at in found if at not in self.last]
        tasks = self._on_top(max(handlers, default=0))
        doubts = [*boot.doubts, *self._doubts_of_tasks()]
        return Need(boot.bytes + tasks + sum(handlers), boot.chain, doubts)

    def _nested(self, handlers: dict[int, Need]) -> list[Need]:
        """The deepest handler of each priority. What the drivers have is known; a program's own may
        have any that nobody else has."""
        levels: dict[str, list[Need]] = {}
        for at, need in handlers.items():
            sources = {n.removeprefix(HANDLER) for n in self.graph.vtables.names.get(at, ())}
            known = (level for level, names in enumerate(self.priorities) if sources & set(names))
            ours = "libtakt" in self.graph.file(at)
            level = next(known, None) if ours else None
            levels.setdefault(hex(at) if level is None else str(level), []).append(need)
        deepest = (max(needs, key=lambda need: need.bytes) for needs in levels.values())
        nested = taken(self.program, "port_priorities", self.program.architecture.priorities)
        return sorted(deepest, key=lambda need: -need.bytes)[:nested]

    def _overhead(self, cut: set[int] | None = None) -> int:
        """Preemption at the worst moment: the interrupt's frame, the call, and, in the place of the
        made-up frame, which is gone by then, that of another interrupt, where one can come. A port
        that preempts without a call (port/armv6m/preempt.S) says what it takes."""
        bytes_ = self.frame + taken(self.program, "port_preempt_bytes")
        calls = self.facts.functions("preempts")
        if not calls:
            return bytes_
        need = max(self._search(at, cut).deepest().bytes for at in calls)
        return bytes_ + self.again + need
