"""What the pico's program takes the first time, and later: as board/pico/README.md says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.machine.machines import machine_of

README = Path(__file__).parents[3] / "board" / "pico" / "README.md"
HZ = 125_000_000
EVENT, HANDLED, BUSY = 4, 5, 6
PERIOD = HZ // 20
HANDLER, WORK = "edge to handler", "a loop's work"
SKETCH = """
#include <Takt.h>
const unsigned table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
volatile unsigned sum;
void seen() { digitalWrite(5, HIGH); digitalWrite(5, LOW); }
void setup() {
  pinMode(4, INPUT);
  pinMode(5, OUTPUT);
  pinMode(6, OUTPUT);
  interruptsVcpu(10, 100);
  attachInterruptVcpu(4, seen, RISING, 1, 10);
}
void loop(1, 2, 50) {
  digitalWrite(6, HIGH);
  for (unsigned n : table) sum = sum * 31 + n;
  digitalWrite(6, LOW);
  delay(50);
}
"""
ROW = re.compile(
    r"^\| (?P<what>[^|]+?) \| (?P<first>[\d.]+) us \| (?P<later>[\d. to]+) us \|$", re.M
)


def measured(folder: Path, flash: bool) -> dict[str, tuple[float, list[float]]]:
    """us, the first time and later: from an edge to its handler, and of a loop's work."""
    folder.mkdir()
    (folder / f"{folder.name}.ino").write_text(SKETCH)
    machine = machine_of(boards.load("pico"))
    machine.load_elf(build(folder, boards.load("pico"), trace=False, flash=flash).elf)
    for pin in (HANDLED, BUSY):
        machine.log_pin(pin)
    first = HZ * 3 // 100
    edges = [first + n * PERIOD for n in range(8)]
    for at in edges:
        machine.pin_drive(EVENT, 1, at=at)
        machine.pin_drive(EVENT, 0, at=at + HZ // 1000)
    machine.run(edges[-1] + PERIOD)
    seen = machine.pin_edges()
    handled = [cycle for cycle, pin, level in seen if (pin, level) == (HANDLED, 1)]
    rises = [cycle for cycle, pin, level in seen if (pin, level) == (BUSY, 1)]
    falls = [cycle for cycle, pin, level in seen if (pin, level) == (BUSY, 0)]
    assert len(handled) == len(edges) and len(falls) >= 8
    delays = [(to - at) * 1e6 / HZ for at, to in zip(edges, handled, strict=True)]
    work = [(to - at) * 1e6 / HZ for at, to in zip(rises, falls, strict=False)]
    return {HANDLER: (delays[0], delays[1:]), WORK: (work[0], work[1:])}


def row(what: str) -> tuple[str, str]:
    (found,) = (m for m in ROW.finditer(README.read_text()) if m["what"] == what)
    return found["first"], found["later"]


def span(values: list[float]) -> str:
    least, most = f"{min(values):.1f}", f"{max(values):.1f}"
    return least if least == most else f"{least} to {most}"


@pytest.mark.parametrize("flash", [False, True], ids=["from RAM", "--flash"])
def test_the_first_time_and_later(tmp_path: Path, flash: bool) -> None:
    found = measured(tmp_path / "cold", flash)
    where = "`--flash`" if flash else "from RAM"
    told = {
        f"{what}, {where}": (f"{first:.1f}", span(later)) for what, (first, later) in found.items()
    }
    print()
    print(
        "\n".join(f"| {what} | {first} us | {later} us |" for what, (first, later) in told.items())
    )
    assert {what: row(what) for what in told} == told
    first, later = found[WORK]
    if flash:
        assert first > max(later) + 5, "cold"
    else:
        assert max(first, *later) - min(first, *later) < 1, "nothing is cold in RAM"
