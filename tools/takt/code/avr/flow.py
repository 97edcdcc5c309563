"""AVR: what instructions do to registers and the stack pointer (codeflow.py).

Registers are bytes, so that an address is in two. A state also has "sp": by how many bytes the
stack is deeper than where the function began. Of pointers to an object, its table or what has been
loaded, displaced ones are known as this+, vptr+ and word+, with the displacement.
"""

from __future__ import annotations

from takt.code.avr.instructions import ONLY_READ, POINTERS, Instruction, X, Y, Z
from takt.code.codeflow import LOADED, RETURN, SLOTS, WORD, State, Value, put

SPL, SPH = 0x3D, 0x3E
CALL_USED = (0, *range(18, 28), 30, 31)  # not kept by what is called
ZERO = Value("const", frozenset({0}))
SP = "sp"
HALVES = ("sp", "this", "vptr", "this+", "vptr+", "word+")  # their bytes are told apart


def begin(member: bool) -> State:
    """When a function begins. member: of a class with virtual functions."""
    state: State = {SP: Value(SP, frozenset({0})), 1: ZERO}
    if member:
        put_pair(state, 24, Value("this"))
    return state


def depth(state: State) -> int | None:
    """Bytes of stack in use."""
    value = state.get(SP)
    return max(value.numbers) if value else None


def pair(state: State, low: int) -> Value | None:
    """The value of a register and the next."""
    one, two = state.get(low), state.get(low + 1)
    if one is None or two is None:
        return None
    if one.kind == two.kind == "const":
        return Value("const", frozenset(a | b << 8 for a in one.numbers for b in two.numbers))
    if one.kind in HALVES:
        return one._replace(byte=None) if two == one._replace(byte=1) else None
    if one.kind in SLOTS and two.kind in SLOTS and {n + 1 for n in one.numbers} == two.numbers:
        kind = one.kind if one.kind == two.kind else "slot"
        return Value(kind, frozenset(n // 2 for n in one.numbers))
    return WORD if one.kind in LOADED and two.kind in LOADED else None


def put_pair(state: State, low: int, value: Value) -> None:
    for byte in (0, 1):
        state[low + byte] = value._replace(byte=byte)


def shift(state: State, low: int, by: int) -> bool:
    """Adds to the address in a pair of registers; False: it is none that we follow."""
    value = pair(state, low)
    kind = value.kind if value else ""
    if value and kind == SP:
        numbers = frozenset(_signed(n - by) for n in value.numbers)
        put_pair(state, low, Value(SP, numbers))
    elif value and (kind.endswith("+") or kind in ("this", *LOADED)):
        base = kind.removesuffix("+")
        base = base if base in ("this", "vptr") else "word"
        to = _signed((min(value.numbers) if kind.endswith("+") else 0) + by)
        if to:
            put_pair(state, low, Value(f"{base}+", frozenset({to})))
        elif base == "word":
            state[low] = state[low + 1] = WORD
        else:
            put_pair(state, low, Value(base))
    else:
        return False
    return True


def _signed(number: int) -> int:
    return (number + 0x8000 & 0xFFFF) - 0x8000


def _loaded(base: Value | None, offset: int) -> Value:
    """A byte at an offset of where a pair points to."""
    kind = base.kind if base else ""
    if base and kind.endswith("+"):
        offset += min(base.numbers)
    if kind in ("this", "this+"):
        return Value("vptr", byte=offset) if offset in (0, 1) else WORD
    if kind in ("vptr", "vptr+"):
        return Value("virtual", frozenset({offset}))
    if kind in LOADED or kind == "word+":
        return Value("slot", frozenset({offset}))
    return WORD


def step(here: Instruction, before: State) -> State:
    """What registers hold after an instruction."""
    after = dict(before)
    d, r = here.d, here.r
    if here.name in ("call", "icall", "rcall"):
        after = _called(after, here)
    elif here.name == "push":
        after = deeper(after, 1)
    elif here.name == "pop" and d is not None:
        after = deeper(after, -1)
        after[d] = RETURN
    elif here.name == "out":
        _set_sp(after, here)
    elif here.name == "in" and here.k in (SPL, SPH) and SP in before and d is not None:
        after[d] = before[SP]._replace(byte=here.k - SPL)
    elif here.name == "ldi" and d is not None:
        after[d] = Value("const", frozenset({here.k}))
    elif here.name == "mov":
        put(after, d, before.get(r))
    elif here.name == "movw" and d is not None and r is not None:
        put(after, d, before.get(r))
        put(after, d + 1, before.get(r + 1))
    elif here.name == "eor" and d == r:
        after[d] = ZERO
    elif here.pointer or here.name in ("lds", "sts", "lpm"):
        _memory(after, here)
    else:
        _changed(after, here)
    return after


def _called(state: State, here: Instruction) -> State:
    """To go on behind it, with the return address where no ret takes that."""
    if here.target == here.at + here.size:
        return deeper(state, 2)
    return {at: value for at, value in state.items() if at not in CALL_USED} | {1: ZERO}


def deeper(state: State, by: int) -> State:
    """With more on the stack."""
    used = state.get(SP)
    return state | {SP: Value(SP, frozenset(n + by for n in used.numbers))} if used else state


def _set_sp(state: State, here: Instruction) -> None:
    """What comes from memory, or is a constant, is another stack. Of the two bytes, the compiler
    writes the low one last, and by then we know both."""
    value = state.get(here.r)
    if here.k == SPL and value and value.kind == SP:
        state[SP] = value._replace(byte=None)
    elif here.k == SPL and not unknown(state, here):
        state[SP] = Value(SP, frozenset({0}))


def unknown(state: State, here: Instruction) -> bool:
    """Whether the stack pointer becomes something computed."""
    value = state.get(here.r)
    return here.name == "out" and here.k == SPL and (value is None or value.kind == "return")


def _memory(state: State, here: Instruction) -> None:
    """Loads and stores."""
    base = POINTERS.get(here.pointer.strip("+-"), Z)
    if here.pointer.startswith("-"):
        _moved(state, base, -1)
    if here.name in ("ld", "ldd") and here.d is not None:
        found = _loaded(pair(state, base), here.k)
    else:
        found = WORD
    if here.pointer.endswith("+"):
        _moved(state, base, 1)
    if here.name in ("ld", "ldd", "lds", "lpm"):
        state[here.d or 0] = found


def _moved(state: State, base: int, by: int) -> None:
    if base not in (X, Y, Z) or not shift(state, base, by):
        state.pop(base, None)
        state.pop(base + 1, None)


def _changed(state: State, here: Instruction) -> None:
    """Arithmetic: 16 bits are added in two steps, the carry in the second."""
    d = here.d
    if d is None or here.name in ONLY_READ:
        return
    other = state.get(here.r)
    known = other and other.kind == "const" and len(other.numbers) == 1
    number = min(other.numbers) if other and known else None if here.r is not None else here.k
    sign = {"sub": -1, "sbc": -1, "add": 1, "adc": 1, "subi": -1, "sbci": -1}.get(here.name)
    done = False
    if here.name in ("adiw", "sbiw"):
        done = shift(state, d, here.k if here.name == "adiw" else -here.k)
    elif sign and number is not None:
        high = here.name in ("sbc", "adc", "sbci")
        done = high == d % 2 and shift(state, d - high, sign * number << 8 * high)
    if done:
        return
    state.pop(d, None)
    if here.name in ("adiw", "sbiw"):
        state.pop(d + 1, None)
    if here.name.startswith(("mul", "fmul")):
        state.pop(0, None)
        state.pop(1, None)
