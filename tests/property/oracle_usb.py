"""What a USB bus does with a schedule, slot by slot; and what schedules there could be."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import lcm

Stream = tuple[int, int]  # ns, interval


def loads(streams: list[Stream], offsets: list[int], slots: int, grain: int) -> list[int]:
    """ns in each slot, with every stream in the worst of the slots it may be put into."""
    found = [0] * slots
    for (time, interval), offset in zip(streams, offsets, strict=True):
        for start in range(offset, slots, interval):
            for slot in range(start, min(start + min(grain, interval), slots)):
                found[slot] += time
    return found


def safe(streams: list[Stream], offsets: list[int], limit: int) -> bool:
    """No slot beyond its limit, for ever: all slots of one period of everything."""
    ever = lcm(*(interval for _, interval in streams))
    return max(loads(streams, offsets, ever, 1)) <= limit


def possible(streams: list[Stream], limit: int) -> bool:
    """Is there any schedule? Tries all offsets; of equal streams one order only."""
    streams = sorted(streams, key=lambda one: (one[1], -one[0]))
    ever = lcm(*(interval for _, interval in streams))
    used = [0] * ever

    def search(at: int, least: int) -> bool:
        if at == len(streams):
            return True
        time, interval = streams[at]
        same = at > 0 and streams[at - 1] == streams[at]
        seen = set()
        for offset in range(least if same else 0, interval):
            own = range(offset, ever, interval)
            before = tuple(used[slot] for slot in own)
            if max(before) + time > limit or (at == 0 and offset > 0) or before in seen:
                continue
            seen.add(before)
            for slot in own:
                used[slot] += time
            if search(at + 1, offset):
                return True
            for slot in own:
                used[slot] -= time
        return False

    return search(0, 0)


def algorithm1(streams: list[Stream], limit: int, used: list[int]) -> bool:
    """The paper's Algorithm 1 for intervals that divide the table, beside what is in `used`."""
    used = list(used)
    for time, interval in sorted(streams, key=lambda one: (one[1], -one[0])):
        for offset in range(interval):
            own = range(offset, len(used), interval)
            if all(used[slot] + time <= limit for slot in own):
                for slot in own:
                    used[slot] += time
                break
        else:
            return False
    return True


@dataclass
class Reservation:
    """A bulk endpoint: transfers asked for at random, `interval` slots apart at least."""

    packets: int
    packet_ns: int
    interval: int
    waiting: list[list[int]] = field(default_factory=list)  # [asked for at ns, packets to go]
    due: int = 0
    longest: int = 0  # slots from the slot after the request until it was over


@dataclass
class Bus:
    """Serves bulk in what streams and control leave, in an order of its own."""

    slot_ns: int
    control_ns: int
    probe_ns: int
    used: list[int]
    bulk: list[Reservation]
    rng: random.Random
    order: str  # "random", "first", "last": which of those that wait is served

    def run(self, slots: int) -> None:
        for slot in range(slots):
            start, end = slot * self.slot_ns, (slot + 1) * self.slot_ns
            now = start + self.used[slot % len(self.used)] + self.control_ns
            while (now := self._serve(slot, now, end)) < end:
                pass

    def _serve(self, slot: int, now: int, end: int) -> int:
        """One packet, or the end of the slot."""
        self._arrive(now)
        ready = [one for one in self.bulk if one.waiting]
        if not ready:
            return min((one.due for one in self.bulk if one.due > now), default=end)
        chosen = {"random": self.rng.choice(ready), "first": ready[0], "last": ready[-1]}
        one = chosen[self.order]
        now += self.probe_ns * (len(self.bulk) - 1)
        if now + one.packet_ns > end:
            return end
        now += one.packet_ns
        one.waiting[0][1] -= 1
        if one.waiting[0][1] == 0:
            asked, _ = one.waiting.pop(0)
            one.longest = max(one.longest, slot - asked // self.slot_ns)
        return now

    def _arrive(self, now: int) -> None:
        for one in self.bulk:
            while one.due <= now:
                one.waiting.append([one.due, one.packets])
                late = self.rng.choice((0, 0, 0, self.rng.randrange(3 * self.slot_ns)))
                one.due += one.interval * self.slot_ns + late


def sets(rng: random.Random, most: int, longest: int, limit: int) -> Iterator[Stream]:
    """Streams of a bus that is about full."""
    share = rng.uniform(0.4, 1.0)
    while most and share > 0:
        interval = 1 << rng.randint(0, longest.bit_length() - 1)
        time = rng.randint(1, limit) if rng.random() < 0.3 else rng.randint(1, limit // 3)
        share -= time / limit / interval
        if share >= 0:
            yield time, interval
        most -= 1
