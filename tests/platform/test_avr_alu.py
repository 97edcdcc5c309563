"""AVR: results and flags of libsimavr's arithmetic, against the manual's equations."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from avr_board import assembled
from takt.machine.avr import SREG, AvrMachine

C, Z, N, V, S, H = (1 << bit for bit in range(6))
ROUNDS = 150


def flags(result: int, carry: int, overflow: int, half: int | None, bits: int = 8) -> int:
    """SREG's arithmetic part; half None: unchanged."""
    negative = result >> (bits - 1) & 1
    value = C * carry | Z * (result == 0) | N * negative | V * overflow
    return value | S * (negative ^ overflow) | (H * half if half is not None else 0)


def add(a: int, b: int, carry: int) -> tuple[int, int]:
    total = a + b + carry
    result = total & 255
    overflow = (~(a ^ b) & (a ^ result)) >> 7 & 1
    return result, flags(result, total >> 8, overflow, (a & 15) + (b & 15) + carry >> 4)


def subtract(a: int, b: int, carry: int) -> tuple[int, int]:
    result = a - b - carry & 255
    overflow = ((a ^ b) & (a ^ result)) >> 7 & 1
    half = (a & 15) - (b & 15) - carry < 0
    return result, flags(result, a < b + carry, overflow, int(half))


def chained(pair: tuple[int, int], zero: int) -> tuple[int, int]:
    """Z can only be cleared."""
    result, sreg = pair
    return result, sreg if zero else sreg & ~Z


def logic(result: int, carry: int) -> tuple[int, int]:
    return result, flags(result, carry, 0, None)


def shift(result: int, carry: int) -> tuple[int, int]:
    return result, flags(result, carry, result >> 7 ^ carry, None)


TWO: dict[str, Callable[[int, int, int, int], tuple[int, int]]] = {
    "add": lambda a, b, c, z: add(a, b, 0),
    "adc": lambda a, b, c, z: add(a, b, c),
    "sub": lambda a, b, c, z: subtract(a, b, 0),
    "sbc": lambda a, b, c, z: chained(subtract(a, b, c), z),
    "cp": lambda a, b, c, z: (a, subtract(a, b, 0)[1]),
    "cpc": lambda a, b, c, z: (a, chained(subtract(a, b, c), z)[1]),
    "and": lambda a, b, c, z: logic(a & b, c),
    "or": lambda a, b, c, z: logic(a | b, c),
    "eor": lambda a, b, c, z: logic(a ^ b, c),
}
ONE: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "com": lambda a, c: logic(a ^ 255, 1),
    "neg": lambda a, c: (subtract(0, a, 0)[0], subtract(0, a, 0)[1]),
    "inc": lambda a, c: (a + 1 & 255, flags(a + 1 & 255, c, int(a == 127), None)),
    "dec": lambda a, c: (a - 1 & 255, flags(a - 1 & 255, c, int(a == 128), None)),
    "lsr": lambda a, c: shift(a >> 1, a & 1),
    "ror": lambda a, c: shift(a >> 1 | c << 7, a & 1),
    "asr": lambda a, c: shift(a >> 1 | a & 128, a & 1),
}
UNCHANGED_H = {"and", "or", "eor", "com", "inc", "dec", "lsr", "ror", "asr"}


def signed(value: int) -> int:
    return value - 256 if value > 127 else value


PRODUCT: dict[str, Callable[[int, int], int]] = {
    "mul": lambda a, b: a * b,
    "muls": lambda a, b: signed(a) * signed(b),
    "mulsu": lambda a, b: signed(a) * b,
    "fmul": lambda a, b: a * b,
    "fmuls": lambda a, b: signed(a) * signed(b),
    "fmulsu": lambda a, b: signed(a) * b,
}


def ready(folder: Path, code: str) -> AvrMachine:
    m = assembled(folder, f"_start:\nop: {code}\nend: rjmp end")
    m.step()
    return m


def once(m: AvrMachine, registers: dict[int, int], sreg: int) -> int:
    """Does the instruction once more; SREG."""
    for number, value in registers.items():
        m.set_register(number, value)
    m.set_register(SREG, sreg)
    m.set_register(34, m.symbol("op"))
    m.step()
    return m.register(SREG)


@pytest.mark.parametrize("name", [*TWO, *ONE])
def test_bytes(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    m = ready(tmp_path, f"{name} r16" + (", r17" if name in TWO else ""))
    for _ in range(ROUNDS):
        a, b, before = chance.randrange(256), chance.randrange(256), chance.randrange(64)
        after = once(m, {16: a, 17: b}, before)
        carry, zero = before & C, before >> 1 & 1
        result, sreg = TWO[name](a, b, carry, zero) if name in TWO else ONE[name](a, carry)
        if name in UNCHANGED_H:
            sreg |= before & H
        assert (m.register(16), after) == (result, sreg), (a, b, before)


@pytest.mark.parametrize("name, sign", [("adiw", 1), ("sbiw", -1)])
def test_words(tmp_path: Path, name: str, sign: int) -> None:
    chance = random.Random(name)
    m = ready(tmp_path, f"{name} r24, 45")
    for number in range(ROUNDS):
        a = chance.choice([chance.randrange(1 << 16), 45, 0x8000, 0xFFF0, 0x7FF0, number])
        before = chance.randrange(64)
        after = once(m, {24: a & 255, 25: a >> 8}, before)
        total = a + sign * 45
        result = total & 0xFFFF
        turned = (result if sign > 0 else a) & ~(a if sign > 0 else result) & 0x8000
        sreg = flags(result, int(total != result), turned >> 15, None, 16) | before & H
        assert (m.register(24) | m.register(25) << 8, after) == (result, sreg), a


@pytest.mark.parametrize("name", PRODUCT)
def test_products(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    m = ready(tmp_path, f"{name} r16, r17")
    for _ in range(ROUNDS):
        a, b, before = chance.randrange(256), chance.randrange(256), chance.randrange(64)
        after = once(m, {16: a, 17: b}, before)
        product = PRODUCT[name](a, b) & 0xFFFF
        result = product << 1 & 0xFFFF if name.startswith("f") else product
        sreg = before & ~(C | Z) | C * (product >> 15) | Z * (result == 0)
        assert (m.register(0) | m.register(1) << 8, after) == (result, sreg), (a, b)
