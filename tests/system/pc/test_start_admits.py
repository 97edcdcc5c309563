"""What the build admits runs: with several CPUs possible, a program judges its own budgets when it
starts, with what it knows of its drivers' interrupts."""

from __future__ import annotations

import random
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from everywhere import BOARDS, PC
from programs import changed
from takt import boards
from takt.admit.admit_library import Interrupt
from takt.admit.fixes import Case
from takt.admit.partition import partition
from takt.build.build import Build, build
from takt.code.elf import Program
from takt.machine.pc import PcMachine

pytestmark = pytest.mark.skipif(PC not in BOARDS, reason="the compiler here is not a PC's")
MS = 1_000_000
IRQ = struct.Struct("<3I")  # struct takt_admit_irq
SET = struct.Struct("<QQQ3I")  # the beginning of struct takt_admit_set: 3 pointers, 3 counts
CASES = 200
LOOPS = "void loop(1, 5, 24) {}\nvoid loop(2, 6, 24) {}\n"
KINDS = {  # each links functions of drivers, and leaves others of the same files behind
    "handler": "void h() {}\nvoid setup() { interruptsVcpu(10, 100);"
    " attachInterruptVcpu(20, h, RISING, 5, 50); }\n",
    "plain handler": "void h() {}\nvoid setup() { Serial.begin(9600); Serial.print(1);"
    " attachInterrupt(20, h, RISING); }\n",
    "pulses": "void setup() { pulseIn(3, HIGH); }\n",
    "serial": "void setup() { Serial.begin(115200); }\n",
    "nothing": "void setup() {}\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """made(kind): a program of a kind, built once."""
    known: dict[str, Build] = {}

    def once(kind: str) -> Build:
        if kind not in known:
            folder = tmp_path_factory.mktemp("made") / "made"
            folder.mkdir()
            (folder / "made.ino").write_text(f"#include <Takt.h>\n{KINDS[kind]}{LOOPS}")
            known[kind] = build(folder, boards.load(PC), admit=False)
        return known[kind]

    return once


def of_drivers(elf: Path) -> list[Interrupt]:
    """The interrupts that the program will count."""
    program = Program(elf)
    head = program.read(program.by_name["takt_admit_board"].address, SET.size)
    _, irqs, _, _, count, _ = SET.unpack(head)
    table = [IRQ.unpack(program.read(irqs + n * IRQ.size, IRQ.size)) for n in range(count)]
    return [Interrupt("", *irq) for irq in table if irq[0]]


def largest(case: Case, index: int) -> Case:
    """With the largest budget of a loop that the build admits, if there is one."""
    low, high = 0, case.loops[index].period_us
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if case.change(index, budget_us=middle).fits() else (low, middle - 1)
        )
    return case.change(index, budget_us=max(low, 1))


def random_case(rng: random.Random, case: Case) -> Case:
    """Other budgets and periods, and the last loop's budget as large as may be."""
    loops = []
    for loop in case.loops:
        period = rng.choice((rng.randint(400, 5000), rng.randint(5000, 200_000)))
        budget = rng.randint(1, max(1, period // len(case.loops)))
        loops.append(replace(loop, budget_us=budget, period_us=period))
    loops.sort(key=lambda loop: loop.period_us)
    return largest(replace(case, loops=tuple(loops)), rng.randrange(len(loops)))


@pytest.mark.parametrize("kind", KINDS)
def test_both_know_the_same_interrupts(made, kind: str) -> None:
    told = [(one.cost_ns, one.separation_us) for one in made(kind).admission.case.interrupts]
    told = [one for one in told if one[1] < 1 << 30]  # else of pins' top halves
    assert [(one.cost_ns, one.separation_us) for one in of_drivers(made(kind).elf)] == told
    assert (kind in ("nothing", "handler")) == (not told)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_admitted_is_so_at_the_start(made, kind: str) -> None:
    """By what the program will count, on the host: budgets as large as the build lets them be."""
    case, rng = made(kind).admission.case, random.Random(kind)
    seen = of_drivers(made(kind).elf)
    top = [one for one in case.interrupts if one.separation_us >= 1 << 30]
    admitted = 0
    while admitted < CASES // len(KINDS):
        tried = random_case(rng, case)
        if not tried.fits():
            continue
        admitted += 1
        found = partition(tried.loops, 1, tried.ios, seen + top, tried.costs, lock_ns=5000)
        assert found.refused is None, tried


def started(elf: Path) -> str:
    """What the program says within its first 100 ms."""
    machine = PcMachine(boards.load(PC), 1)
    try:
        machine.load_elf(elf)
        machine.run(100 * MS)
        return bytes(byte for _, byte in machine.uart_take(0)).decode("latin-1")
    finally:
        machine.close()


@pytest.mark.parametrize("kind", ("handler", "plain handler", "nothing"))
def test_what_is_admitted_starts(made, kind: str, tmp_path: Path) -> None:
    """On the machine: the largest budget of a loop that is admitted; some more is refused."""
    built = made(kind)
    case = built.admission.case
    index = next(n for n, loop in enumerate(case.loops) if loop.name == "loop 2")
    most = largest(case, index).loops[index].budget_us
    symbol = next(t.vcpu for t in built.threads if t.name == "loop 2")
    text = started(changed(built.elf, tmp_path / "most.elf", {symbol: most}))
    assert "fatal" not in text
    text = started(changed(built.elf, tmp_path / "more.elf", {symbol: most + 20}))
    assert "fatal: no room for its budget; CPUs: 1" in text
