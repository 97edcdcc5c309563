"""What would do where a pipe's buffer is full before its thread can have handled it: each figure
that was asked for, the others as they are, so that the pipe takes a fifth of the CPU at most."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace

from takt.admit.pipe_library import Attrs, Derived, Qos, derive

FIFTH = 5  # less is possible, but leaves little for others
MOST_PACKETS, MOST_BYTES = 65534, 1 << 20


@dataclass(frozen=True)
class Room:
    """None: no such figure would."""

    packets: int | None  # the smallest buffer; then its period
    period_us: int
    handling_ns: int | None  # the longest
    per_s: int | None  # the most packets, in whole ones


def room(attrs: Attrs, qos: Qos, start_us: int) -> Room:
    def with_packets(count: int) -> Derived | None:
        return _derived(attrs, replace(qos, iobufsz=count * attrs.max_pktsz), start_us)

    def slower(per_s: int) -> Qos:
        return replace(qos, tput=per_s * 8 * attrs.max_pktsz * qos.latency // 10**9)

    most = min(MOST_PACKETS, MOST_BYTES // attrs.max_pktsz)

    def roomy(found: Derived | None) -> bool:
        return found is not None and FIFTH * found.budget_us <= found.period_us

    packets = _first(qos.slots(attrs), most, lambda count: roomy(with_packets(count)))
    derived = with_packets(packets) if packets is not None else None
    handling = _last(
        qos.texec_time // 1000,
        lambda us: us and roomy(_derived(attrs, replace(qos, texec_time=1000 * us), start_us)),
    )
    per_s = _last(
        int(qos.packets_per_s(attrs)),
        lambda n: n and roomy(_derived(attrs, slower(n), start_us)),
    )
    return Room(
        packets, derived.period_us if derived else 0, 1000 * handling if handling else None, per_s
    )


def _derived(attrs: Attrs, qos: Qos, start_us: int) -> Derived | None:
    found = derive(attrs, qos, attrs.delay_us, start_us)
    return found if isinstance(found, Derived) else None


def _first(low: int, high: int, fits: Callable[[int], object]) -> int | None:
    """The smallest number above low, up to high, that fits; what is larger does then, too."""
    numbers = range(low + 1, high + 1)
    index = bisect_left(numbers, True, key=lambda n: bool(fits(n)))
    return numbers[index] if index < len(numbers) else None


def _last(high: int, fits: Callable[[int], object]) -> int | None:
    """The largest number from 1 to below high that fits; what is smaller does then, too."""
    return bisect_left(range(1, high), True, key=lambda n: not fits(n)) or None
