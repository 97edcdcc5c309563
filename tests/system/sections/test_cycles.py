"""No instruction of a running program takes longer than lengths are added up from, and what is said
to be known of registers behind it is so (AVR; Thumb: tests/unit/tools/test_thumb_values.py)."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.code.avr.instructions import disassembled
from takt.code.avr.steps import AvrSteps
from takt.code.avr.values import FLAGS, after, goes
from takt.code.elf import Program
from takt.code.lengths import Lengths
from takt.code.thumb.steps import ThumbSteps
from takt.machine.avr import SREG, AvrMachine
from takt.machine.machines import machine_of

SKETCH = """
    #include <Takt.h>
    Mutex m;
    volatile long a = 5, b = 3; volatile float f = 2; Channel<long> ch; String text;
    struct Big { int words[20]; } big, other;
    void setup() { pinMode(3, OUTPUT); }
    void loop(1, 20, 100) {
      { Guard<Mutex> g(m); a = a / b + millis(); f = f * a; big = other; long c = a; ch.write(c); }
      { Critical c; digitalWrite(3, a & 1); b = analogRead(A0) + 1; }
    }
    void loop(2, 5, 20) { m.lock(); a = ch.read(); m.unlock(); delay(1); }
    """
INSTRUCTIONS = 60_000


@pytest.mark.parametrize("board", ["pico", "stm32f051", "uno"])
def test_no_instruction_takes_longer(tmp_path: Path, board: str) -> None:
    (tmp_path / "probe").mkdir()
    (tmp_path / "probe" / "probe.ino").write_text(SKETCH)
    built = build(tmp_path / "probe", boards.load(board), out=tmp_path / "out", admit=False)
    program = Program(built.elf)
    stepper = AvrSteps(program) if board == "uno" else ThumbSteps(program)
    lengths = Lengths(program, stepper, {}, {})
    machine = machine_of(built.board)
    machine.load_elf(built.elf)
    machine.run(built.board.clock_hz // 10)  # setup() is over
    seen, longest = 0, {}
    for _ in range(INSTRUCTIONS):
        at, since = machine.pc, machine.now
        machine.step()
        function = program.function_at(at)
        step = lengths.steps(function.address).get(at) if function else None
        known = step and (machine.pc in step.to or machine.pc in step.calls)  # else interrupted
        if step and known:
            seen += 1
            longest[at] = machine.now - since, step.cycles
    assert seen > INSTRUCTIONS / 2
    late = {hex(at): pair for at, pair in longest.items() if pair[0] > pair[1]}
    assert not late


WORDS: dict[str, Callable[[int, int, int], int]] = {
    "ldi": lambda d, _, k: 0xE000 | (k & 0xF0) << 4 | (d & 15) << 4 | k & 15,
    "subi": lambda d, _, k: 0x5000 | (k & 0xF0) << 4 | (d & 15) << 4 | k & 15,
    "sbci": lambda d, _, k: 0x4000 | (k & 0xF0) << 4 | (d & 15) << 4 | k & 15,
    "cpi": lambda d, _, k: 0x3000 | (k & 0xF0) << 4 | (d & 15) << 4 | k & 15,
    "add": lambda d, r, _: 0x0C00 | (r & 16) << 5 | d << 4 | r & 15,
    "adc": lambda d, r, _: 0x1C00 | (r & 16) << 5 | d << 4 | r & 15,
    "sub": lambda d, r, _: 0x1800 | (r & 16) << 5 | d << 4 | r & 15,
    "sbc": lambda d, r, _: 0x0800 | (r & 16) << 5 | d << 4 | r & 15,
    "cp": lambda d, r, _: 0x1400 | (r & 16) << 5 | d << 4 | r & 15,
    "cpc": lambda d, r, _: 0x0400 | (r & 16) << 5 | d << 4 | r & 15,
    "mov": lambda d, r, _: 0x2C00 | (r & 16) << 5 | d << 4 | r & 15,
    "movw": lambda d, r, _: 0x0100 | (d >> 1) << 4 | r >> 1,
    "eor": lambda d, r, _: 0x2400 | (r & 16) << 5 | d << 4 | r & 15,
    "and": lambda d, r, _: 0x2000 | (r & 16) << 5 | d << 4 | r & 15,
    "inc": lambda d, _, __: 0x9403 | d << 4,
    "dec": lambda d, _, __: 0x940A | d << 4,
    "com": lambda d, _, __: 0x9400 | d << 4,
    "lsr": lambda d, _, __: 0x9406 | d << 4,
    "swap": lambda d, _, __: 0x9402 | d << 4,
    "adiw": lambda d, _, k: 0x9600 | (d - 24 >> 1 & 3) << 4 | (k & 0x30) << 2 | k & 15,
    "sbiw": lambda d, _, k: 0x9700 | (d - 24 >> 1 & 3) << 4 | (k & 0x30) << 2 | k & 15,
    "mul": lambda d, r, _: 0x9C00 | (r & 16) << 5 | d << 4 | r & 15,
}
BITS = {0: "C", 1: "Z", 2: "N", 3: "V"}


@pytest.mark.parametrize("seed", range(20))
def test_numbers_of_an_avr(seed: int) -> None:
    """Against simavr: random instructions, and all branches behind each."""
    rng = random.Random(seed)
    words = [WORDS["ldi"](n, 0, rng.choice([0, 1, 127, 128, 255, rng.getrandbits(8)]))
             for n in range(16, 32)]  # fmt: skip
    for _ in range(80):
        name = rng.choice([*WORDS, "ldi", "cpi", "subi"])
        words.append(WORDS[name](rng.randrange(24, 32), rng.randrange(16, 32), rng.getrandbits(8)))
    code = b"".join(word.to_bytes(2, "little") for word in words)
    machine = AvrMachine()
    machine.write(0, code)
    known: dict[str, int] = {}
    said = 0
    for here in disassembled(code, 0):
        assert machine.pc == here.at
        known = after(here, known)
        machine.step()
        status = machine.register(SREG)
        actual = {str(n): machine.register(n) for n in range(32)}
        actual |= {flag: status >> bit & 1 for bit, flag in BITS.items()}
        assert {name: actual[name] for name in known} == known, here
        said += len(known)
        for bit in (0, 1, 2, 4):
            branch = disassembled((0xF000 | 2 << 3 | bit).to_bytes(2, "little"), 0)[0]
            taken = goes(branch, known)
            assert taken is None or taken == bool(status >> bit & 1), (here, bit)
    assert said > 400
    assert set(BITS.values()) == set(FLAGS.values())
