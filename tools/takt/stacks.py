"""How much stack every thread and the interrupts need.

A thread needs the deepest chain of calls from its entry; on top, at the worst moment, the frame of
an interrupt, the made-up frame of a preemption and what the kernel calls in it (port/armv6m); below
lies the sentinel. Parts of the dispatcher cannot be preempted, only interrupted: there the frame is
all. Interrupts share one stack: the deepest handler of each priority, above the program before the
first thread, or the dispatcher with budgets, which works there.

A port that takes more says so by symbols (port/armv7m/switch.S): port_guard_bytes at the bottom
instead of the sentinel, port_frame_bytes with every frame, port_preempt_bytes with a preemption;
port_priorities: how many interrupts nest, if not four.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from takt import task_table
from takt.callgraph import CallGraph
from takt.codeflow import Function
from takt.elf import Descriptor, Program
from takt.names import plain
from takt.rings import rings

# Of what these call only these can be preempted: else interrupts are off, or takt_cpu.busy is set.
DISPATCHER = {"takt_block_locked", "takt_dispatch_locked", "breathe_locked"}
DISPATCHER |= {"takt_leave_locked", "takt_thread_exit"}
DISPATCHER |= {"takt_sem_leave"}  # whose end has interrupts on
ON_ISR_STACK, DISPATCHER_WORK = "port_on_isr_stack", "dispatch_work"  # who calls it, alone
# Need no room above other interrupts: a fault is the end, and the dispatcher is not preempted.
WAITING = {"takt_sleep", "takt_sem_wait", "takt_sem_wait_for"}  # not in an interrupt
ALONE = ({"isr_hardfault"}, {"isr_hardfault", "isr_pendsv", "isr_svcall"})
COMMON_HANDLER = "port_isr"  # what a vector of AVR goes on in, on the interrupts' stack
SWITCHING = ("port_", "isr_", "takt_sem_")  # written by hand: to another stack and back
RECURSION_DEPTH = 8  # levels counted for a recursion nobody has bounded
NEVER_RETURN = {"takt_fatal"}  # reached only when all is lost: may use what it finds
NOT_OF_TASKS = {*NEVER_RETURN, "takt_tasks_preempted_locked"}  # of all but the tasks' thread
HANDLER_ENTRY, LOOP_ENTRY = "takt_arduino_handler", "takt_arduino_thread"
JOB_ENTRY, PIPE_ENTRY = "takt_periodic_thread", "takt_arduino_pipe"
# Whose argument, if any, is all they call by pointer.
SKETCH_ENTRIES = {HANDLER_ENTRY, LOOP_ENTRY, JOB_ENTRY, PIPE_ENTRY}
SETUP_BEGINS = "takt_arduino_setup"
PLACING = "takt_place_jobs"  # of a sketch, in setup's thread
SETUP = {"_Z5setupv", SETUP_BEGINS}
ENDS_JOB = "takt_end_job_locked"  # jumps back to where its thread began: calls nobody there
BY_POINTER = {ON_ISR_STACK, ENDS_JOB, *task_table.CALLERS}  # whom they go to is known


@dataclass
class Need:
    """Stack bytes, the chain of calls that takes them, and what the figure rests on."""

    bytes: int
    chain: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)  # recursion, run-time stack: not a bound
    calls: int = 0  # of a thread's bytes: of the chain, the rest is for being interrupted


class _Search:
    """The deepest chain of calls from a function."""

    def __init__(
        self,
        graph: CallGraph,
        cut: set[str],
        entry: int,
        called: set[int] | None = None,
        preempted: bool = False,
    ) -> None:
        """called: what the entry calls by pointer, where that is known; preempted: down to where
        that can happen only."""
        self.graph, self.cut, self.entry, self.preempted = graph, cut, entry, preempted
        self.called = {c for c in called if c in graph.functions} if called is not None else None
        self.needs: dict[int, Need] = {}
        for ring in rings(entry, self.callees):  # callees before callers
            self._settle(ring)

    def deepest(self) -> Need:
        return self.needs[self.entry]

    def callees(self, address: int, pointers: bool = True) -> list[int]:
        """As the graph says; but an entry's pointers may be known."""
        function = self.graph.functions[address]
        found = set(function.calls)
        if address == self.entry and function.pointer_calls and self.called is not None:
            found.update(self.called)
        elif pointers and function.name.split(".")[0] not in BY_POINTER:
            found.update(self.graph.callees(function))
        name = {callee: self.graph.functions[callee].name for callee in found}
        if self.preempted and function.name in DISPATCHER:
            found = {callee for callee in found if name[callee] in DISPATCHER}
        cut = {*self.cut, DISPATCHER_WORK}
        return sorted(callee for callee in found if name[callee] not in cut)

    def _settle(self, ring: list[int]) -> None:
        """Needs of functions that all reach one another; of one function, most of the time."""
        functions = [self.graph.functions[address] for address in ring]
        outside = {c for address in ring for c in self.callees(address)} - set(ring)
        doubts = dict.fromkeys(d for c in sorted(outside) for d in self.needs[c].doubts)
        frames = [self._frame(function, doubts) for function in functions]
        recursive = len(ring) > 1 or ring[0] in self.callees(ring[0])
        if not recursive:
            self.needs[ring[0]] = self._deepest(functions[0], frames[0], outside, doubts)
            return
        best = max((self.needs[c] for c in outside), key=lambda need: need.bytes, default=Need(0))
        size = sum(frames)
        direct = any(len(r) > 1 for r in rings(ring[0], self._within(ring))) or any(
            address in self.callees(address, pointers=False) for address in ring
        )
        levels = RECURSION_DEPTH if direct else 1
        names = ", ".join(plain(function.name) for function in functions)
        doubts[f"recursion of {names} ({size} bytes a level, {levels} counted)"] = None
        for function in functions:
            chain = [function.name, *best.chain]
            total = size * levels + best.bytes
            self.needs[function.address] = Need(total, chain, list(doubts))

    def _deepest(
        self, function: Function, frame: int, outside: set[int], doubts: dict[str, None]
    ) -> Need:
        """Of a function that does not come back to itself."""
        found = Need(frame, [function.name], list(doubts))
        more = frame - function.frame
        for callee in sorted(outside):
            need = self.needs[callee]
            total = function.taken_at(callee) + more + need.bytes
            if total > found.bytes:
                found = Need(total, [function.name, *need.chain], found.doubts)
        return found

    def _within(self, ring: list[int]) -> Callable[[int], list[int]]:
        """Direct calls inside a ring."""
        return lambda address: [c for c in self.callees(address, pointers=False) if c in ring]

    def _frame(self, function: Function, doubts: dict[str, None]) -> int:
        if function.dynamic and not function.name.startswith(SWITCHING):
            doubts[f"{plain(function.name)} takes stack at run time (variable array, alloca)"] = (
                None
            )
        idle = function.name == "port_idle"
        program = self.graph.program
        frame, more = taken(program, "port_frame_bytes"), taken(program, "port_preempt_bytes")
        extra = frame if program.architecture.masked else 2 * frame + more
        return function.frame + (program.architecture.idle + extra if idle else 0)


def taken(program: Program, name: str, otherwise: int = 0) -> int:
    """What the port says it takes."""
    symbol = program.by_name.get(name)
    return symbol.address if symbol else otherwise


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
        frame = program.architecture.frame + taken(program, "port_frame_bytes")
        self.own = self._own_handlers()
        self.frame = max(frame, self.own)
        self.again = 0 if program.architecture.masked else self.frame  # where it is preempted
        self.guard = taken(program, "port_guard_bytes")
        self.bottom = self.guard or program.architecture.sentinel
        self.overhead = self._overhead()

    def thread(self, thread: Descriptor) -> Need:
        """Of a thread. setup() runs in the most urgent of the sketch's loops."""
        runs_setup = thread.place == self._setup_place()
        cut = NEVER_RETURN if runs_setup else {*NEVER_RETURN, *SETUP}
        if SETUP_BEGINS in self.program.by_name and not runs_setup:
            cut |= {PLACING}
        known = thread.called and self.graph.functions[thread.entry].name in SKETCH_ENTRIES
        called = {thread.called} if known else None
        if self.graph.functions[thread.entry].name in task_table.ENTRIES:
            return self._tasks(thread.entry, cut)
        whole = _Search(self.graph, cut, thread.entry, called).deepest()
        outside = _Search(self.graph, cut, thread.entry, called, preempted=True).deepest()
        inside = whole.bytes + self.again
        depth = max(inside, outside.bytes + self.overhead)
        deepest = whole if depth == inside else outside
        total = self.aligned(depth + self.bottom)
        return Need(total, deepest.chain, whole.doubts, deepest.bytes)

    def reached(self, thread: Descriptor, setup: bool) -> set[int]:
        """Functions that a thread may come to. setup: also from setup(), if it runs that."""
        cut = NEVER_RETURN
        if not (setup and thread.place == self._setup_place()):
            cut = cut | SETUP | ({PLACING} if SETUP_BEGINS in self.program.by_name else set())
        name = self.graph.functions[thread.entry].name
        called = {thread.called} if thread.called and name in SKETCH_ENTRIES else None
        found = set(_Search(self.graph, cut, thread.entry, called).needs)
        if name in task_table.ENTRIES:
            for task in task_table.read(self.program):
                found |= set(_Search(self.graph, cut, task.run).needs)
        return found

    def _tasks(self, entry: int, cut: set[str]) -> Need:
        """Of the thread of all tasks: each of them on top of a preemption of the next."""
        whole = _Search(self.graph, cut, entry).deepest()
        again = self._overhead(cut=NEVER_RETURN)
        tasks = task_table.on_top(self.program, self._need, again)
        total = self.aligned(whole.bytes + tasks + again + self.bottom)
        return Need(total, whole.chain, whole.doubts, whole.bytes + tasks)

    def _need(self, address: int) -> int:
        return _Search(self.graph, NEVER_RETURN, address).deepest().bytes

    def _own_handlers(self) -> int:
        """Of vectors, as far as they stay on the stack they find: avr-libc's ISR(), which may not
        call the kernel, and what comes before port_isr."""
        if COMMON_HANDLER not in self.program.by_name:
            return 0
        vectors = [f.address for f in self.program.functions if f.name.startswith("__vector_")]
        cut = {*NEVER_RETURN, COMMON_HANDLER}
        return max((_Search(self.graph, cut, at).deepest().bytes for at in vectors), default=0)

    def aligned(self, size: int) -> int:
        """As stacks must be."""
        unit = self.program.architecture.aligned
        return -(-size // unit) * unit

    def _setup_place(self) -> int | None:
        """Threads that are no loops may have places before it (tone)."""
        if SETUP_BEGINS not in self.program.by_name:
            return None
        named = (
            self.program.by_name.get(name)
            for name in (LOOP_ENTRY, JOB_ENTRY, PIPE_ENTRY, *task_table.ENTRIES)
        )
        entries = {symbol.address for symbol in named if symbol}
        loops = [t.place for t in self.program.threads() if t.entry in entries]
        return min(loops, default=None)

    def interrupts(self) -> Need:
        """Of the stack that main, the dispatcher and the handlers share."""
        if task_table.alone(self.program):
            return self._alone()
        unhandled = self.program.by_name.get("takt_unhandled_isr")
        handlers = {
            s.name: _Search(self.graph, NEVER_RETURN, s.address).deepest()
            for s in self.program.functions
            if s.name.startswith("isr_") and not (unhandled and s.address == unhandled.address)
        }
        work = self.program.by_name.get(DISPATCHER_WORK)
        worst = self._nested({n: h for n, h in handlers.items() if n not in ALONE[bool(work)]})
        entry = self.program.entry
        boot = _Search(self.graph, NEVER_RETURN, entry, self.graph.constructors).deepest()
        below = _Search(self.graph, NEVER_RETURN, work.address).deepest() if work else Need(0)
        total = max(boot.bytes, below.bytes) + sum(need.bytes + self.frame for need in worst)
        total += 0 if worst else self.own
        fault = handlers.get("isr_hardfault")
        if fault:  # begins anew at the end of the stack (port/armv6m/fault.c), and tells
            address = self.program.by_name["isr_hardfault"].address
            said = _Search(self.graph, WAITING, address).deepest().bytes + self.frame
            total = max(total, said)
        needs = [boot, below, *handlers.values()]
        doubts = dict.fromkeys(d for need in needs for d in need.doubts)
        return Need(total, [need.chain[0] for need in worst], list(doubts))

    def _alone(self) -> Need:
        """Of the only stack there is: main, the tasks on it, and handlers on top of those."""
        boot = _Search(self.graph, NEVER_RETURN, self.program.entry, set()).deepest()
        vectors = [
            self._need(address) + self.frame for _, address in task_table.handlers(self.program)
        ]
        tasks = task_table.on_top(self.program, self._need, max(vectors, default=0))
        return Need(boot.bytes + tasks + sum(vectors), boot.chain, boot.doubts)

    def _nested(self, handlers: dict[str, Need]) -> list[Need]:
        """The deepest handler of each priority. What the drivers have is known; a program's own may
        have any that nobody else has."""
        levels: dict[str, list[Need]] = {}
        for name, need in handlers.items():
            source = name.removeprefix("isr_")
            known = (level for level, names in enumerate(self.priorities) if source in names)
            ours = "libtakt" in self.graph.file(self.program.by_name[name].address)
            level = next(known, None) if ours else None
            levels.setdefault(name if level is None else str(level), []).append(need)
        deepest = (max(needs, key=lambda need: need.bytes) for needs in levels.values())
        nested = taken(self.program, "port_priorities", self.program.architecture.priorities)
        return sorted(deepest, key=lambda need: -need.bytes)[:nested]

    def _overhead(self, cut: set[str] = NOT_OF_TASKS) -> int:
        """Preemption at the worst moment: the interrupt's frame, the call, and, in the place of the
        made-up frame, which is gone by then, that of another interrupt, where one can come. A port
        that preempts without a call (port/armv6m/preempt.S) says what it takes."""
        bytes_ = self.frame + taken(self.program, "port_preempt_bytes")
        preempt = self.program.by_name.get("takt_preempt")
        if preempt is None:
            return bytes_
        need = _Search(self.graph, cut, preempt.address).deepest()
        return bytes_ + self.again + need.bytes
