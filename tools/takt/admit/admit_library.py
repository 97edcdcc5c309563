"""The kernel's own admission code (admission/admit.c), compiled for the host and called by cffi."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt.admit.blocking import Held
from takt.admit.headers import FOLDER, constant
from takt.admit.native import Native, declarations
from takt.declared import declared
from takt.paths import BUILD, ROOT

HEADERS = ("admit.h", "partition.h", "qos.h", "admit_pipe.h")
NAMES = (
    *("admit", "admit_bounds", "admit_delivery", "admit_pipe", "admit_qos"),
    "partition",
)
SOURCES = (*(ROOT / f"admission/{name}.c" for name in NAMES), ROOT / "kernel/job/releases.c")
USED = (*HEADERS, "types.h", "config.h", "vcpu.h", "periodic.h", "ringbuf.h")
NATIVE = Native(
    "the admission library",
    BUILD / "host/libtakt_admit.so",
    SOURCES,
    [FOLDER / name for name in USED],
)
LIMIT_US = 1 << 31
NEVER = 0xFFFFFFFF
PERIOD_MAX = constant("vcpu.h", "TAKT_PERIOD_MAX")
# One start per period; for further ones a loop pays itself (TAKT_START_COST_US).
FRAGMENTS = 1
# What the kernel adds to every budget.
MARGIN_US = constant("config.h", "TAKT_BUDGET_MARGIN_US")


@dataclass(frozen=True)
class Loop:
    """A thread with a budget; fields as struct takt_admit_thread."""

    name: str
    budget_us: int
    period_us: int
    blocking_us: int = 0
    jitter_us: int = 0
    fragments: int = 0
    held_up: Held | None = None  # the longest section that blocking_us counts
    by_reference: bool = False  # its releases may come 1 % faster (kernel/job/reference.c)

    @property
    def shortest_us(self) -> int:
        """The least period that there can be; also its deadline."""
        period_us = self.period_us
        return loaded()[1].takt_admit_shortest_us(period_us) if self.by_reference else period_us


@dataclass(frozen=True)
class Interrupt:
    """An interrupt source; fields as struct takt_admit_irq."""

    name: str
    cost_ns: int
    separation_us: int
    jitter_us: int = 0


@dataclass(frozen=True)
class IoVcpu:
    """An I/O VCPU; fields as struct takt_admit_io."""

    name: str
    numerator: int
    denominator: int
    period_us: int = 0
    overhead_us: int = 0
    stated_us: tuple[int, int] | None = None  # C and T as the program has them

    @property
    def c_and_t(self) -> tuple[int, int]:
        """The share as people read it; numerator and denominator mean ms if nothing was stated."""
        return self.stated_us or (self.numerator * 1000, self.denominator * 1000)


@dataclass(frozen=True)
class EventPath:
    """Of an interrupt to its handler; fields as struct takt_admit_path. place and io are those of
    the set; the bottom half's work in pieces, with waits between them."""

    place: int
    io: int
    shortest_us: int
    longest_us: int
    top_us: int
    work_us: tuple[int, ...]
    wait_us: tuple[int, ...] = ()


@dataclass(frozen=True)
class Delivery:
    """Bounds in us of the time from an interrupt to its handler; None: there is none."""

    safe_us: int | None
    paper_us: int | None
    corrected_us: int | None


@dataclass(frozen=True)
class Bound:
    """Outcome of a sufficient test."""

    lhs: float
    rhs: float
    holds: bool


@dataclass(frozen=True)
class Costs:
    """What the kernel costs on a board."""

    switch_ns: int = 0
    alarm_ns: int = 0
    margin_us: int = 0

    def wakes_us(self, threads: int) -> int:
        """Of so many threads without a budget."""
        native = loaded()[0].new("struct takt_admit_costs *", (self.switch_ns, self.alarm_ns, 0))
        return loaded()[1].takt_admit_wakes_us(native, threads)


def current() -> Path:
    """The library, compiled anew if anything has changed; as CMake's target takt_admit does."""
    return NATIVE.current()


@functools.cache
def loaded() -> tuple[Any, Any]:
    """The library and its declarations."""
    library = current()
    ffi = declared("\n".join(declarations((FOLDER / name).read_text()) for name in HEADERS))
    return ffi, ffi.dlopen(str(library))


class NativeSet:
    """A struct takt_admit_set and the kernel's verdicts on it. Loops in order of place."""

    def __init__(
        self,
        loops: Sequence[Loop],
        interrupts: Sequence[Interrupt] = (),
        ios: Sequence[IoVcpu] = (),
        costs: Costs | None = None,
    ) -> None:
        self._ffi, self._lib = loaded()
        costs = costs or Costs()
        threads = [
            (t.budget_us, t.shortest_us, t.blocking_us, t.jitter_us, t.fragments) for t in loops
        ]
        irqs = [(i.cost_ns, i.separation_us, i.jitter_us) for i in interrupts]
        servers = [(v.numerator, v.denominator, v.period_us, v.overhead_us) for v in ios]
        self._keep = (
            self._ffi.new("struct takt_admit_thread[]", threads),
            self._ffi.new("struct takt_admit_irq[]", irqs),
            self._ffi.new("struct takt_admit_io[]", servers),
        )
        board = (costs.switch_ns, costs.alarm_ns, costs.margin_us)
        counts = (len(threads), len(irqs), len(servers))
        self._set = self._ffi.new("struct takt_admit_set *", (*self._keep, *counts, board))

    @property
    def pointer(self) -> Any:
        """The struct takt_admit_set, as long as this object lives."""
        return self._set

    def validate(self) -> int:
        """0, or a negative TAKT_E*."""
        return self._lib.takt_admit_validate(self._set)

    def exact(self) -> tuple[int, int | None]:
        """(code, place of the first thread refused)."""
        refused = self._ffi.new("uint32_t *", NEVER)
        code = self._lib.takt_admit_exact(self._set, refused)
        return code, (refused[0] if refused[0] != NEVER else None)

    def response(self, place: int, limit_us: int = LIMIT_US) -> int | None:
        """Response time in us, None when it is beyond the limit."""
        value = self._lib.takt_admit_response(self._set, place, limit_us)
        return None if value == NEVER else value

    def delivery(self, path: EventPath) -> Delivery:
        """Bounds of an interrupt's way to its handler."""
        work = self._ffi.new("uint32_t[]", path.work_us)
        wait = self._ffi.new("uint32_t[]", path.wait_us)
        fields = (path.place, path.io, path.shortest_us, path.longest_us, path.top_us)
        native = self._ffi.new("struct takt_admit_path *", (*fields, work, len(path.work_us), wait))
        lib, given = self._lib, self._set
        values = (
            lib.takt_admit_delivery(given, native),
            lib.takt_admit_delivery_paper(given, native, False),
            lib.takt_admit_delivery_paper(given, native, True),
        )
        return Delivery(*(None if value == NEVER else value for value in values))

    def eq1(self) -> Bound:
        """Eq. 1."""
        return self._bound(self._lib.takt_admit_eq1(self._set))

    def hyperbolic(self) -> Bound:
        """The hyperbolic bound."""
        return self._bound(self._lib.takt_admit_hyperbolic(self._set))

    @staticmethod
    def _bound(native: Any) -> Bound:
        return Bound(native.lhs_ppm / 1e6, native.bound_ppm / 1e6, bool(native.holds))
