"""What is asked of each board, and what a random program for it may look like."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """share, less_us: no window of a loop that never waits holds less than share * C - less_us.
    call_us: from an edge of a pin to the next instruction of interest, calls and clock included."""

    board: str
    share: float
    less_us: float
    preemption_us: float  # what one costs the preempted, on average
    call_us: float
    origin_us: float  # from setup()'s last edge to budgets' beginning, at most
    over_us: float  # more than C in a window: what the kernel adds for a start, and what is late
    wake_us: float  # what a wake-up may take of its thread's own budget
    spin_ns: int  # one round of spin(), about
    toggle_us: float  # a unit's other work, about
    extra_us: float  # what else a unit may do, about
    shortest_us: int  # periods
    longest_us: int
    least_us: int  # budgets
    threads: tuple[int, int]
    outputs: tuple[int, ...]
    inputs: tuple[int, ...]
    baud: int
    byte_apart_us: int  # that admission counts with, of bytes received
    handler_us: int  # budget of a handler
    share_ms: int  # of interrupts, in every 100 ms
    seconds: float  # of virtual time
    pipes: bool = True
    company: tuple[int, int] = (0, 0)  # threads that start together with one more


RULES = {
    "pico": Rule(
        "pico", 0.99, 5, 0.1, call_us=20, origin_us=100, over_us=115, wake_us=60,
        spin_ns=40, toggle_us=0.6, extra_us=4, shortest_us=5_000, longest_us=100_000, least_us=300,
        threads=(2, 8), outputs=(2, 3, *range(6, 12), *range(13, 23)), inputs=(26, 27, 28),
        baud=115200, byte_apart_us=300, handler_us=500, share_ms=5, seconds=1.0,
        company=(14, 29),
    ),
    "stm32f051": Rule(
        "stm32f051", 0.99, 5, 0.3, call_us=80, origin_us=300, over_us=300, wake_us=200,
        spin_ns=155, toggle_us=3, extra_us=14, shortest_us=10_000, longest_us=100_000,
        least_us=1_000, threads=(2, 8), outputs=tuple(range(14, 28)),
        inputs=(2, 3, 6), baud=115200, byte_apart_us=1_100, handler_us=1_000, share_ms=8,
        seconds=1.0, company=(8, 14),
    ),
    "uno": Rule(
        "uno", 0.97, 150, 2.0, call_us=400, origin_us=1_000, over_us=1_400, wake_us=1_000,
        spin_ns=280, toggle_us=7, extra_us=60, shortest_us=20_000, longest_us=200_000,
        least_us=4_000, threads=(2, 5), outputs=(*range(3, 12), *range(13, 20)),
        inputs=(2,), baud=57600, byte_apart_us=4_500, handler_us=4_000, share_ms=15,
        seconds=1.5, pipes=False,
    ),
}  # fmt: skip
