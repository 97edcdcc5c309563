"""malloc() that failed in a run, as the machine sees it: where its caller goes on, what it gave.

The program knows nothing of this, and is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from takt.code.architecture import AVR

if TYPE_CHECKING:
    from takt.code.elf import Program

CORTEX = "_malloc_r", 1, 0, 13, 14  # newlib's: registers of the size, of what it gives, sp, lr
AVR_SIZE, AVR_SP = 24, 33  # r24:25, which also are what it gives
DATA = 0x80_0000
AT_ONCE = 16  # calls under way, each of another thread


class Call(NamedTuple):
    back: int  # where its caller goes on, and with which stack pointer
    sp: int
    size: int


@dataclass
class Allocations:
    """Of one program on one machine; break addresses are what it sees by."""

    machine: Any
    program: Program
    stacks: list[range]  # of threads
    kept: frozenset[int] = frozenset()  # break addresses that are needed for something else, too
    failed: int = 0
    largest: int = 0  # bytes asked for by one that failed
    _open: dict[int, Call] = field(default_factory=dict)  # by stack

    def __post_init__(self) -> None:
        self.avr = self.program.architecture is AVR
        function = self.program.by_name.get("malloc" if self.avr else CORTEX[0])
        able = getattr(self.machine, "sees_delivery", False)
        self.entry = function.address & ~1 if function and able else None
        if self.entry is not None:
            self.machine.break_at(self.entry)

    def took(self, stop: Any) -> bool:
        """Whether the machine has stopped for this, and may go on."""
        if self.entry is None or stop is None or stop.reason != "break":
            return False
        at = self.machine.pc & ~1
        if at == self.entry:
            self._called()
            return True
        return self._returned(at)

    def _called(self) -> None:
        """A call that is under way on the same stack never returns: its job has been ended."""
        call = self._avr() if self.avr else self._cortex()
        stack = self._stack(call.sp)
        self._lift(self._open.pop(stack, None))
        if len(self._open) < AT_ONCE:
            self._open[stack] = call
            self.machine.break_at(call.back)

    def _stack(self, sp: int) -> int:
        """Which it points into; of what the build does not know, the pointer itself."""
        at = sp - 1 + (DATA if self.avr else 0)
        return next((stack.start for stack in self.stacks if at in stack), sp)

    def _lift(self, call: Call | None) -> None:
        """The break of a call that is no longer open, where no other is for the same address."""
        needed = self.kept | {other.back for other in self._open.values()}
        if call and call.back not in needed:
            self.machine.break_at(call.back, False)

    def _cortex(self) -> Call:
        register: Callable[[int], int] = self.machine.register
        return Call(register(CORTEX[4]) & ~1, register(CORTEX[3]), register(CORTEX[1]))

    def _avr(self) -> Call:
        sp = self.machine.register(AVR_SP)
        words = int.from_bytes(self.machine.read(DATA + sp + 1, 2), "big")
        return Call(2 * words, sp + 2, self._pair())

    def _pair(self) -> int:
        return self.machine.register(AVR_SIZE) | self.machine.register(AVR_SIZE + 1) << 8

    def _returned(self, at: int) -> bool:
        if not any(call.back == at for call in self._open.values()):
            return False
        sp = self.machine.register(AVR_SP if self.avr else CORTEX[3])
        stack = self._stack(sp)
        call = self._open.get(stack)
        if call is None or (call.back, call.sp) != (at, sp):
            return True  # another thread is there
        gave = self._pair() if self.avr else self.machine.register(CORTEX[2])
        if call.size and not gave:
            self.failed += 1
            self.largest = max(self.largest, call.size)
        self._lift(self._open.pop(stack))
        return True

    def told(self) -> list[str]:
        """A warning, if any has failed."""
        if not self.failed:
            return []
        times = "once" if self.failed == 1 else f"{self.failed} times"
        most = f"{self.largest} bytes were" if self.failed == 1 else f"up to {self.largest} bytes"
        were = " asked for" if self.failed == 1 else " were asked for"
        return [f"malloc() failed {times}, for want of RAM: {most}{were}"]
