"""Random programs for a state machine, of what rp2040js has in common with the data sheet.

Not in them, for rp2040js does it otherwise (test_pio_against_rp2040js.py shows some of it): OUT of
32 bits, IfFull and IfEmpty without autopush and autopull, IN of pins while autopush may wait,
reserved encodings, pins beyond 31, joined FIFOs, dividers, several machines in one cycle.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import bare_pio as pio

Source = random.Random
INPUTS, OUTPUTS = range(16, 24), 16
WORDS = [0, 1, 2, 31, 0x55555555, 0x80000000, 0xFFFFFFFF, 0x12345678]


def word(rng: Source) -> int:
    return rng.choice([rng.choice(WORDS), rng.getrandbits(32)])


def _jmp(rng: Source) -> int:
    return pio.jmp(rng.randrange(32), rng.randrange(8))


def _wait(rng: Source) -> int:
    source = rng.randrange(3)
    index = (rng.choice(INPUTS), rng.randrange(8), rng.choice([0, 3, 5, 16, 18, 22]))[source]
    return pio.wait(rng.randrange(2), source, index)


def _in(rng: Source) -> int:
    return pio.in_(rng.choice([pio.X, pio.Y, pio.NULL, pio.ISR, pio.OSR]), rng.randrange(32))


def _in_pins(rng: Source) -> int:
    return pio.in_(pio.PINS, rng.randrange(32))


def _out(rng: Source) -> int:
    return pio.out(rng.randrange(7), rng.randrange(1, 32))


def _push(rng: Source) -> int:
    return pio.push(0, rng.randrange(2))


def _pull(rng: Source) -> int:
    return pio.pull(0, rng.randrange(2))


def _mov(rng: Source) -> int:
    to = rng.choice([pio.PINS, pio.X, pio.Y, pio.PC, pio.ISR, pio.OSR])
    return pio.mov(to, rng.choice([0, 1, 2, 3, 5, 6, 7]), rng.randrange(3))


def _irq(rng: Source) -> int:
    return pio.irq(rng.choice([0, 3, 5, 16, 18, 22]), rng.randrange(2), rng.randrange(2))


def _set(rng: Source) -> int:
    return pio.set_(rng.choice([pio.PINS, pio.X, pio.Y, pio.PINDIRS]), rng.randrange(32))


PLAIN = (_jmp, _wait, _in, _in_pins, _out, _push, _pull, _mov, _irq, _set)
PUSHING = (_jmp, _wait, _in, _in, _out, _push, _pull, _mov, _irq, _set)  # autopush


def _in_own(rng: Source) -> int:
    return pio.in_(rng.choice([pio.X, pio.Y, pio.NULL, pio.ISR]), rng.randrange(32))


def _out_any(rng: Source) -> int:
    return pio.out(rng.choice([pio.PINS, pio.X, pio.Y, pio.NULL, pio.PINDIRS]), rng.randrange(32))


FLOWING = (_in_own, _out_any, _out_any, _set)  # autopull, and no look at the OSR or at levels


def program(rng: Source, kinds: tuple[Callable[[Source], int], ...]) -> list[int]:
    """Delays and side-sets are whatever the five bits say."""
    delays = rng.choice([0, 0x1F, 0x13])
    return [rng.choice(kinds)(rng) | (rng.getrandbits(5) & delays) << 8 for _ in range(32)]


def registers(rng: Source, automatic: int) -> list[int]:
    """CLKDIV, EXECCTRL, SHIFTCTRL, PINCTRL."""

    def some(most: int) -> tuple[int, int]:
        count = rng.randrange(most + 1)
        return rng.randrange(OUTPUTS - count), count

    (out_base, outs), (set_base, sets), (side_base, sides) = some(12), some(5), some(5)
    flags = automatic | rng.choice([0, pio.IN_RIGHT]) | rng.choice([0, pio.OUT_RIGHT])
    return [
        1 << 16,
        pio.execution(
            (rng.randrange(32), rng.randrange(32)),
            rng.choice(INPUTS),
            rng.randrange(2),
            rng.randrange(2),
            rng.randrange(2) << 4 | rng.randrange(6),
        ),
        pio.shifts(flags, rng.randrange(32), rng.randrange(32)),
        pio.pins(out_base, outs, set_base, sets, side_base, sides, INPUTS[0]),
    ]


def actions(rng: Source, count: int) -> list[list[object]]:
    """What the outside does, with some steps after each."""
    result: list[list[object]] = []
    for _ in range(count):
        result.append(["go", rng.randrange(1, 12)])
        result.append(
            rng.choice(
                [
                    ["tx", word(rng)],
                    ["tx", word(rng)],
                    ["rx"],
                    ["pin", rng.choice(INPUTS), rng.randrange(2)],
                    ["force", rng.getrandbits(8)],
                    ["clear", rng.getrandbits(8)],
                ]
            )
        )
    return result


def executed(rng: Source) -> int:
    """A word whose halves are instructions that OUT EXEC may bring."""
    one = rng.choice([_set, _in_pins, _push, _irq, _wait, lambda _: pio.jmp(0)])(rng)
    one |= rng.getrandbits(5) << 8
    return one << 16 | one
