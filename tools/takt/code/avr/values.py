"""AVR: numbers that registers hold and flags that follow, so that loops of a known number of rounds
can be counted (lengths.py). What is not known is not in a state."""

from __future__ import annotations

from takt.code.avr.flow import CALL_USED
from takt.code.avr.instructions import ONLY_READ, POINTERS, SKIPS, Instruction

Numbers = dict[str, int]  # of registers, by number as text; flags: C, Z, N, V
FLAGS = {0: "C", 1: "Z", 2: "N", 3: "V"}
SIGN = 4  # N ^ V
SETS_NONE = {"mov", "movw", "ldi", "ld", "ldd", "lds", "st", "std", "sts", "push", "pop", "in"}
SETS_NONE |= {
    "out",
    "nop",
    "lpm",
    "rjmp",
    "jmp",
    "brbs",
    "brbc",
    "swap",
    "bld",
    "sbi",
    "cbi",
    "wdr",
}
SETS_NONE |= {*SKIPS}


def goes(here: Instruction, before: Numbers) -> bool | None:
    """Whether a conditional branch is taken; None: not known."""
    if here.name not in ("brbs", "brbc"):
        return None
    bit = before.get(FLAGS.get(here.bit, ""))
    if here.bit == SIGN and "N" in before and "V" in before:
        bit = before["N"] ^ before["V"]
    return None if bit is None else bool(bit) == (here.name == "brbs")


def after(here: Instruction, before: Numbers) -> Numbers:
    """What is known behind an instruction."""
    found = dict(before)
    if here.name in ("call", "rcall", "icall"):
        lost = {*map(str, CALL_USED), *FLAGS.values()} - {"1"}
        return {r: n for r, n in found.items() if r not in lost} | {"1": 0}
    if not _computed(here, before, found):
        _forget(here, found)
    return found


def _forget(here: Instruction, found: Numbers) -> None:
    if here.d is not None and here.name not in ONLY_READ:
        found.pop(str(here.d), None)
        if here.name in ("adiw", "sbiw", "movw"):
            found.pop(str(here.d + 1), None)
    if here.name.startswith(("mul", "fmul")):
        found.pop("0", None)
        found.pop("1", None)
    base = POINTERS.get(here.pointer.strip("+-"))
    step = {"+": 1, "-": -1}.get(here.pointer.strip("XYZ")) if base is not None else None
    if step is not None:
        _move(found, str(base), str((base or 0) + 1), step)
    if here.name not in SETS_NONE:
        for flag in FLAGS.values():
            found.pop(flag, None)


def _move(found: Numbers, low: str, high: str, step: int) -> None:
    """A pointer that moves on by a byte; flags stay."""
    if low in found and high in found:
        value = found[low] + (found[high] << 8) + step & 0xFFFF
        found |= {low: value & 0xFF, high: value >> 8}
    else:
        found.pop(low, None)
        found.pop(high, None)


def _computed(here: Instruction, before: Numbers, found: Numbers) -> bool:
    """Whether it is followed."""
    name, d = here.name, str(here.d)
    first = before.get(d)
    last = before.get(str(here.r)) if here.r is not None else here.k
    if name == "ldi":
        found[d] = here.k & 0xFF
    elif name == "mov" and last is not None:
        found[d] = last
    elif name == "movw" and last is not None and str((here.r or 0) + 1) in before:
        found |= {d: last, str((here.d or 0) + 1): before[str((here.r or 0) + 1)]}
    elif name == "eor" and here.d == here.r:
        found |= {d: 0, "Z": 1, "N": 0, "V": 0}
    elif name in ("adiw", "sbiw"):
        return _wide(here, before, found)
    elif name in ("inc", "dec") and first is not None:
        value = first + (1 if name == "inc" else -1) & 0xFF
        overflow = value == (0x80 if name == "inc" else 0x7F)
        found |= {d: value, "Z": int(value == 0), "N": value >> 7, "V": int(overflow)}
    elif name in ("sub", "subi", "cp", "cpi", "sbc", "sbci", "cpc", "add", "adc"):
        return _arithmetic(name, d, (first, last), before, found)
    else:
        return False
    return True


def _wide(here: Instruction, before: Numbers, found: Numbers) -> bool:
    low, high = str(here.d), str((here.d or 0) + 1)
    if low not in before or high not in before:
        return False
    first = before[low] | before[high] << 8
    total = first + (here.k if here.name == "adiw" else -here.k)
    value = total & 0xFFFF
    signed = (first ^ 0x8000) - 0x8000 + (here.k if here.name == "adiw" else -here.k)
    found |= {low: value & 0xFF, high: value >> 8, "Z": int(value == 0), "N": value >> 15}
    found |= {"C": int(total != value), "V": int(not -0x8000 <= signed < 0x8000)}
    return True


def _arithmetic(
    name: str, d: str, numbers: tuple[int | None, int | None], before: Numbers, found: Numbers
) -> bool:
    first, last = numbers
    carries = name in ("sbc", "sbci", "cpc", "adc")
    if first is None or last is None or (carries and "C" not in before):
        return False
    carry = before["C"] if carries else 0
    up = 1 if name in ("add", "adc") else -1
    total = first + up * (last & 0xFF) + up * carry
    value = total & 0xFF
    signed = _signed(first) + up * _signed(last & 0xFF) + up * carry
    zero = int(value == 0)
    if name in ("sbc", "sbci", "cpc"):
        if "Z" not in before:
            return False
        zero &= before["Z"]
    if not name.startswith("cp"):
        found[d] = value
    found |= {"C": int(total != value), "Z": zero, "N": value >> 7}
    found["V"] = int(not -128 <= signed < 128)
    return True


def _signed(value: int) -> int:
    return value - 256 if value >> 7 else value
