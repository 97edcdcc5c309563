"""Random straight-line Thumb code whose memory accesses and jumps stay in bounds.

r7 points into data, r6 holds a small word-aligned offset; r0-r5, r8-r12 and lr are free. Jumps
only go forward by a few instructions.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Source = random.Random


def _low(rng: Source) -> int:
    return rng.randrange(6)


def _any_low(rng: Source) -> int:
    return rng.randrange(8)


def _high(rng: Source) -> int:
    """A register that a high-register instruction may write."""
    return rng.choice([0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 14])


def shift_immediate(rng: Source) -> list[int]:
    return [rng.randrange(3) << 11 | rng.randrange(32) << 6 | _any_low(rng) << 3 | _low(rng)]


def add_subtract(rng: Source) -> list[int]:
    return [3 << 11 | rng.randrange(4) << 9 | _any_low(rng) << 6 | _any_low(rng) << 3 | _low(rng)]


def immediate(rng: Source) -> list[int]:
    return [(4 + rng.randrange(4)) << 11 | _low(rng) << 8 | rng.randrange(256)]


def data_processing(rng: Source) -> list[int]:
    return [0x4000 | rng.randrange(16) << 6 | _any_low(rng) << 3 | _low(rng)]


def shift_by_small_register(rng: Source) -> list[int]:
    """Amounts around 0 and 32, which random registers seldom hold."""
    amount, operation = _low(rng), rng.choice([2, 3, 4, 7])
    value = rng.choice([0, 1, 31, 32, 33, 64, 255])
    return [0x2000 | amount << 8 | value, 0x4000 | operation << 6 | amount << 3 | _low(rng)]


def high_register(rng: Source) -> list[int]:
    operation, rd = rng.randrange(3), _high(rng)
    rm = rng.randrange(15 if operation == 1 else 16)
    if operation == 1 and rd < 8 and rm < 8:
        rm = rng.randrange(8, 15)
    return [0x4400 | operation << 8 | (rd & 8) << 4 | rm << 3 | (rd & 7)]


def stack_or_pc_address(rng: Source) -> list[int]:
    return [0xA000 | rng.randrange(2) << 11 | _low(rng) << 8 | rng.randrange(256)]


def move_stack(rng: Source) -> list[int]:
    amount = rng.randrange(8)
    return [0xB000 | amount, 0xB080 | amount] if rng.random() < 0.5 else [0xB080 | amount]


def extend_or_reverse(rng: Source) -> list[int]:
    base = rng.choice([0xB200, 0xB240, 0xB280, 0xB2C0, 0xBA00, 0xBA40, 0xBAC0])
    return [base | _any_low(rng) << 3 | _low(rng)]


def load_immediate(rng: Source) -> list[int]:
    kind = rng.choice([0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800])
    return [kind | rng.randrange(32) << 6 | 7 << 3 | _low(rng)]


def load_register(rng: Source) -> list[int]:
    return [0x5000 | rng.randrange(8) << 9 | 6 << 6 | 7 << 3 | _low(rng)]


def load_stack(rng: Source) -> list[int]:
    return [0x9000 | rng.randrange(2) << 11 | _low(rng) << 8 | rng.randrange(64)]


def load_literal(rng: Source) -> list[int]:
    return [0x4800 | _low(rng) << 8 | rng.randrange(8)]


def push_pop(rng: Source) -> list[int]:
    saved = rng.randrange(1, 64)
    loaded = sum(1 << r for r in rng.sample(range(6), saved.bit_count()))
    link = 0x100 if rng.random() < 0.3 else 0
    return [0xB400 | link | saved, 0xBC00 | loaded] + ([0xB001] if link else [])


def multiple(rng: Source) -> list[int]:
    base, load = rng.randrange(6), rng.randrange(2)
    registers = rng.randrange(1, 64)
    if not load:  # the base may be stored only when it comes first
        registers &= ~((1 << base) - 1) if registers >> base & 1 else 0xFF
    return [0x4638 | base, 0xC000 | load << 11 | base << 8 | registers]


def branch_forward(rng: Source) -> list[int]:
    skipped = rng.randrange(4)
    filler = [w for _ in range(skipped) for w in immediate(rng)]
    condition = rng.randrange(15)
    if condition == 14:
        return [0xE000 | (skipped - 1) & 0x7FF, *filler]
    return [0xD000 | condition << 8 | (skipped - 1) & 0xFF, *filler]


def call_forward(rng: Source) -> list[int]:
    skipped = rng.randrange(3)
    return [0xF000, 0xF800 | skipped, *[w for _ in range(skipped) for w in immediate(rng)]]


def jump_register(rng: Source) -> list[int]:
    """mov r, pc; adds r, #5; bx or blx r; (skipped)"""
    register = _low(rng)
    operation = rng.choice([0x4700, 0x4780])
    return [0x4678 | register, 0x3005 | register << 8, operation | register << 3, *immediate(rng)]


def flags(rng: Source) -> list[int]:
    if rng.random() < 0.5:
        return [0xF3EF, 0x8000 | _low(rng) << 8]
    register = _low(rng)  # only bits 31:28, for unicorn also keeps the Q bit that ARMv6-M lacks
    return [0x0700 | register << 3 | register, 0xF380 | register, 0x8800]


KINDS: list[tuple[int, Callable[[Source], list[int]]]] = [
    (4, shift_immediate),
    (4, add_subtract),
    (4, immediate),
    (8, data_processing),
    (2, shift_by_small_register),
    (4, high_register),
    (1, stack_or_pc_address),
    (1, move_stack),
    (3, extend_or_reverse),
    (4, load_immediate),
    (4, load_register),
    (2, load_stack),
    (1, load_literal),
    (2, push_pop),
    (2, multiple),
    (3, branch_forward),
    (1, call_forward),
    (1, jump_register),
    (1, flags),
]


def block(rng: Source, length: int) -> list[int]:
    """About `length` halfwords."""
    weights = [weight for weight, _ in KINDS]
    out: list[int] = []
    while len(out) < length:
        out += rng.choices(KINDS, weights)[0][1](rng)
    return out
