"""How long after the date of its budget a loop may wake and still use it under that date
(kernel/budget/server.c), which spares the kernel most of its work. To other loops that is jitter of
its releases: the build chooses the most that leaves every bound as it is."""

from __future__ import annotations

from collections.abc import Sequence

from takt.admit.admission import Admission
from takt.admit.fixes import Case
from takt.admit.known import HELD
from takt.admit.layout import Thread
from takt.code.elf import Program

MOST, LEAST = 1, 12  # T / 2^n
AT = 11  # of a struct takt_vcpu


def _bounds(case: Case) -> list[int | None]:
    native = case.native()
    return [native.response(place) for place in range(len(case.loops))]


def chosen(case: Case, names: Sequence[str]) -> dict[str, int]:
    """Of those loops that may have some, in order of place: T is shifted right so far."""
    bounds, found = _bounds(case), dict[str, int]()
    for index, loop in enumerate(case.loops):
        if loop.name not in names:
            continue
        fits, other = LEAST + 1, MOST - 1  # the first that does, as far as is known
        while fits - other > 1:
            shift = (fits + other) // 2
            tried = case.change(index, jitter_us=loop.period_us >> shift)
            fits, other = (shift, other) if _bounds(tried) == bounds else (fits, shift)
        if fits <= LEAST and loop.period_us >> fits > 0:
            case = case.change(index, jitter_us=loop.period_us >> fits)
            found[loop.name] = fits
    return found


def in_image(
    program: Program, verdict: Admission | None, threads: Sequence[Thread]
) -> dict[int, int]:
    """Bytes by address. None where the set changes at run time or has several CPUs. The budget of a
    job is dated with its release, and what a handler waits for has bounds of its own."""
    if verdict is None or not verdict.admitted or not verdict.case or verdict.parts:
        return {}
    if HELD in program.by_name:
        return {}
    names = [t.name for t in threads if t.budget_us and not (t.periodic or t.handler or t.share)]
    shifts, found = chosen(verdict.case, names), program.threads()
    return {found[t.place].vcpu + AT: shifts[t.name] for t in threads if t.name in shifts}
