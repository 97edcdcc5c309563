"""A Cortex-M in QEMU.

run() stops by the interrupt of a timer of the chip, which has no handler, where that would be
reported: at a watchpoint of what is read there first, as QEMU forgets all that it has translated at
breakpoints. It costs the program one exception of one instruction, and the stack a frame. While the
firmware has interrupts off the stop is late by that long, which Stop.cycle tells.
"""

from __future__ import annotations

from typing import Any

from takt.machine.qemu import BREAK, QemuMachine
from takt.machine.qemu_link import QemuError

FIRST_US = 100
XPSR = 25
NVIC_ENABLE, SYSTICK_RELOAD, SYSTICK_VALUE, ICSR = 0xE000E100, 0xE000E014, 0xE000E018, 0xE000ED04
SYSTICK_PENDING = 1 << 26
BX_LR, WFI = b"\x70\x47", b"\x30\xbf"
MRS_R0_PSP = b"\xef\xf3\x09\x80"
LDR_LITERAL, LDR_MASK = 0x48, 0xF8
WATCH = "Z3"  # of reads
UNHANDLED, FATAL = "takt_unhandled_isr", "port_halt"


class CortexMachine(QemuMachine):
    """A tick is a microsecond."""

    PC = 15

    def _arguments(self) -> list[str]:
        return ["-icount", f"shift={self.how['shift']},align=off,sleep=off"]

    def _begin(self) -> None:
        self._return_at = self._find(0, len(self._text), BX_LR, 2)[0]
        fatal, size = self._symbols[FATAL]
        self._halts = self._find(fatal - self._text_at, size, WFI, 2)
        for address in self._halts:
            self._gdb.order(f"{BREAK},{address:x},{self.ROOM}")
        self._unhandled = self.symbol(UNHANDLED)
        self._watched = self._first_read(self._unhandled)
        self._gdb.order(f"{WATCH},{self._watched:x},4")

    def _first_read(self, function: int) -> int:
        """Address of the literal that its first instruction, ldr rN, [pc, #], loads."""
        at = function - self._text_at
        ahead, load = self._text[at : at + 2]
        if load & LDR_MASK != LDR_LITERAL:
            raise QemuError(f"{UNHANDLED} does not begin with a literal")
        return (function + 4 & ~3) + 4 * ahead

    def _look(self) -> None:
        clock = self.how["clock"]
        if "symbol" in clock:
            value = self._systick(clock)
        else:
            self._qtest.put_off(clock.get("write", []))
            value = self._qtest.word(clock["read"])
        passed = (value - self._at) & 0xFFFFFFFF
        self._at = self._at + passed if passed < 1 << 31 else value  # it was set anew, at its start

    def _systick(self, clock: dict[str, Any]) -> int:
        """A clock of SysTick and a count of its wraps."""
        asked = self.symbol(clock["symbol"]), ICSR, SYSTICK_RELOAD, SYSTICK_VALUE
        wraps, pending, reload, value = self._qtest.words(asked)
        wraps += pending & SYSTICK_PENDING != 0
        ticks = reload - value
        return (wraps << clock["shift"]) + ticks // clock["ticks"] & 0xFFFFFFFF

    def _slice_us(self) -> int:
        """At first timers may still run at the clock of reset."""
        return super()._slice_us() if self._at else FIRST_US

    def _arm(self, end: int) -> None:
        how = self.how["stop"]
        count = (end - self._at) * how["hz"] // 1_000_000
        words = [
            (address, count + int(word[1:] or 0) if isinstance(word, str) else word)
            for address, word in how["arm"]
        ]
        self._qtest.set_words([*words, (NVIC_ENABLE + how["irq"] // 32 * 4, 1 << how["irq"] % 32)])

    def _taken(self, at: int) -> bool:
        if at != self._unhandled:  # QEMU's Arm stops before it reads
            return False
        how = self.how["stop"]
        if self.register(XPSR) & 0x1FF == 16 + how["irq"]:
            self._qtest.put_off(how["clear"])
            self._gdb.set_register(self.PC, self._return_at, self.REGISTER_BYTES)
        else:  # it goes on to say so itself
            self._gdb.order(f"z{WATCH[1:]},{self._watched:x},4")
        return True

    def _halted(self, at: int) -> bool:
        return at in self._halts

    def psp(self) -> int | None:
        """The threads' stack pointer, of a program that has come to its end: QEMU does not tell it,
        so the CPU is made to by an instruction of the program's."""
        found = self._find(0, len(self._text), MRS_R0_PSP, 2)
        if not found:
            return None
        self._gdb.set_register(self.PC, found[0], self.REGISTER_BYTES)
        self._gdb.ask("s")
        return self.register(0)
