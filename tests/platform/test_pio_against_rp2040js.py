"""PIO beside that of rp2040js, which shares nothing with ours: random programs, then where the two
differ, which the data sheet decides.

rp2040js counts no cycles of waits and executes a delay at once. So both are compared after each
instruction and its delay, and the count goes on where a wait ends.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import bare_pio as pio
import pytest
import random_pio
from bare_pio import Block
from takt.machine.machine import Machine

HERE = Path(__file__).resolve().parent
BATCHES, PROGRAMS, ACTIONS = 10, 60, 30
ON_OUT = 5  # rp2040js' name for an OUT that waits for a word
Case = dict[str, Any]


def rp2040js(cases: list[Case]) -> list[list[Any]]:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    command = ["node", str(HERE / "pio.mjs")]
    done = subprocess.run(
        command, input=json.dumps(cases), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Ours:
    """A case on our machine; `start`: the cycle in which rp2040js would have counted none."""

    def __init__(self, m: Machine, case: Case) -> None:
        for bit in (pio.board.SET, pio.board.CLEAR):
            m.bus_write(pio.board.RESETS + bit, 1 << 10)
        for pin in random_pio.INPUTS:
            m.pin_drive(pin, 0)
        self.block, self.sm, self.pulled = Block(pio.PIO0, m), case["sm"], 0
        self.block.write(pio.BYPASS, 0xFFFFFFFF)
        self.block.load(case["memory"])
        for register, value in zip(
            (pio.CLKDIV, pio.EXECCTRL, pio.SHIFTCTRL, pio.PINCTRL), case["registers"], strict=True
        ):
            self.block.write(self.block.sm(self.sm, register), value)
        self.block.wait(5)
        self.start, self.cycles = self.block.enable(self.sm), 0

    def state(self) -> list[int]:
        block = self.block
        levels = block.read(pio.FLEVEL) >> 8 * self.sm & 0xFF
        pads = [block.read(pio.PADOUT), block.read(pio.PADOE)]
        return [block.pc(self.sm), *pads, block.read(pio.IRQ), levels]

    def go(self, theirs: list[list[int]]) -> None:
        for cycles, pc, *rest, waits in theirs:
            self.cycles = cycles
            self.block.m.run(self.start + cycles)
            own_pc, *own = self.state()
            assert (own_pc, own) == (own_pc if waits else pc, rest), cycles
            if waits:
                self.block.wait(3)
                assert self.state()[1:] == rest

    def act(self, what: str, *details: int) -> int | None:
        block, word = self.block, None
        if what == "tx":
            block.write(pio.TXF + 4 * self.sm, details[0])
        elif what == "rx":
            word = block.read(pio.RXF + 4 * self.sm)
        elif what == "pin":
            block.m.pin_drive(*details)
        else:
            block.write(pio.IRQ_FORCE if what == "force" else pio.IRQ, details[0])
        return word

    def ended(self, wait: list[int] | None) -> None:
        """The cycle after the present one ended a wait; a delay follows."""
        if wait is None:
            return
        delay, kind = wait
        self.start = self.block.m.now + 1 + (kind == ON_OUT) - self.cycles
        self.cycles += delay
        self.block.m.run(self.start + self.cycles)

    def execute(self, instruction: int) -> None:
        self.block.execute(instruction, self.sm)

    def dump(self) -> list[int]:
        """ISR, X, Y, OSR."""
        block, found = self.block, []
        block.write(pio.CTRL, 1 << (4 + self.sm))
        while block.read(pio.FSTAT) >> (8 + self.sm) & 1 == 0:
            block.read(pio.RXF + 4 * self.sm)
        for source in (pio.X, pio.Y, pio.OSR):
            self.execute(pio.mov(pio.ISR, source))
            self.execute(pio.push())
            found.append(block.read(pio.RXF + 4 * self.sm))
        return found


def replay(m: Machine, case: Case, answers: list[Any]) -> None:
    ours = Ours(m, case)
    for (what, *details), theirs in zip(case["actions"], answers, strict=True):
        if what == "go":
            ours.go(theirs)
        elif what == "dump":
            assert ours.dump() == theirs[1:], "X, Y, OSR"
        elif what == "rx":
            assert ours.act(what) == theirs[0]
            ours.ended(theirs[1])
        else:
            ours.act(what, *details)
            ours.ended(theirs)


def compare(cases: list[Case]) -> int:
    """All of them; the states that were compared."""
    m = pio.sleeping_board()
    for number, (case, answers) in enumerate(zip(cases, rp2040js(cases), strict=True)):
        try:
            replay(m, case, answers)
        except AssertionError as error:
            raise AssertionError(f"case {number}: {case}") from error
    went = (a for case in cases for a in case["actions"] if a[0] == "go")
    return sum(1 for _ in went)


@pytest.mark.parametrize("seeds", range(BATCHES))
@pytest.mark.parametrize(
    "automatic, kinds", [(0, random_pio.PLAIN), (pio.AUTOPUSH, random_pio.PUSHING)]
)
def test_random_programs(seeds: int, automatic: int, kinds: tuple[Any, ...]) -> None:
    rng = random.Random(f"{seeds} {automatic}")
    cases = [
        {
            "memory": random_pio.program(rng, kinds),
            "sm": rng.randrange(4),
            "registers": random_pio.registers(rng, automatic),
            "actions": [*random_pio.actions(rng, ACTIONS), ["dump"]],
        }
        for _ in range(PROGRAMS)
    ]
    assert compare(cases) == PROGRAMS * ACTIONS


@pytest.mark.parametrize("seeds", range(BATCHES))
def test_random_words_executed(seeds: int) -> None:
    """PULL and OUT EXEC, again and again."""
    rng = random.Random(seeds)
    cases = []
    for _ in range(PROGRAMS):
        registers = random_pio.registers(rng, 0)
        registers[1] = pio.execution((0, 1), rng.choice(random_pio.INPUTS))
        steps = random_pio.actions(rng, ACTIONS)
        steps = [["tx", random_pio.executed(rng)] if one[0] == "tx" else one for one in steps]
        memory = [pio.pull(delay=rng.randrange(4)), pio.out(pio.EXEC, 16, delay=3)]
        case = {"memory": memory, "sm": rng.randrange(4), "registers": registers, "actions": steps}
        cases.append(case)
    compare(cases)


def flowing(rng: random.Random) -> Case:
    """Autopull and autopush, words in, and as many out as there are."""
    registers = random_pio.registers(rng, pio.AUTOPULL | pio.AUTOPUSH)
    registers[1] = pio.execution((0, 31))
    drained = [["go", 200], ["rx"]] * 6
    words = [[["tx", random_pio.word(rng)], *drained] for _ in range(ACTIONS // 3)]
    return {
        "memory": random_pio.program(rng, random_pio.FLOWING),
        "sm": 1,
        "registers": registers,
        "actions": [one for word in words for one in word] + [["debug"]],
    }


@pytest.mark.parametrize("seeds", range(BATCHES))
def test_what_flows_through_by_itself(seeds: int) -> None:
    """rp2040js has no cycle in which an OSR fills, so what is compared is where both wait at last,
    and what has come out until then. As it has one word less under way, a program whose input it
    lost at some point says nothing."""
    rng = random.Random(seeds)
    cases = [flowing(rng) for _ in range(PROGRAMS)]
    m, waits = pio.sleeping_board(), 0
    for case, answers in zip(cases, rp2040js(cases), strict=True):
        if answers.pop() >> 16 & 0xF:
            continue
        ours = Ours(m, case)
        for (what, *details), theirs in zip(case["actions"], answers, strict=False):
            if what == "go":
                ours.block.wait(200 * 32)
            else:
                word = ours.act(what, *details)
                assert word is None or word == theirs[0]
            if what == "go" and theirs:
                pc, *pads, flags, levels = ours.state()
                _, *wanted, their_levels, waiting = theirs[-1]
                assert waiting and [pc, *pads, flags] == wanted
                assert levels >> 4 == their_levels >> 4
                waits += 1
    assert waits >= PROGRAMS * ACTIONS // 3


def both(program: list[int], shiftctrl: int, *actions: Any) -> tuple[list[Any], list[Any]]:
    """What the last of the actions gives, here and there."""
    registers = [1 << 16, pio.execution(), shiftctrl, pio.pins(in_base=random_pio.INPUTS[0])]
    case = {"memory": program, "sm": 0, "registers": registers, "actions": list(actions)}
    ours, theirs, own = Ours(pio.sleeping_board(), case), rp2040js([case])[0], None
    for what, *details in actions:
        if what == "go":
            ours.block.wait(30)
        elif what == "debug":
            own = ours.block.read(pio.FDEBUG)
        else:
            own = ours.act(what, *details)
    return own, theirs[-1][0] if actions[-1][0] == "rx" else theirs[-1]


STOP = pio.jmp(31)
PUSH_OSR = [pio.mov(pio.ISR, pio.OSR), pio.push(), STOP]


@pytest.mark.parametrize(
    "program, shiftctrl, actions, own, theirs",
    [
        pytest.param(
            [pio.pull(), pio.out(pio.NULL, 32), *PUSH_OSR], pio.shifts(),
            [["tx", 5], ["go", 9], ["rx"]], 0, 5,
            id="3.4.5: OUT shifts 32 bits out; there they stay",
        ),
        pytest.param(
            [pio.in_(pio.Y, 5), pio.mov(pio.X, pio.NULL, 1), pio.push(if_full=1),
             pio.in_(pio.X, 5), pio.push(if_full=1), STOP], pio.shifts(pio.IN_RIGHT, 0, 10),
            [["go", 9], ["rx"]], 31 << 27, 0,
            id="3.4.6: IfFull asks for the threshold; there only with autopush",
        ),
        pytest.param(
            [pio.out(pio.NULL, 8), pio.pull(), *PUSH_OSR], pio.shifts(pio.AUTOPULL | pio.OUT_RIGHT),
            [["tx", 0x500], ["tx", 9], ["go", 9], ["rx"]], 5, 9,
            id="3.4.7: with autopull PULL does nothing while the OSR is not empty; there it pulls",
        ),
        pytest.param(
            [pio.pull(block=0), STOP], pio.shifts(), [["go", 9], ["debug"]], 0, 1 << 24,
            id="3.7: TXSTALL is of a PULL that blocks; there of any",
        ),
    ],
)  # fmt: skip
def test_where_the_data_sheet_decides(
    program: list[int], shiftctrl: int, actions: list[Any], own: int, theirs: int
) -> None:
    program += [STOP] * (32 - len(program))
    assert both(program, shiftctrl, *actions) == (own, theirs)


def test_pins_of_an_in_that_waits_for_room() -> None:
    """The data sheet does not say when they are looked at: here when there is room, as all that an
    instruction does is done in its last cycle; there when it begins."""
    program = [pio.in_(pio.PINS, 32)] * 5 + [STOP] * 27
    reads = [["rx"]] * 5
    steps = [["go", 5], ["pin", 16, 1], ["rx"], ["go", 1], *reads[1:]]
    assert both(program, pio.shifts(pio.AUTOPUSH), *steps) == (1, 0)
