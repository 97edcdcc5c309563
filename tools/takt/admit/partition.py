"""Which CPU runs which loop: admission/partition.c, compiled for the host. What a program does when
it starts is what is computed here, from the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from takt.admit.admit_library import Costs, Interrupt, IoVcpu, Loop, NativeSet, loaded
from takt.admit.headers import constant

CPUS = constant("partition.h", "TAKT_PARTITION_CPUS")
NO_CPU = 0xFF
OK, EADMIT = 0, -7


@dataclass(frozen=True)
class Partition:
    """CPUs of the loops and of the I/O VCPUs, None where one has come to none; the one that no CPU
    had room for, as an index of the loops, then of the I/O VCPUs; how many CPUs are used."""

    loops: tuple[int | None, ...]
    ios: tuple[int | None, ...]
    refused: int | None
    used: int

    def loops_on(self, cpu: int) -> list[int]:
        """Indices of the loops on a CPU."""
        return [index for index, where in enumerate(self.loops) if where == cpu]

    def ios_on(self, cpu: int) -> list[int]:
        """Indices of the I/O VCPUs on a CPU."""
        return [index for index, where in enumerate(self.ios) if where == cpu]


def partition(
    loops: Sequence[Loop],
    cpus: int,
    ios: Sequence[IoVcpu] = (),
    interrupts: Sequence[Interrupt] = (),
    costs: Costs | None = None,
    pins: Sequence[int | None] = (),
    lock_ns: int = 0,
) -> Partition:
    """Partitions the loops (in order of place) and I/O VCPUs over the CPUs.

    pins: CPU of each of the loops, then of the I/O VCPUs, None where any will do. lock_ns: longest
    that a CPU holds the kernel's lock.
    ValueError: the set cannot be analysed, or a pin is no CPU.
    """
    ffi, lib = loaded()
    bound = [NO_CPU if pin is None else pin for pin in pins] or [NO_CPU] * (len(loops) + len(ios))
    given = NativeSet(loops, interrupts, ios, costs)
    # One more than there are: cffi has no arrays of nothing.
    pinned = ffi.new("uint8_t[]", [*bound, NO_CPU])
    placed = ffi.new("uint8_t[]", len(bound) + 1)
    refused, used = ffi.new("uint32_t *"), ffi.new("uint8_t *", cpus)
    first_io = len(loops)
    what = (given.pointer, cpus, pinned, pinned + first_io, placed, placed + first_io, lock_ns)
    code = lib.takt_partition(ffi.new("struct takt_partition *", what), used, refused)
    if code not in (OK, EADMIT):
        raise ValueError(f"takt_partition: {code}")
    where = tuple(None if cpu == NO_CPU else cpu for cpu in bytes(placed)[: len(bound)])
    late = refused[0] if code == EADMIT else None
    return Partition(where[:first_io], where[first_io:], late, used[0])


def with_waits(
    loops: Sequence[Loop], costs: Costs, cpus: int, lock_ns: int
) -> tuple[tuple[Loop, ...], Costs]:
    """Loops and costs with what other CPUs add: waits for the kernel's lock and for sections."""
    given = NativeSet(loops, costs=costs)
    threads = given.pointer.threads
    threads = loaded()[0].cast("struct takt_admit_thread *", threads)
    loaded()[1].takt_partition_waits(given.pointer, threads, cpus, lock_ns)
    waiting = (replace(loop, blocking_us=threads[n].blocking_us) for n, loop in enumerate(loops))
    added = given.pointer.costs
    return tuple(waiting), Costs(added.switch_ns, added.alarm_ns, added.margin_us)
