"""Shares of the CPU that interrupts get, as the linked program states them.

An I/O VCPU is defined with a share; statements such as interruptsVcpu(3, 500) leave a record each
(struct takt_io_share). Where there are records, the program starts with the largest of them.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import gcd

from takt.code.elf import Program

MOST = 0xFFFF  # numerator and denominator have 16 bits


def fraction(c_us: int, t_us: int) -> tuple[int, int]:
    """c/t as the kernel keeps it, rounded up (fraction() in kernel/budget/vcpu_io.c)."""
    common = gcd(c_us, t_us)
    c, t = c_us // common, t_us // common
    return (c, t) if t <= MOST else (-(-c * MOST // t), MOST)


@dataclass(frozen=True)
class Share:
    """c_us in every t_us, and the other shares that the program may change to; each once."""

    c_us: int
    t_us: int
    others: tuple[Share, ...] = ()

    @property
    def numerator(self) -> int:
        return fraction(self.c_us, self.t_us)[0]

    @property
    def denominator(self) -> int:
        return fraction(self.c_us, self.t_us)[1]

    @property
    def value(self) -> float:
        """Between 0 and 1."""
        return self.c_us / self.t_us

    @property
    def every(self) -> tuple[Share, ...]:
        """All shares there may be, the largest first."""
        return (Share(self.c_us, self.t_us), *self.others)

    def within(self, period_us: int) -> int:
        """Whole us of a period: the budget for serving a thread of that period."""
        return self.numerator * period_us // self.denominator


def _records(program: Program) -> list[tuple[int, int, int]]:
    """(I/O VCPU, c_us, t_us) of every statement."""
    start = program.by_name.get("__start_takt_shares")
    stop = program.by_name.get("__stop_takt_shares")
    if start is None or stop is None:
        return []
    size = program.architecture.pointer + 8
    return [
        (program.data_at(at), *struct.unpack("<2I", program.read(at + size - 8, 8)))
        for at in range(start.address, stop.address, size)
    ]


def of(program: Program, vcpu: int, defined: tuple[int, int]) -> Share:
    """The shares of the I/O VCPU at an address. defined: numerator and denominator it begins with
    where no statement names any; taken as milliseconds."""
    stated = {(c, t) for io, c, t in _records(program) if io == vcpu and t > 0}
    found = stated or {(defined[0] * 1000, max(defined[1], 1) * 1000)}
    first, *others = sorted((Share(c, t) for c, t in found), key=lambda s: (-s.value, s.t_us))
    return Share(first.c_us, first.t_us, tuple(others))
