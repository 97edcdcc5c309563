"""Where the kernel puts first releases: kernel/job/releases.c, compiled for the host."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from takt.admit import admit_library
from takt.declared import declared

DECLARATIONS = """
struct takt_beat {
    uint32_t period; uint32_t due; struct takt_beat *next; uint32_t common, apart;
};
uint32_t takt_place_release(struct takt_beat *others, uint32_t period, uint32_t from);
"""


@functools.cache
def _library() -> tuple[Any, Any]:
    ffi = declared(DECLARATIONS)
    return ffi, ffi.dlopen(str(admit_library.current()))


def place(periods: Sequence[int]) -> list[int]:
    """Offsets in us of threads that register in this order, after the first of them."""
    ffi, lib = _library()
    keep: list[Any] = []
    others = ffi.NULL
    offsets = []
    for period in periods:
        offset = lib.takt_place_release(others, period, 0)
        beat = ffi.new("struct takt_beat *", (period, offset, others, 0, 0))
        keep.append(beat)
        others = beat
        offsets.append(offset)
    return offsets
