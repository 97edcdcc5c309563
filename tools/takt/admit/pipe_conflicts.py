"""Pipes that exclude each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takt.admit.pipes import Asked, End


def excluded(pipes: Sequence[Asked]) -> tuple[str, str] | None:
    """The name of a pipe that cannot be beside another one, or beside what the sketch does with its
    port, and why; None: all can."""
    for i, one in enumerate(pipes):
        if one.end.taken:
            port = one.end.line
            fix = f"give the pipe another port, or leave {port} out"
            return one.name, f"{one.name}: the sketch uses {port} itself; {fix}"
        for other in pipes[:i]:
            if why := _beside(one, other):
                return one.name, f"{one.name}: {why}"
    return None


def _beside(one: Asked, other: Asked) -> str:
    end, beside = one.end, other.end
    if not _same_device(end, beside):
        return ""
    way = "to" if end.output else "from"
    if end.output == beside.output and one.channel == other.channel:
        which = f"channel {one.channel} of {end.name}" if end.attrs.max_channels > 1 else end.name
        return (
            f"{which} has a pipe {way} it, {other.name}; leave one out, and let its body do what "
            "the other one is for"
        )
    if end.attrs.min_latency != beside.attrs.min_latency and end.address != beside.address:
        return (
            f"{end.name} cannot have another speed than for {other.name}; give both the same "
            "bits per second"
        )
    return ""


def _same_device(end: End, other: End) -> bool:
    """An endpoint of several pipes, or those of pipes that name one serial port."""
    return end.address == other.address or (end.line != "" and end.line == other.line)
