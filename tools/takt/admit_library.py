"""The kernel's own admission code (kernel/admit.c), compiled for the host and called by cffi."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi

from takt.errors import UserError
from takt.headers import FOLDER, constant
from takt.paths import ROOT

HEADER = FOLDER / "admit.h"
NAMES = ("admit", "admit_bounds", "admit_delivery", "releases")
SOURCES = tuple(ROOT / f"kernel/{name}.c" for name in NAMES)
USED = ("admit.h", "types.h", "config.h", "vcpu.h", "periodic.h")
LIBRARY = ROOT / "build/host/libtakt_admit.so"
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


def _declarations(header: str) -> str:
    """The C declarations of a header, as cffi wants them: no comments, no directives."""
    text = re.sub(r"/\*.*?\*/|#ifdef __cplusplus.*?#endif", "", header, flags=re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


def _compile() -> None:
    """Builds the library as CMake's target takt_admit does, for use without a CMake build."""
    LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=LIBRARY.parent, suffix=".so")
    os.close(handle)
    command = ["cc", "-std=c11", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}"]
    command += [*map(str, SOURCES), "-o", name]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
        os.replace(name, LIBRARY)
    except (OSError, subprocess.CalledProcessError) as error:
        Path(name).unlink(missing_ok=True)
        detail = getattr(error, "stderr", None) or str(error)
        raise UserError(
            f"the admission library does not compile: {detail.strip()}",
            where=str(SOURCES[0]),
            fix="install a C compiler for this machine (Debian: apt-get install gcc)",
        ) from error


def _stale() -> bool:
    if not LIBRARY.exists():
        return True
    built = LIBRARY.stat().st_mtime
    inputs = (*SOURCES, *(FOLDER / name for name in USED))
    return any(source.stat().st_mtime > built for source in inputs)


def current() -> Path:
    """The library, compiled anew if anything has changed."""
    if _stale():
        _compile()
    return LIBRARY


@functools.cache
def _library() -> tuple[cffi.FFI, Any]:
    library = current()
    ffi = cffi.FFI()
    ffi.cdef(_declarations(HEADER.read_text()))
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
        self._ffi, self._lib = _library()
        costs = costs or Costs()
        threads = [
            (t.budget_us, t.period_us, t.blocking_us, t.jitter_us, t.fragments) for t in loops
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
