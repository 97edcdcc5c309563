"""Who used the processor when, from a run of the kernel."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from kernel_library import EV_ISR, Run
from programs import Program, tidy

Stretch = tuple[int, int, int]  # from, to, place


@dataclass
class Use:
    """Foreground time of one thread: starts, ends and what had been used at each end."""

    starts: list[int]
    ends: list[int]
    total: list[int]

    def until(self, time: int) -> int:
        """Used in [0, time)."""
        i = bisect_left(self.ends, time)
        whole = self.total[i - 1] if i else 0
        return whole + (max(0, time - self.starts[i]) if i < len(self.starts) else 0)

    def between(self, start: int, end: int) -> int:
        """Used in [start, end)."""
        return self.until(end) - self.until(start)

    def most_in(self, window: int, horizon: int) -> int:
        """Most in any window of that length: the densest begins with a stretch or ends with one."""
        begins = [s for s in self.starts if s + window <= horizon]
        begins += [e - window for e in self.ends if window <= e <= horizon]
        return max((self.between(b, b + window) for b in begins), default=0)


def stretches(run: Run, program: Program) -> list[Stretch]:
    """When threads ran in the foreground, without the handlers that interrupted them."""
    segments = tidy(run.segments, program.until)
    ends = [s.start for s in segments[1:]] + [program.until]
    handlers = [
        (time - value, time) for time, kind, _, value in run.events if kind == EV_ISR and value
    ]
    found: list[Stretch] = []
    next_handler = 0
    for segment, end in zip(segments, ends, strict=True):
        start = segment.start
        while next_handler < len(handlers) and handlers[next_handler][0] < end:
            begin, done = handlers[next_handler]
            next_handler += 1
            if segment.foreground and begin > start:
                found.append((start, begin, segment.place))
            start = max(start, done)
        if segment.foreground and end > start:
            found.append((start, end, segment.place))
    return found


def foreground(run: Run, program: Program, place: int) -> Use:
    """What one thread used."""
    use = Use([], [], [])
    for start, end, who in stretches(run, program):
        if who == place:
            use.starts.append(start)
            use.ends.append(end)
            use.total.append((use.total[-1] if use.total else 0) + end - start)
    return use
