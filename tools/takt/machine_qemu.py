"""A board that runs in QEMU, as a machine in virtual time.

Same methods as machine.Machine, where they make sense; a board's [qemu] table says how. Time is
cycles of the board's clock since the kernel's clock started, to a microsecond: QEMU counts
instructions (2^shift ns each), and nothing depends on real time, so two runs are the same.

QEMU itself stops nowhere in particular. run() therefore borrows a timer of the chip that no driver
uses, sets it through qtest and takes its interrupt, which has no handler, at a breakpoint where
that would be reported; the firmware then goes on with the return from that interrupt. It costs the
program one exception of one instruction, and the stack a frame. While the firmware has interrupts
off the stop is late by that long, which Stop.cycle tells.

Whenever the gdbstub stops it, QEMU takes the CPU for idle and moves its clock to where the next
timer of any kind expires (once: the request and the move are made under one lock). Timers that
expire right behind the one that stops keep that to a microsecond or two; a breakpoint (break_at)
has none, so there the time moves on to the next alarm, the same in every run.
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from elftools.elf.elffile import ELFFile

from takt import boards
from takt.errors import UserError
from takt.qemu_devices import QemuDevices
from takt.qemu_link import Qemu, QemuError

RUN_S = 300.0  # real time a run() may take
SLICE_US = 100_000  # the longest without a look at the serial ports
PIN_US = 1_000  # the same, at pins that are logged
FIRST_US = 100
PC, XPSR = 15, 25
NVIC_ENABLE, SYSTICK_RELOAD, SYSTICK_VALUE, ICSR = 0xE000E100, 0xE000E014, 0xE000E018, 0xE000ED04
SYSTICK_PENDING = 1 << 26
BX_LR, WFI = b"\x70\x47", b"\x30\xbf"
UNHANDLED, FATAL = "takt_unhandled_isr", "port_halt"
BREAK = "Z1"


class Stop(NamedTuple):
    """Why run() came back."""

    reason: str  # "time", "break", "halt", "fault"
    cycle: int
    detail: object = None


class QemuMachine(QemuDevices):
    """One life of one program in one QEMU process."""

    _qemu: Qemu | None = None

    def __init__(self, board: str) -> None:
        super().__init__(boards.load(board))
        self.hz = self.board.clock_hz
        self._mhz = self.hz // 1_000_000
        self._path: Path | None = None
        self._symbols: dict[str, tuple[int, int]] = {}
        self._breaks: set[int] = set()
        self._forget()

    def _forget(self) -> None:
        self._us = 0
        self._fault: str | None = None
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = 0

    # Loading

    def load_elf(self, path: str | Path) -> None:
        """Loads a program, to be run from its reset."""
        self._path = Path(path)
        with open(path, "rb") as file:
            elf = ELFFile(file)
            for s in elf.get_section_by_name(".symtab").iter_symbols():
                thumb = s["st_info"]["type"] == "STT_FUNC"
                self._symbols[s.name] = s["st_value"] - (s["st_value"] & thumb), s["st_size"]
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
        arguments = ["-M", self.how["machine"], "-kernel", str(self._path)]
        arguments += ["-icount", f"shift={self.how['shift']},align=off,sleep=off"]
        self._qemu = Qemu(arguments, max(self.how["serial"]) + 1)
        self._return_at = self._find(0, len(self._text), BX_LR)[0]
        fatal, size = self._symbols[FATAL]
        self._halts = self._find(fatal - self._text_at, size, WFI)
        for address in [*self._halts, self.symbol(UNHANDLED), *self._breaks]:
            self._gdb.order(f"{BREAK},{address:x},2")
        if "_SEGGER_RTT" in self._symbols:
            self.rtt_attach(self.symbol("_SEGGER_RTT"))

    def _find(self, start: int, size: int, code: bytes) -> list[int]:
        """Where an instruction is in a part of the program."""
        part = self._text[start : start + size]
        found = [at for at in range(0, len(part) - 1, 2) if part[at : at + 2] == code]
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
        return self._us * self._mhz

    def clock_us(self) -> float:
        """The kernel's clock."""
        return float(self._us)

    def _look(self) -> None:
        """Reads the clock."""
        clock = self.how["clock"]
        if "symbol" in clock:
            value = self._systick(clock)
        else:
            for address, word in clock.get("write", []):
                self._qtest.set_word(address, word)
            value = self._qtest.word(clock["read"])
        passed = (value - self._us) & 0xFFFFFFFF
        self._us = self._us + passed if passed < 1 << 31 else value  # it was set anew, at its start

    def _systick(self, clock: dict[str, Any]) -> int:
        """A clock of SysTick and a count of its wraps."""
        wraps = self.word(self.symbol(clock["symbol"]))
        wraps += self._qtest.word(ICSR) & SYSTICK_PENDING != 0
        ticks = self._qtest.word(SYSTICK_RELOAD) - self._qtest.word(SYSTICK_VALUE)
        return (wraps << clock["shift"]) + ticks // clock["ticks"] & 0xFFFFFFFF

    def run(self, until: int) -> Stop:
        """Until the cycle given or the first stop."""
        end = -(-until // self._mhz)
        while True:
            while self._queue and self._queue[0][0] <= self._us:
                heapq.heappop(self._queue)[2]()
            if self._us >= end:
                return Stop("time", self.now)
            stop = self._run_to(min(end, self._queue[0][0]) if self._queue else end)
            if stop:
                return stop

    def _run_to(self, end: int) -> Stop | None:
        """None: it is time, or there is nothing to tell."""
        how = self.how["stop"]
        slice_us = PIN_US if self._logged else SLICE_US
        if self._us == 0:  # timers may still run at the clock of reset
            slice_us = FIRST_US
        count = min(end - self._us, slice_us) * how["hz"] // 1_000_000
        if self._fault:
            return Stop("halt", self.now, self._fault)
        for address, word in how["arm"]:
            ticks = count + int(word[1:] or 0) if isinstance(word, str) else word
            self._qtest.set_word(address, ticks)
        self._qtest.set_word(NVIC_ENABLE + how["irq"] // 32 * 4, 1 << how["irq"] % 32)
        try:
            self._resume()
            self._look()
            self._drain()
            if self._logged:
                self._pin_changes()
            return self._why()
        except QemuError as error:
            self._fault = str(error)
            return Stop("fault", self.now, self._fault)

    def _resume(self) -> None:
        """Off a breakpoint, if it stands on one, and on to the next stop."""
        at = self.register(PC)
        if at in self._breaks:
            self._gdb.order(f"z1,{at:x},2")
            self._gdb.ask("s")
            self._gdb.order(f"{BREAK},{at:x},2")
        if not self._gdb.resume(RUN_S):
            raise QemuError(f"nothing happened for {RUN_S:g} s; pc = {self.register(PC):#x}")

    def _why(self) -> Stop | None:
        at, how = self.register(PC), self.how["stop"]
        if at == self.symbol(UNHANDLED) and self.register(XPSR) & 0x1FF == 16 + how["irq"]:
            for address, word in how["clear"]:
                self._qtest.set_word(address, word)
            self._gdb.set_register(PC, self._return_at)
            return None
        if at == self.symbol(UNHANDLED):  # it goes on to say so itself
            self._gdb.order(f"z1,{at:x},2")
            return None
        if at in self._halts:
            self._fault = self._fatal_line()
            return Stop("halt", self.now, self._fault)
        if at in self._breaks:
            return Stop("break", self.now, at)
        raise QemuError(f"stopped at {at:#x} for no reason")

    def _fatal_line(self) -> str:
        if not self.has_symbol("takt_fatal_record"):
            return "halt"
        why = struct.unpack("<III", self.read(self.symbol("takt_fatal_record"), 12))[2]
        return self.read(why, 120).split(b"\0")[0].decode("utf-8", "replace") if why else "halt"

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
            self._gdb.order(f"{BREAK if on else 'z1'},{address:x},2")

    def later(self, cycle: int | None, action: Callable[[], None]) -> None:
        self._order += 1
        us = self._us if cycle is None else max(-(-cycle // self._mhz), self._us)
        heapq.heappush(self._queue, (us, self._order, action))

    # Memory, registers

    def read(self, address: int, size: int) -> bytes:
        return self._qtest.read(address, size)

    def write(self, address: int, data: bytes) -> None:
        self._qtest.write(address, data)

    def word(self, address: int) -> int:
        return self._qtest.word(address)

    def pointer(self, address: int) -> int:
        """Address of what the pointer there points to; 0: NULL."""
        return self.word(address)

    def register(self, number: int) -> int:
        """0-15, 25 xPSR."""
        return self._gdb.register(number)

    @property
    def pc(self) -> int:
        """Of the instruction that is next."""
        return self.register(PC)

    def symbol(self, name: str) -> int:
        return self._symbols[name][0]

    def has_symbol(self, name: str) -> bool:
        return name in self._symbols
