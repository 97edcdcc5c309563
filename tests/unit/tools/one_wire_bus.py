"""A 1-Wire controller written from the data sheet's figures: it makes a script of edges first, and
finds what was answered in what the world drove. Nothing of the part is used."""

from __future__ import annotations

from bench_of import US, driven

PIN = 2


class Script:
    """What the controller does, from a cycle on; times in us."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.edges: list[tuple[int, int, int]] = []
        self.reads: list[tuple[int, int]] = []  # when a slot that reads begins; bits before it
        self.resets: list[int] = []  # when each ends

    def low(self, us, pause):
        """A low pulse and what follows it."""
        self.edges += [(self.at, PIN, 0), (self.at + round(us * US), PIN, 1)]
        self.at += round((us + pause) * US)

    def reset(self, us=480):
        self.low(us, 0)
        self.resets.append(self.at)
        self.at += 480 * US

    def write(self, data, one=6, zero=60):
        """Bytes, the lowest bit first."""
        for byte in data:
            for n in range(8):
                self.bit(byte >> n & 1, one, zero)

    def bit(self, bit, one=6, zero=60):
        self.low(one if bit else zero, 70 - (one if bit else zero))

    def read(self, count, low=3):
        """Slots that read; where the answers are in `bits()`."""
        first = len(self.reads)
        for _ in range(count):
            self.reads.append((self.at, low))
            self.low(low, 70 - low)
        return slice(first, first + count)

    def wait(self, us):
        self.at += round(us * US)

    def bits(self, bench, where):
        """What was read 14 us after the beginning of slots."""
        return [level_at(bench, at + 14 * US) for at, _ in self.reads[where]]

    def bytes(self, bench, where):
        """The same in bytes."""
        bits = self.bits(bench, where)
        value = sum(bit << n for n, bit in enumerate(bits))
        return value.to_bytes(len(bits) // 8, "little")


def level_at(bench, cycle):
    """Of the wire, when the controller does not pull: low only where the world does."""
    levels = [level for at, level in driven(bench, PIN) if at <= cycle]
    return 0 if levels and levels[-1] == 0 else 1


def presence(bench, released):
    """(us after a reset's end, for how long) the wire is low."""
    after = [(at, level) for at, level in driven(bench, PIN) if at >= released]
    begin, end = after[0], after[1]
    assert (begin[1], end[1]) == (0, None)
    return (begin[0] - released) / US, (end[0] - begin[0]) / US


def crc(data):
    """Maxim's, by long division of the polynomial x^8 + x^5 + x^4 + 1."""
    bits = [byte >> n & 1 for byte in data for n in range(8)] + [0] * 8
    for n in range(len(bits) - 8):
        if bits[n]:
            for tap in (0, 3, 4, 8):  # x^8, x^5, x^4, 1
                bits[n + tap] ^= 1
    return sum(bit << n for n, bit in enumerate(bits[-8:]))
