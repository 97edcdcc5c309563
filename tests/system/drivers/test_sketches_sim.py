"""Sketches on the simulated board."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.build.flashing import way
from takt.cli.run import run as run_in
from takt.errors import UserError
from takt.machine.sim import SimMachine
from takt.paths import ROOT
from takt.world import world

LED = 25
COUNT = """
volatile uint32_t edges;
void count() { edges++; }
void setup() { attachInterruptIsr(3, count, CHANGE); }
void loop() { delay(1); }
"""


def run(example: str, out: Path, until: int) -> list[tuple[int, int, int]]:
    """The edges of all pins of an example."""
    machine = SimMachine()
    machine.load_elf(build(ROOT / "examples" / example, boards.load("sim"), out=out).elf)
    for pin in range(30):
        machine.log_pin(pin)
    assert machine.run(until).reason == "time"
    assert machine.fault() is None
    assert machine.now == until
    assert machine.rtt_take(1) != b""
    return machine.pin_edges()


def test_blink(tmp_path: Path) -> None:
    edges = run("blink", tmp_path, 5_500_000)
    times = [us for us, pin, _ in edges if pin == LED]
    assert [level for _, pin, level in edges if pin == LED] == [1, 0, 1, 0, 1, 0]
    steps = [later - sooner for sooner, later in itertools.pairwise(times)]
    assert all(1_000_000 <= step < 1_000_010 for step in steps)


EMPTY = """#include <Takt.h>
volatile uint32_t passes;
void setup() {}
void loop(1, 10, 100) { for (;;); }
void loop(2, 20, 100) { passes++; delay(100); }
void periodic(job, 2, 10) { while (true) {} }
"""


def made(folder: Path, text: str) -> Path:
    sketch = folder / "probe"
    sketch.mkdir()
    (sketch / "probe.ino").write_text(text)
    return sketch


def test_loops_with_nothing_in_them(tmp_path: Path) -> None:
    """They take their budgets, a job is ended, and others are in time."""
    sim = boards.load("sim")
    sketch = made(tmp_path, EMPTY)
    built = build(sketch, sim, out=tmp_path / "out")
    found = run_in(built, world.empty(sim), 1.0).as_dict()
    rows = {row["name"]: row for row in found["threads"]}
    assert rows["loop 1"]["budget_us"] == 10_000
    assert rows["loop 1"]["exhausted"] >= 8
    assert all(row["misses"] == 0 for row in rows.values())
    (job,) = found["jobs"]
    assert job["terminated"] >= 98


def test_no_setup(tmp_path: Path) -> None:
    """What is missing is missed when linking, as on other boards."""
    with pytest.raises(UserError) as refused:
        build(made(tmp_path, "void loop() {}"), boards.load("sim"), out=tmp_path / "out")
    assert "the sketch has no setup()" in refused.value.what


def test_a_handler_that_does_not_end(tmp_path: Path) -> None:
    text = COUNT.replace("edges++;", "for (;;);")
    machine = SimMachine()
    machine.load_elf(build(made(tmp_path, text), boards.load("sim"), out=tmp_path / "out").elf)
    machine.pin_drive(3, 1, 1000)
    machine.run(10_000_000)
    assert "interrupts off for a second" in machine.fault()


def test_two_runs_are_the_same(tmp_path: Path) -> None:
    first, second = (run("two-blinks", tmp_path, 3_000_000) for _ in range(2))
    assert len({pin for _, pin, _ in first}) == 2
    assert first == second


def test_a_world_around_a_sketch(tmp_path: Path) -> None:
    """The rover's writes of pins and its sonar; the wall stays away, as on other boards."""
    folder, board = ROOT / "examples" / "rover", boards.load("sim")
    built = build(folder, board, out=tmp_path / "build")
    found = run_in(built, world.load(folder, board), 5.0).as_dict()
    assert found["world"]["wheels"]["collisions"] == 0
    assert found["world"]["sonar"]["measurements"] >= 20
    assert found["world"]["wheels"]["actuations"] == 50


@pytest.mark.parametrize("seed", [None, 7])
def test_a_wave_is_counted(tmp_path: Path, seed: int | None) -> None:
    folder = tmp_path / "count"
    folder.mkdir()
    (folder / "count.ino").write_text(COUNT)
    machine = SimMachine()
    machine.load_elf(build(folder, boards.load("sim"), out=tmp_path / "out").elf)
    machine.pin_wave(3, (40, 90) if seed else 62.5, 10_000, 200_000, seed)
    assert machine.run(250_000).reason == "time"
    edges = machine.pin_wave_edges(3)
    assert machine.word(machine.symbol("edges")) == edges
    assert edges == 3040 if seed is None else 190_000 // 90 < edges < 190_000 // 40


def test_there_is_no_firmware_to_flash(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="knows no way to sim"):
        way(boards.load("sim"), None)
    files = build(ROOT / "examples" / "blink", boards.load("sim"), out=tmp_path).files
    assert files.keys() == {"elf"}
