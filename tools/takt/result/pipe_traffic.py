"""What went through the pipes of a run, from its trace.

What each figure means, for the packets of one pipe that arrived after setup():

arrived     that came into its buffer (output: that were written).
handled     of these, that the pipe's function had taken by the end of the job that took them
            (output: that had left the buffer for the device's hardware).
lost        that found the buffer full, or that the endpoint knows to have been lost elsewhere.
per_s_min, per_s_max  handled in a whole second, the first one with packets left out, for the buffer
            fills up in it.
latency_max_us  longest time from the device (as far as it tells, else from the interrupt; output:
            from being written) until handled. What waits at the end counts once it is late.
late        packets that took longer than the bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from takt.admit.pipes import Pipe
from takt.result.trace import Kind, Trace

SECOND = 1_000_000
AGE_BITS, AGE = 20, 0xFFFFF  # of the value of ARRIVE


@dataclass(frozen=True)
class Traffic:
    """Figures of one pipe; see the module for their meaning."""

    pipe: Pipe
    arrived: int
    handled: int
    lost: int
    per_s_min: int | None
    per_s_max: int | None
    latency_mean_us: float | None
    latency_max_us: int | None
    late: int

    def as_dict(self) -> dict[str, Any]:
        """The row of the JSON contract: what was proved, and this."""
        seen = {key: value for key, value in vars(self).items() if key != "pipe"}
        return self.pipe.as_dict() | seen


def analyse(trace: Trace, pipes: Sequence[Pipe]) -> list[Traffic]:
    """Figures of every pipe."""
    return [_traffic(trace, pipe) for pipe in pipes]


def _traffic(trace: Trace, pipe: Pipe) -> Traffic:
    arrived, taken = _arrivals(trace, pipe.place), _handled(trace, pipe.place)
    handled = min(len(arrived), len(taken))
    times = (taken[:handled] - arrived[:handled])[arrived[:handled] >= trace.origin]
    bound = pipe.bounds.delay_us if pipe.bounds else None
    waiting = trace.end - arrived[handled:]
    overdue = waiting[waiting > bound] if bound is not None else waiting[:0]
    every = np.concatenate([times, overdue])
    low, high = _per_second(taken[:handled], trace.origin, trace.end)
    losses = trace.value[trace.of(Kind.OVERFLOW, pipe.place)]
    return Traffic(
        pipe,
        len(arrived),
        handled,
        int(losses.sum()),
        low,
        high,
        round(float(times.mean()), 1) if len(times) else None,
        int(every.max()) if len(every) else None,
        int((every > bound).sum()) if bound is not None else 0,
    )


def _arrivals(trace: Trace, number: int) -> np.ndarray:
    """When each packet was at the device, in the order in which they came into the buffer."""
    index = trace.of(Kind.ARRIVE, number)
    value = trace.value[index]
    return np.repeat(trace.time[index] - (value & AGE), value >> AGE_BITS)


def _handled(trace: Trace, number: int) -> np.ndarray:
    """When each packet had been handled, in the same order."""
    index = trace.of(Kind.TAKEN, number)
    return np.repeat(trace.time[index], trace.value[index])


def _per_second(taken: np.ndarray, start: int, end: int) -> tuple[int | None, int | None]:
    """Least and most in a whole second since the start, without the first that has any."""
    if not len(taken):
        return None, None
    first = max(0, int(taken[0] - start) // SECOND) + 1
    borders = start + SECOND * np.arange(first, (end - start) // SECOND + 1)
    counts, _ = np.histogram(taken, bins=borders) if len(borders) > 1 else ([], None)
    return (int(min(counts)), int(max(counts))) if len(counts) else (None, None)
