"""What the build says of interrupts, and what programs without them carry: nothing."""

from __future__ import annotations

import pytest
from takt import boards
from takt.build.build import build
from takt.code.elf import Program
from takt.errors import UserError
from takt.paths import ROOT

ATTACH = "void isr() {} void setup() { attachInterruptVcpu(3, isr, RISING, %s); } void loop() {}"
SHARE = "void setup() { interruptsVcpu(%s); } void loop() {}"


@pytest.mark.parametrize(
    ("source", "numbers", "said"),
    [
        (ATTACH, "0, 10", "attachInterruptVcpu: the budget C must be above 0"),
        (ATTACH, "1, 0", "attachInterruptVcpu: the period T must be above 0"),
        (ATTACH, "11, 10", "attachInterruptVcpu: the budget C is longer than the period T"),
        (ATTACH, "1, 300000", "attachInterruptVcpu: the period T is longer than 268.4 s"),
        (SHARE, "-1, 10", "interruptsVcpu: the budget C is below 0"),
        (SHARE, "1, 0", "interruptsVcpu: the period T must be above 0"),
        (SHARE, "11, 10", "interruptsVcpu: the budget C is longer than the period T"),
    ],
)
def test_bad_budgets_are_named(make, source: str, numbers: str, said: str) -> None:
    with pytest.raises(UserError) as raised:
        make(source % numbers)
    assert said in str(raised.value)


@pytest.mark.parametrize("name", ["blink", "rover"])
def test_programs_without_handlers_carry_none_of_it(tmp_path, name: str) -> None:
    built = build(ROOT / "examples" / name, boards.load("pico"), out=tmp_path / "out")
    names = {symbol.name for symbol in Program(built.elf).symbols}
    for part in ("takt_io_", "takt_pibs_", "pin_events", "takt_line_", "takt_arduino_handler"):
        assert not [name for name in names if part in name], part


def test_handlers_in_the_interrupt_bring_no_threads(make) -> None:
    built = make("""
        void isr() {}
        void setup() { attachInterruptIsr(3, isr, RISING); noInterrupts(); interrupts(); }
        void loop(1, 10, 100) { detachInterrupt(3); }
        """)
    assert [thread.name for thread in built.threads] == ["loop 1"]
    assert not [s.name for s in Program(built.elf).symbols if s.name.startswith("takt_io_")]
    assert any(line.startswith("pins:") for line in built.assumed)
