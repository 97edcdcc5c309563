"""When tasks were on their stack and which was on top: from the trace (include/takt/trace.h)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from takt.result.trace import Kind, Trace

Spans = np.ndarray  # (n, 2) starts and ends, us


@dataclass
class _Task:
    begun: list[tuple[int, int]] = field(default_factory=list)
    top: list[tuple[int, int]] = field(default_factory=list)


def spans(trace: Trace) -> dict[int, tuple[Spans, Spans]]:
    """By place: from a start to its end, and of that while no more urgent task was on top."""
    tasks: dict[int, _Task] = {}
    stack: list[tuple[int, int]] = []  # place, start
    since = 0  # when the one on top came there

    def leave(at: int) -> None:
        if stack:
            tasks[stack[-1][0]].top.append((since, at))

    def end(at: int) -> None:
        leave(at)
        place, start = stack.pop()
        tasks[place].begun.append((start, at))

    events = np.flatnonzero(np.isin(trace.kind, (Kind.TASK, Kind.TASK_END)))
    for kind, at, place in zip(
        trace.kind[events].tolist(),
        trace.time[events].tolist(),
        trace.place[events].tolist(),
        strict=True,
    ):
        if kind == Kind.TASK:
            leave(at)
            tasks.setdefault(place, _Task())
            stack.append((place, at))
        elif stack and stack[-1][0] == place:
            end(at)
        since = at
    while stack:
        end(trace.end)
        since = trace.end
    return {place: (_array(task.begun), _array(task.top)) for place, task in tasks.items()}


def _array(found: list[tuple[int, int]]) -> Spans:
    return np.array(sorted(found)).reshape(-1, 2)
