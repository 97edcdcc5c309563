"""What a run looks at by break addresses: calls of malloc() that fail, stated sections."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

from fake_machine import Stop
from takt.admit.blocking import ALL, Held
from takt.machine.allocations import Allocations
from takt.result.stated import MOST, Stated

MALLOC, CALLER = 0x100, 0x200
FIRST, SECOND = range(0x2000_0000, 0x2000_0400), range(0x2000_0400, 0x2000_0800)
R0, R1, SP, LR = 0, 1, 13, 14


@dataclass
class Machine:
    """Its registers are set by the test; run() is a stop at an address."""

    sees_delivery = True
    pc: int = 0
    registers: dict[int, int] = field(default_factory=dict)
    breaks: set[int] = field(default_factory=set)

    def register(self, number: int) -> int:
        return self.registers[number]

    def break_at(self, address: int, on: bool = True) -> None:
        (self.breaks.add if on else self.breaks.discard)(address)

    def log_masked(self, on: bool) -> None:
        pass

    def masked(self) -> list:
        return []

    def stop(self, at: int, **registers: int) -> Stop:
        assert at in self.breaks
        self.pc = at
        self.registers = {R0: 0, R1: 0, SP: 0, LR: 0}
        for name, value in registers.items():
            self.registers[{"r0": R0, "r1": R1, "sp": SP, "lr": LR}[name]] = value
        return Stop("break", 0)


def program() -> SimpleNamespace:
    malloc = SimpleNamespace(address=MALLOC | 1)
    return SimpleNamespace(
        architecture=SimpleNamespace(record=8),
        by_name={"_malloc_r": malloc},
        note=lambda name: b"",
        function_at=lambda at: None,
    )


def allocations(kept: frozenset[int] = frozenset()) -> Allocations:
    return Allocations(Machine(), program(), [FIRST, SECOND], kept)


def called(looks: Allocations, sp: int, size: int = 8, back: int = CALLER) -> None:
    assert looks.took(looks.machine.stop(MALLOC, r1=size, sp=sp, lr=back | 1))


def returned(looks: Allocations, sp: int, gave: int, back: int = CALLER) -> None:
    assert looks.took(looks.machine.stop(back, r0=gave, sp=sp))


def test_calls_that_never_return_hide_no_failure() -> None:
    """Jobs are ended within malloc(), ever again at another depth of their stack."""
    looks = allocations()
    for n in range(40):
        called(looks, FIRST.stop - 8 * n, back=CALLER + 4 * n)
    called(looks, FIRST.stop - 400, size=99)
    returned(looks, FIRST.stop - 400, gave=0)
    assert (looks.failed, looks.largest) == (1, 99)
    assert looks.machine.breaks == {MALLOC}


def test_calls_of_two_threads_are_told_apart() -> None:
    looks = allocations()
    called(looks, FIRST.stop, size=10)
    called(looks, SECOND.stop, size=20)
    returned(looks, SECOND.stop, gave=0)
    assert looks.machine.breaks == {MALLOC, CALLER}
    returned(looks, FIRST.stop, gave=0x2000_1000)
    assert (looks.failed, looks.largest) == (1, 20)
    assert looks.machine.breaks == {MALLOC}


def test_a_break_that_is_needed_for_something_else_stays() -> None:
    looks = allocations(frozenset({CALLER}))
    looks.machine.break_at(CALLER)
    called(looks, FIRST.stop)
    returned(looks, FIRST.stop, gave=0)
    assert CALLER in looks.machine.breaks


def held(number: int) -> Held:
    return Held(
        "loop", 0, "interrupts off", f"a.ino:{number}", ALL, 5, True, at=0x1000 + 8 * number
    )


def test_stated_sections_that_are_not_measured_are_told() -> None:
    for count, told in (
        (MOST, []),
        (MOST + 1, [f"1 stated section was not measured: a run measures {MOST}"]),
        (MOST + 3, [f"3 stated sections were not measured: a run measures {MOST}"]),
    ):
        looks = Stated(Machine(), program(), tuple(held(n) for n in range(count)))
        assert looks.told() == told
        assert len(looks.sections) == MOST
