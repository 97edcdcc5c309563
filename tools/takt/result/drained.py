"""The trace as it is drained while a program runs, and when: the times in it wrap, and for longer
than they count nothing may happen."""

from __future__ import annotations

NEAR_US = 1 << 29  # events are nearer than that to a time that is kept


class Drained:
    """data; taken: bytes of it by a time of the kernel's clock (trace.taken_by())."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.taken: list[tuple[int, float]] = []

    def add(self, some: bytes, clock_us: float) -> None:
        """Of times near each other the last is kept."""
        if not some:
            return
        self.data += some
        if len(self.taken) > 1 and clock_us - self.taken[-2][1] < NEAR_US:
            self.taken.pop()
        self.taken.append((len(self.data), clock_us))
