"""Interrupts injected into windows of windows.c, one round of the program a time, and everything
looked at after each. Threads have the stacks that a build asks for, to the byte."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from takt import boards
from takt.code.elf import Program
from takt.code.stacks import Stacks
from takt.machine.machine import Machine

HIGH, LOW = 8, 9  # interrupts, the first more urgent
TOP, MID, WORK, BASE = range(4)
SP, PC, XPSR, MSP, PSP, PRIMASK, CONTROL = 13, 15, 16, 17, 18, 19, 20
WARM = 4  # rounds in which every thread gets where it waits from then on
LIMIT = 20_000  # cycles; no window takes as long
PAINT = 0xA5
CURRENT, CONTEXT = 4, 5  # in struct takt_core; the context may lag behind
FRAME = 1  # in a saved stack pointer: a frame of a preemption is there
SEM = 8  # bytes
STACK = 8  # in a thread's descriptor: the lowest address; the end follows
BELOW = 64  # bytes under a stack: its program has more for each thread than it needs
LINKING = ("-Wl,-z,muldefs", "-Wl,--emit-relocs")  # the latter for the size of stacks
Shot = tuple[int, int]  # interrupt, cycle of the window


class Broken(Exception):
    """What was injected, and what is wrong after it."""


class Windows:
    """A life of the program."""

    limit = LIMIT

    def __init__(
        self,
        board: str,
        elf: Path,
        wakes: tuple[int, int] = (TOP, MID),
        calm: tuple[Shot, ...] = (),
        exact: bool = True,
    ) -> None:
        """calm: what an ordinary window needs to end. exact: live stacks are the same to a byte."""
        about = boards.load(board)
        self.machine = Machine(about.chip, about.core)
        self.machine.load_elf(elf)
        program = Program(elf)
        code = sorted((s.address, s.name) for s in program.symbols if s.section == ".text")
        self._starts, self.names = [at for at, _ in code], [name for _, name in code]
        self.calm = calm
        self._wakes, self._exact = struct.pack("<2I", *wakes), exact
        at = {name: self.machine.symbol(name) for name in ("takt_core", "__takt_tcbs", "sems")}
        self._core, self._tcbs, self._sems = at.values()
        self._core_size = next(s.size for s in program.symbols if s.name == "takt_core")
        table = self.machine.symbol("__takt_threads_start")
        threads = [program.word(table + 4 * n) for n in range(4)]
        build = Stacks(program)
        self.stacks = [
            self._give(program, at, build.thread(thread).bytes)
            for at, thread in zip(threads, program.threads(), strict=True)
        ]
        isr = [self.machine.symbol(f"__takt_isr_stack_{end}") for end in ("start", "end")]
        self.isr_stack = range(*isr)
        self.pcs: Counter[int] = Counter()  # where the core was when the last interrupt came
        self.points = 0
        self._begin()

    def _word(self, address: int) -> int:
        return self.machine.word(address)

    def _value(self, name: str, index: int = 0) -> int:
        return self.machine.word(self.machine.symbol(name) + 4 * index)

    def _give(self, program: Program, thread: int, need: int) -> range:
        """A stack: of what the program has, the upper end. Written to the image."""
        low, end = (program.word(thread + STACK + n) for n in (0, 4))
        assert low + BELOW <= end - need
        section = next(
            s for s in program.sections if thread in range(s.address, s.address + s.size)
        )
        image = thread - section.address + section.load_address
        self.machine.write(image + STACK, struct.pack("<I", end - need))
        return range(end - need, end)

    def _begin(self) -> None:
        """From reset to an opening, all stacks painted; then the window nobody disturbs."""
        m = self.machine
        m.reset()
        for name in ("opened", "closed"):
            m.write(m.symbol(name), bytes(4))
            m.stop_on_write(m.symbol(name))
        while self._value("opened") < WARM:
            stop = m.run(m.now + 5_000_000)
            if stop.reason != "write":
                raise Broken((), f"{stop.reason} {m.fault()}")
            if stop.detail == m.symbol("opened") and 0 < self._value("opened") < WARM:
                m.pend_irq(HIGH, m.now + 100)
                m.pend_irq(LOW, m.now + 150)
        m.write(m.symbol("wakes"), self._wakes)
        for n, stack in enumerate(self.stacks):
            m.write(
                stack.start + 4, bytes([PAINT]) * ((self._sp(n) & ~FRAME) - stack.start - 4 - 64)
            )
        bottom = self.isr_stack.start + 4  # above the sentinel
        m.write(bottom, bytes([PAINT]) * (m.register(MSP) - bottom))
        self._usual: dict[str, object] | None = None
        self.length = self.window(self.calm)

    # What is looked at

    def _sp(self, place: int) -> int:
        running = self.machine.read(self._core + CURRENT, 1)[0]
        return (
            self.machine.register(PSP) if place == running else self._word(self._tcbs + 4 * place)
        )

    def _state(self) -> dict[str, object]:
        """What is the same after every window, whatever happened in it."""
        m = self.machine
        sps = [self._sp(n) for n in range(4)]
        core = m.read(self._core, self._core_size)
        state: dict[str, object] = {
            "takt_core": core[:CONTEXT] + core[CONTEXT + 1 :],
            "semaphores": m.read(self._sems, 4 * SEM),
            "locks": m.read(m.symbol("takt_locks"), 2) if m.has_symbol("takt_locks") else b"",
            "sps": sps,
            "registers": [m.register(n) for n in (MSP, PRIMASK, CONTROL)],
            "sleepers": m.read(m.symbol("takt_timers"), 4) if m.has_symbol("takt_timers") else b"",
            "exception": m.register(XPSR) & 0x1FF,
            "sentinels": [m.read(s.start, 4) for s in (*self.stacks, self.isr_stack)],
            "below stacks": [m.read(s.start - BELOW, BELOW) for s in self.stacks],
        }
        if self._exact:
            for n, sp in enumerate(sps):
                sp &= ~FRAME
                state[f"stack of {n}"] = m.read(sp, self.stacks[n].stop - sp)
        return state

    def _look(self) -> str:
        """What is wrong, at the end of a window."""
        if count := self._value("wrong"):
            return f"{count} times registers or results"
        for n in range(4):
            told, served = self._value("told", n), self._value("served", n)
            if told != served:
                return f"thread {n} was told {told} times and served {served}"
        if self._value("takt_fatal_record"):
            return "fatal"
        state = self._state()
        if self._usual is None:
            self._usual = state
        return ", ".join(what for what in state if state[what] != self._usual[what])

    def deepest(self) -> list[int]:
        """Bytes ever used of each thread's stack, and of the interrupts', since the start."""
        areas = [range(s.start + 4, s.stop) for s in (*self.stacks, self.isr_stack)]
        return [
            len(self.machine.read(area.start, len(area)).lstrip(bytes([PAINT]))) for area in areas
        ]

    # Points

    def window(self, shots: Iterable[Shot], seen: bool = False) -> int:
        """One window with interrupts; returns its cycles. seen: where the last comes is noted."""
        m, shots = self.machine, tuple(shots)
        begin = m.now
        for irq, cycle in shots:
            m.pend_irq(irq, begin + cycle)
        stop = m.run(begin + shots[-1][1]) if seen else None
        if stop is None or stop.reason == "time":
            if seen:
                self._note(m.register(PC) & ~1)
            stop = m.run(begin + self.limit)
        if stop.reason != "write" or stop.detail != m.symbol("closed"):
            raise Broken(shots, f"{stop.reason} {m.fault()}")
        took = m.now - begin
        self._end(shots)
        return took

    def _end(self, shots: tuple[Shot, ...]) -> None:
        if what := self._look():
            raise Broken(shots, what)
        if self.machine.run(self.machine.now + LIMIT).reason != "write":
            raise Broken(shots, f"afterwards: {self.machine.fault()}")

    def path(self, shots: Iterable[Shot]) -> list[tuple[int, int]]:
        """(cycle, address) of all that a window executes."""
        m, begin = self.machine, self.machine.now
        for irq, cycle in shots:
            m.pend_irq(irq, begin + cycle)
        found, closed = [], self._value("closed")
        while self._value("closed") == closed:
            found.append((m.now - begin, m.register(PC) & ~1))
            m.run(m.now + 1)
        self._end(shots)
        return found

    def named(self, addresses: Iterable[int]) -> Counter[str]:
        """How many of them are in which function."""
        return Counter(self.name(at) for at in addresses)

    def name(self, address: int) -> str:
        """The function an address is in."""
        return self.names[bisect_right(self._starts, address) - 1]

    def _note(self, pc: int) -> None:
        self.points += 1
        self.pcs[pc] += 1
