"""The HPET of the board pc in QEMU, which no program uses: its timers stop the CPUs and end their
turns (pc.py)."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takt.machine.qemu_link import Qtest

HPET = 0xFED0_0000
CONFIG, COUNTER = HPET + 0x10, HPET + 0xF0
ON = 1
HPET_NS = 10  # a tick
PERIODIC, SET_VALUE, MESSAGE, INTERRUPT = 1 << 3, 1 << 6, 1 << 14, 1 << 2
TURN_TIMER, BEHIND_TIMER, STOP_TIMER = 0, 6, 8  # several, one, one for each CPU; 7 is for tests
NMI, TO_CPUS, TO_CPU = 0x400, 0xFEE0_0000, 1 << 12
TURN = 2_000  # ticks: 20 us


def comparator(timer: int) -> int:
    """Address of a timer's value; its configuration comes before, its message behind."""
    return HPET + 0x108 + 0x20 * timer


class Timers:
    """What is set is told to QEMU together, by tell()."""

    EXPIRES = comparator(BEHIND_TIMER)  # whoever writes a tick there does what expire() does

    @staticmethod
    def needed(cpus: int) -> int:
        """How many timers the HPET must have."""
        return STOP_TIMER + cpus

    def __init__(self, qtest: Qtest) -> None:
        self._qtest = qtest
        self._told: list[str] = []
        qtest.set_word(CONFIG, ON)

    def now(self) -> int:
        """Ticks."""
        return int.from_bytes(self._qtest.read(COUNTER, 8), "little")

    def set(self, timer: int, at: int, how: int, cpu: int = 0) -> None:
        """A comparator of 64 bits. cpu: whom its message interrupts."""
        value, apic = comparator(timer), 2 * cpu
        message = (TO_CPUS + TO_CPU * apic << 32 | NMI).to_bytes(8, "little").hex()
        self._told += [
            f"writel {value - 8:#x} {how & ~INTERRUPT:#x}",
            f"write {value + 8:#x} 8 0x{message}",
            f"write {value:#x} 8 0x{at.to_bytes(8, 'little').hex()}",
            *([f"writel {value - 8:#x} {how:#x}"] if how & INTERRUPT else []),
        ]

    def stop(self, cpus: int, at: int) -> None:
        """Interrupts each CPU at a tick."""
        for cpu in range(cpus):
            self.set(STOP_TIMER + cpu, at, MESSAGE | INTERRUPT, cpu)

    def expire(self, at: int, how: int = 0) -> None:
        """Interrupts nobody: QEMU's clock, moving while QEMU stands, stops there."""
        self.set(BEHIND_TIMER, at, how)

    def take_turns(self, cpus: int) -> None:
        """A periodic timer of this HPET expires twice, a tick apart; so whose turn comes next ends
        a tick later, and another's begins. As many timers, a tick apart, as let all come round."""
        count = next(n for n in range(1, cpus + 2) if gcd(n + 1, cpus) == 1)
        start = self.now() + TURN
        for timer in range(TURN_TIMER, TURN_TIMER + count):
            value, once = comparator(timer), PERIODIC | SET_VALUE
            writes = [(value - 8, once), (value, start + timer)]
            writes += [(value - 8, once), (value + 4, 0), (value, TURN)]
            self._told += [f"writel {at:#x} {word:#x}" for at, word in writes]

    def tell(self) -> None:
        """To QEMU, all that has been set."""
        self._qtest.ask_all(self._told)
        self._told = []
