"""A board that runs in QEMU, as a machine in virtual time: what all of them share.

Same methods as machine.Machine, where they make sense; a board's [qemu] table says how. Time is
cycles of the board's clock since the kernel's clock started, to a tick: QEMU counts instructions
(2^shift ns each), and nothing depends on real time, so two runs are the same.

QEMU itself stops nowhere in particular. run() therefore borrows a timer that no driver uses, sets
it through qtest and takes its interrupt at a breakpoint; the firmware then goes on with the return
from that interrupt. How differs: cortex.py, pc.py.

Whenever the gdbstub stops it, QEMU takes the CPU for idle and moves its clock to where the next
timer of any kind expires (once: the request and the move are made under one lock). Timers that
expire right behind the one that stops keep that to a microsecond or two; a breakpoint (break_at)
has none, so there the time moves on to the next alarm, the same in every run.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, NamedTuple

from takt.boards import Board
from takt.code import elf_tables
from takt.errors import UserError
from takt.machine import fatal_record
from takt.machine.qemu_devices import QemuDevices
from takt.machine.qemu_link import Qemu, QemuError

RUN_S = 300.0  # real time a run() may take
SLICE_US = 100_000  # the longest without a look at the serial ports
PIN_US = 1_000  # the same, at pins that are logged
BREAK = "Z1"


class Stop(NamedTuple):
    """Why run() came back."""

    reason: str  # "time", "break", "pin", "halt", "fault"
    cycle: int
    detail: object = None


class QemuMachine(QemuDevices):
    """One life of one program in one QEMU process."""

    PC: int  # the gdbstub's number of the program counter
    REGISTER_BYTES = 4
    ROOM = 2  # bytes of a breakpoint's instruction
    empties_rings = False
    sources: ClassVar[dict[int, str]] = {}

    _qemu: Qemu | None = None

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self.hz = self.board.clock_hz
        self._tick = self._cycles_of_tick()
        self._path: Path | None = None
        self._symbols: dict[str, tuple[int, int]] = {}
        self._breaks: set[int] = set()
        self._forget()

    def _forget(self) -> None:
        self._at = 0  # ticks
        self._fault: str | None = None
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = 0

    # What differs

    def _cycles_of_tick(self) -> int:
        """The unit in which a board's time is known."""
        return self.hz // 1_000_000

    def _arguments(self) -> list[str]:
        """QEMU's, beside those of all."""
        raise NotImplementedError

    def _begin(self) -> None:
        """QEMU stands before the first instruction: breakpoints of ours, and on to where a program
        is loaded."""
        raise NotImplementedError

    def _look(self) -> None:
        """Reads the clock."""
        raise NotImplementedError

    def _arm(self, end: int) -> None:
        """Sets the timer that stops at a tick, or soon."""
        raise NotImplementedError

    def _halted(self, at: int) -> bool:
        """Whether the program has come to its end there."""
        raise NotImplementedError

    def _taken(self, at: int) -> bool:
        """Goes on from a stop that nobody needs to know of."""
        raise NotImplementedError

    # Loading

    def load_elf(self, path: str | Path) -> None:
        """Loads a program, to be run from its reset."""
        self._path = Path(path)
        with elf_tables.opened(self._path) as elf:
            for s in elf_tables.symbols(elf, elf.get_section_by_name(".symtab")):
                thumb = elf["e_machine"] == "EM_ARM" and s.kind == "FUNC"
                self._symbols[s.name] = s.value - (s.value & thumb), s.size
            text = elf.get_section_by_name(".text")
            self._text, self._text_at = text.data(), text["sh_addr"]
        self.reset()

    def reset(self) -> None:
        """A life from the beginning, in a process of its own."""
        if self._path is None:
            raise UserError("no program is loaded", fix="call load_elf() first")
        self.close()
        self._forget()
        self._forget_devices()
        arguments = ["-M", self.how["machine"], "-kernel", str(self._path), *self._arguments()]
        self._qemu = Qemu(self.how["program"], arguments, max(self.how["serial"]) + 1)
        self._begin()
        for address in self._breaks:
            self._gdb.order(f"{BREAK},{address:x},{self.ROOM}")
        if "_SEGGER_RTT" in self._symbols:
            self.rtt_attach(self.symbol("_SEGGER_RTT"))

    def _find(self, start: int, size: int, code: bytes, step: int = 1) -> list[int]:
        """Where an instruction is in a part of the program."""
        part = self._text[start : start + size]
        found = [at for at in range(0, len(part), step) if part.startswith(code, at)]
        return [self._text_at + start + at for at in found]

    def close(self) -> None:
        """Ends the process; the machine can be reset into another life."""
        if self._qemu:
            self._qemu.close()
            self._qemu = None

    def __del__(self) -> None:
        self.close()

    @property
    def _process(self) -> Qemu:
        if self._qemu is None:
            raise UserError("no program is loaded", fix="call load_elf() first")
        return self._qemu

    @property
    def _gdb(self):
        return self._process.gdb

    @property
    def _qtest(self):
        return self._process.qtest

    # Time

    @property
    def now(self) -> int:
        return self._at * self._tick

    def clock_us(self) -> float:
        """The kernel's clock."""
        return self.now * 1_000_000 / self.hz

    def run(self, until: int) -> Stop:
        """Until the cycle given or the first stop."""
        end = -(-until // self._tick)
        while True:
            while self._queue and self._queue[0][0] <= self._at:
                heapq.heappop(self._queue)[2]()
            if self._at >= end:
                return Stop("time", self.now)
            if self._fault:
                return Stop("halt", self.now, self._fault)
            stop = self._run_to(min(end, self._queue[0][0]) if self._queue else end)
            if stop:
                return stop

    def _slice_us(self) -> int:
        """The longest stretch without a stop."""
        return PIN_US if self._logged else SLICE_US

    def _run_to(self, end: int) -> Stop | None:
        """None: it is time, or there is nothing to tell."""
        slice_ = self._slice_us() * self.hz // self._tick // 1_000_000
        try:
            self._arm(min(end, self._at + slice_))
            self._resume()
            self._look()
            self._drain()
            if self._logged:
                self._pin_changes()
            return self._why_at(self.register(self.PC))
        except QemuError as error:
            self._fault = str(error)
            return Stop("fault", self.now, self._fault)

    def _resume(self) -> None:
        """Off a breakpoint, if it stands on one, and on to the next stop."""
        if self._breaks and (at := self.register(self.PC)) in self._breaks:
            self._step_off(at)
        if not self._gdb.resume(RUN_S):
            raise QemuError(f"nothing happened for {RUN_S:g} s; pc = {self.register(self.PC):#x}")

    def _step_off(self, at: int) -> None:
        """One instruction on from a breakpoint."""
        self._gdb.order(f"z1,{at:x},{self.ROOM}")
        self._gdb.ask("s")
        self._gdb.order(f"{BREAK},{at:x},{self.ROOM}")

    def _why_at(self, at: int) -> Stop | None:
        if self._taken(at):
            return None
        if self._halted(at):
            self._fault = self._fatal_line()
            return Stop("halt", self.now, self._fault)
        if at in self._breaks:
            return Stop("break", self.now, at)
        raise QemuError(f"stopped at {at:#x} for no reason")

    def _fatal_line(self) -> str:
        if not self.has_symbol(fatal_record.TOLD):
            return "halt"
        return fatal_record.told(self).why or "halt"

    def fault(self) -> str | None:
        """The reason of the fatal line, or what ended QEMU."""
        return self._fault

    def unimplemented(self) -> list[str]:
        """What the firmware asked of devices that QEMU does not have; each once. Not what the board
        file knows of, nor what QEMU itself asks at its first reset, the program not yet loaded."""
        known = (
            *self.how.get("ignore", ()),
            "Invalid read at addr 0x0,",
            "Invalid read at addr 0x4,",
        )
        lines = self._process.log.read_text().splitlines()
        return [line for line in dict.fromkeys(lines) if not line.startswith(known)]

    def break_at(self, address: int, on: bool = True) -> None:
        """run() stops before the instruction."""
        if on != (address in self._breaks):
            (self._breaks.add if on else self._breaks.remove)(address)
            self._gdb.order(f"{BREAK if on else 'z1'},{address:x},{self.ROOM}")

    def later(self, cycle: int | None, action: Callable[[], None]) -> None:
        self._order += 1
        at = self._at if cycle is None else max(-(-cycle // self._tick), self._at)
        heapq.heappush(self._queue, (at, self._order, action))

    # Memory, registers

    def read(self, address: int, size: int) -> bytes:
        return self._qtest.read(address, size)

    def write(self, address: int, data: bytes) -> None:
        self._qtest.write(address, data)

    def word(self, address: int) -> int:
        return self._qtest.word(address)

    def pointer(self, address: int) -> int:
        """Address of what the pointer there points to; 0: NULL."""
        return int.from_bytes(self.read(address, self.REGISTER_BYTES), "little")

    def register(self, number: int) -> int:
        """As the gdbstub numbers them. Cortex-M: 0-15, 25 xPSR."""
        return self._gdb.register(number)

    @property
    def pc(self) -> int:
        """Of the instruction that is next."""
        return self.register(self.PC)

    def symbol(self, name: str) -> int:
        return self._symbols[name][0]

    def has_symbol(self, name: str) -> bool:
        return name in self._symbols
