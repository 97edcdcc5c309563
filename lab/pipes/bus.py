"""Ways to put periodic USB streams on a bus, beside Takt's; and what a bus makes of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from math import lcm

from takt.can import usb_schedule

Stream = tuple[int, int]  # ns on the wire, interval in micro-frames
Offsets = list[int] | None  # None: refused
TABLE = 1024
MOST = usb_schedule.BATCH  # streams in a set
HIGH, ISOCHRONOUS = 3, 0.3  # enum usb_speed; share of isochronous endpoints
LIMIT = usb_schedule.timing("high").periodic
WHOLE = usb_schedule.timing("high").slot


def by_algorithm1(streams: Iterable[Stream]) -> list[int]:
    """Indices: shorter intervals first, longer times first among equal ones."""
    given = list(streams)
    return sorted(range(len(given)), key=lambda i: (given[i][1], -given[i][0]))


def first_fit(streams: list[Stream], order: Iterable[int], limit: int, table: int) -> Offsets:
    """The first offset with room in a table of micro-frames, one stream after the other."""
    used = [0] * table
    offsets = [0] * len(streams)
    for i in order:
        time, interval = streams[i]
        for offset in range(interval):
            if max(used[offset::interval], default=0) + time <= limit:
                break
        else:
            return None
        offsets[i] = offset
        for slot in range(offset, table, interval):
            used[slot] += time
    return offsets


def algorithm1(streams: list[Stream]) -> Offsets:
    """Algorithm 1 for intervals that divide the table, with the limit of 80 %."""
    return first_fit(streams, by_algorithm1(streams), LIMIT, max(t for _, t in streams))


def printed(streams: list[Stream]) -> Offsets:
    """Algorithm 1 as the paper has it: 1024 entries, B = 125 us, any interval."""
    return first_fit(streams, by_algorithm1(streams), WHOLE, TABLE)


def linux(streams: list[Stream]) -> Offsets:
    """First fit in the order of arrival, with the limit of 80 %: as Linux's EHCI driver does."""
    return first_fit(streams, range(len(streams)), LIMIT, max(t for _, t in streams))


def together(streams: list[Stream]) -> Offsets:
    """Takt, streams that come together."""
    schedule = usb_schedule.UsbSchedule()
    code, numbers = schedule.add_all(streams)
    return None if code else [schedule.offsets()[number] for number in numbers]


def one_by_one(streams: list[Stream]) -> Offsets:
    """Takt, streams that come one after the other and never move."""
    schedule = usb_schedule.UsbSchedule()
    numbers = []
    for stream in streams:
        code, number = schedule.add(*stream)
        if code:
            return None
        numbers.append(number)
    placed = schedule.offsets()
    return [placed[number] for number in numbers]


def exhaustive(streams: list[Stream]) -> Offsets:
    """Any schedule there is."""
    order = by_algorithm1(streams)
    used = [0] * max(t for _, t in streams)
    offsets = [0] * len(streams)

    def search(at: int) -> bool:
        if at == len(order):
            return True
        time, interval = streams[order[at]]
        seen: set[tuple[int, ...]] = set()
        for offset in range(interval):
            before = tuple(used[offset::interval])
            if before in seen or max(before) + time > LIMIT:
                continue  # where the bus looks the same, one try is enough
            seen.add(before)
            used[offset::interval] = [ns + time for ns in before]
            offsets[order[at]] = offset
            if search(at + 1):
                return True
            used[offset::interval] = before
        return False

    return offsets if search(0) else None


def overloaded(streams: list[Stream], offsets: list[int], limit: int, most: int = 1 << 16) -> bool:
    """Does some micro-frame get more than it may? Looks at all until everything repeats, or at
    `most` of them."""
    used = [0] * min(2 * lcm(*(t for _, t in streams)), most)
    for (time, interval), offset in zip(streams, offsets, strict=True):
        for slot in range(offset, len(used), interval):
            used[slot] += time
    return max(used) > limit


def random_time(rng: random.Random) -> int:
    """ns of an endpoint of any size."""
    isochronous = rng.random() < ISOCHRONOUS
    packets, size = rng.choice((1, 1, 1, 2, 3)), rng.choice((8, 16, 64, 128, 256, 512, 1024))
    size = rng.randint(size // 2, size)
    return packets * usb_schedule.wire_ns(HIGH, isochronous, True, 1024, size)


def random_set(
    rng: random.Random, load: float, most: int, interval: Callable[[random.Random], int]
) -> list[Stream]:
    """Streams that together need about `load` of what the bus gives to periodic transfers."""
    streams: list[Stream] = []
    left, tries = load, 0
    while len(streams) < most and tries < 200:
        time, of = random_time(rng), interval(rng)
        tries += 1
        if time / of / LIMIT <= left:
            streams.append((time, of))
            left -= time / of / LIMIT
    return streams
