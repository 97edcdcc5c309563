"""What goes on at the device: the paper's traffic (Table I, section IV), by seed.

The paper tells each bus's bit rate and load; a frame of 8 bytes with its stuffed bits takes about
126 bits (standard) or 150 (extended), of which these periods follow. An Arduino sends every 363.4
to 366.2 us and takes a frame every 325.4 to 327.5 us, as the paper's oscilloscope saw.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

NS_PER_S, NS_PER_MS = 1_000_000_000, 1_000_000
LEAD_NS = 100 * NS_PER_MS  # traffic begins so long before the measurement
STANDARD, EXTENDED = 0, 1
BYTES = 8
ARDUINO_NS = (363_400, 366_200)
DRAIN_NS = (325_400, 327_500)
ARDUINO_FPS, DRAIN_FPS = (2730, 2752), (3053, 3073)


@dataclass(frozen=True)
class Bus:
    bitrate: int
    shortest_ns: int
    longest_ns: int
    flags: int

    @property
    def most_fps(self) -> int:
        """Frames per second at most."""
        return -(-NS_PER_S // self.shortest_ns)

    @property
    def id(self) -> int:
        return 0x18DA00F1 if self.flags == EXTENDED else 0x123


TABLE1 = (
    Bus(500_000, 2_516_000, 2_516_000, STANDARD),
    Bus(250_000, 3_000_000, 3_000_000, EXTENDED),
    Bus(500_000, 840_000, 840_000, STANDARD),
    Bus(500_000, 750_000, 750_000, EXTENDED),
    Bus(500_000, *ARDUINO_NS, STANDARD),
)
INPUT = (*TABLE1[:3], TABLE1[4], TABLE1[4])


def traffic(
    buses: tuple[Bus, ...], seed: int, start_ns: int, seconds: int
) -> tuple[list[str], dict[int, int]]:
    """Lines of a plan for QEMU's device, and how many frames these are, by channel."""
    phases = random.Random(seed)
    lines, frames = [], {}
    for channel, bus in enumerate(buses):
        first = start_ns - LEAD_NS + phases.randrange(bus.longest_ns)
        # Enough for the last second to be whole; the guest listens half a second longer.
        count = (start_ns + seconds * NS_PER_S - first) // bus.shortest_ns + 1
        numbers = [channel, first, bus.shortest_ns, bus.longest_ns, seed * len(buses) + channel + 1]
        numbers += [count, bus.id, bus.flags, BYTES, bus.bitrate]
        lines.append(f"traffic {' '.join(map(str, numbers))}")
        frames[channel] = count
    return lines, frames


def drain(channels: tuple[int, ...], seed: int, start_ns: int) -> list[str]:
    """Lines of a plan: who takes frames on these channels, and from when on they are counted."""
    lines = [f"drain {one} {DRAIN_NS[0]} {DRAIN_NS[1]} {seed * 8 + one + 1}" for one in channels]
    return [*lines, f"count {start_ns}"]
