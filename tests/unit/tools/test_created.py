"""Threads that come later keep the numbers of the others."""

from __future__ import annotations

import struct

from takt.result.created import renumbered
from takt.result.trace import NOBODY, Kind, decode


def event(kind: Kind, place: int) -> bytes:
    return struct.pack("<IIBBH", 1, 0, kind, place, 0)


def numbers(events: list[tuple[Kind, int]], linked: int) -> tuple[list[int], tuple[int, ...]]:
    trace, order = renumbered(decode(b"".join(event(*one) for one in events)), linked)
    return trace.place.tolist(), order


def test_without_any_nothing_changes():
    events = [(Kind.RUN, 0), (Kind.RUN, 2), (Kind.RUN, NOBODY)]
    assert numbers(events, 3) == ([0, 2, NOBODY], (0, 1, 2))


def test_those_behind_keep_their_numbers():
    events = [(Kind.RUN, 1), (Kind.CREATE, 1), (Kind.RUN, 1), (Kind.RUN, 2), (Kind.RUN, 3)]
    assert numbers(events, 3) == ([1, 3, 3, 1, 2], (0, 3, 1, 2))


def test_one_before_the_other_and_one_at_the_end():
    events = [(Kind.CREATE, 0), (Kind.CREATE, 0), (Kind.CREATE, 3)]
    events += [(Kind.RUN, place) for place in (0, 1, 2, 3)]
    assert numbers(events, 1) == ([1, 2, 3, 2, 1, 0, 3], (2, 1, 0, 3))


def test_what_is_no_thread_stays():
    events = [(Kind.CREATE, 0), (Kind.ISR, 0), (Kind.ARRIVE, 1), (Kind.RUN, NOBODY)]
    assert numbers(events, 2)[0] == [2, 0, 1, NOBODY]
