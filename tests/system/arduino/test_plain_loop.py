"""An ordinary loop() beside jobs, tasks and interrupts: it has the share it always has or what
fits beside them, and all of them run."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import BOARDS, PC
from takt import boards
from takt.build.build import Build, build
from takt.cli.run import _Session as Session
from takt.code.elf import Program
from takt.errors import UserError
from takt.world import world

BESIDE = {
    "task": "void task(work, 25) { done++; }\ntasksVcpu(1, 20);\n",
    "job": "void periodic(work, 1, 20) { done++; }\n",
}
WITH_EDGES = ("pico", "stm32f051", "sim", PC)  # the uno: avr/test_plain_handlers.py
EVERY_MS = {"task": 25, "job": 20}
TEXT = """#include <Takt.h>
volatile unsigned long passes, done;
void setup() { Serial.begin(57600); delay(30); done = 0; }
void serialEvent() { Serial.print(char(Serial.read() + 1)); }
void loop() { passes++; }
"""
TYPED = '[[stimuli]]\nat = "200 ms"\nsend = "H@K"\n'  # a letter ahead: I, A, L


def made(folder: Path, text: str, typed: str = TYPED) -> Path:
    sketch = folder / "plain"
    sketch.mkdir()
    (sketch / "plain.ino").write_text(text)
    (sketch / "world.toml").write_text(typed)
    return sketch


@pytest.mark.parametrize(
    ("board", "kind"),
    [*((board, "task") for board in BOARDS), *((b, "job") for b in ("pico", "uno", "sim"))],
)
def test_it_has_its_share(tmp_path: Path, board: str, kind: str) -> None:
    target = boards.load(board)
    sketch = made(tmp_path, TEXT + BESIDE[kind])
    built = build(sketch, target, out=tmp_path / "out")
    session = Session(built, world.load(sketch, target))
    session.go(0.6, None)
    found = session.result(0.6).as_dict()
    loop = next(row for row in found["threads"] if row["name"] == "loop")
    share, usual = loop["budget_us"], 70_000 if board == "uno" else 80_000
    assert share == share_of(built) and fits(built, share)
    # On some boards interrupts of Serial, one a byte, leave a little less.
    assert 70_000 <= share <= usual and (share == usual or board in {"stm32f051", "microbit"})
    assert share == usual or not fits(built, share + 100)
    assert loop["period_us"] == 100_000
    assert loop["misses"] == 0 and loop["exhausted"] >= 5  # it never waits
    (row,) = found["tasks" if kind == "task" else "jobs"]
    releases = 570 // EVERY_MS[kind]
    assert abs(row["releases"] - releases) <= 2
    assert row["releases"] - row["finished"] <= 1
    assert found["serial"] == "IAL"  # by the loop, though a job is more urgent


INTERRUPT = """volatile int n;
void count() { n++; }
void setup() {
  Serial.begin(9600);
  attachInterrupt(digitalPinToInterrupt(2), count, RISING);
}
void loop() {
  Serial.println(n);
  delay(500);
}
"""


EDGE = '[[stimuli]]\nat = "{} ms"\npin = 2\nlevel = "high"\npulse = "10 ms"\n'


def share_of(built: Build) -> int:
    """Of loop(), as the program has it."""
    elf = Program(built.elf)
    place = next(t.place for t in built.threads if t.name == "loop")
    return elf.threads()[place].budget_us or 0


def fits(built: Build, budget_us: int) -> bool:
    case = built.admission.case
    index = next(n for n, loop in enumerate(case.loops) if loop.name == "loop")
    return case.change(index, budget_us=budget_us).fits()


@pytest.mark.parametrize("board", WITH_EDGES)
def test_beside_an_interrupt_and_serial(tmp_path: Path, board: str) -> None:
    """The commonest sketch there is: it has what fits, to 0.1 ms, and no more than usual."""
    target = boards.load(board)
    edges = "".join(EDGE.format(ms) for ms in range(120, 1120, 100))
    sketch = made(tmp_path, INTERRUPT, edges)
    built = build(sketch, target, out=tmp_path / "out")
    share = share_of(built)
    usual = 80_000
    assert 50_000 <= share <= usual and fits(built, share)
    assert share == usual or not fits(built, share + 100)
    said = [line for line in built.assumed if line.startswith("loop gets ")]
    assert len(said) == (share < usual)
    if said:
        text = f"loop gets {share / 1000:g} ms in every 100 ms: what fits beside all else, up to "
        assert said[0].startswith(f"{text}{usual // 1000} ms")
    session = Session(built, world.load(sketch, target))
    session.go(1.6, None)
    found = session.result(1.6).as_dict()
    assert [t["misses"] for t in found["threads"] if t["name"] == "loop"] == [0]
    assert found["serial"].split() == ["0", "4", "9", "10"], board


@pytest.mark.parametrize("board", ("pico", "uno", "sim"))
def test_beside_jobs_it_has_what_they_leave(tmp_path: Path, board: str) -> None:
    target = boards.load(board)
    text = TEXT + "void periodic(work, 3, 10) { done++; }\n"
    built = build(made(tmp_path, text), target, out=tmp_path / "out")
    assert built.admission.admitted
    assert 40_000 < share_of(built) <= 70_000 and not fits(built, share_of(built) + 100)
    again = build(tmp_path / "plain", target, out=tmp_path / "out")
    assert share_of(again) == share_of(built)
    (tmp_path / "plain" / "plain.ino").write_text(TEXT)
    alone = build(tmp_path / "plain", target, out=tmp_path / "out")
    assert share_of(alone) == 0  # no other thread wants any


def test_what_leaves_no_room_for_it_is_refused(tmp_path: Path) -> None:
    """Below 1 ms it is not the loop that asks for too much."""
    text = TEXT + "void periodic(work, 9120_us, 10) { done++; }\n"
    with pytest.raises(UserError) as refused:
        build(made(tmp_path, text), boards.load("pico"), out=tmp_path / "out")
    assert "loop (1 ms in every 100 ms)" in refused.value.what


def test_without_any_loop_jobs_and_tasks_run(tmp_path: Path) -> None:
    text = TEXT.replace("void loop() { passes++; }\n", "") + "".join(BESIDE.values())
    built = build(made(tmp_path, text), boards.load("pico"), out=tmp_path / "out")
    assert [thread.name for thread in built.threads] == ["tasks", "periodic work"]


@pytest.mark.parametrize("board", ("pico", "uno", "stm32f051", "microbit"))
def test_alone_it_needs_no_budget(tmp_path: Path, board: str) -> None:
    """Nor a dispatcher; and so it is with a handler in the interrupt only."""
    text = TEXT + "void hit() {}\n"
    if board != "microbit":
        text = text.replace("delay(30);", "delay(30); attachInterruptIsr(2, hit, RISING);")
    target = boards.load(board)
    sketch = made(tmp_path, text)
    built = build(sketch, target, out=tmp_path / "out")
    assert [(t.name, t.budget_us) for t in built.threads] == [("loop", None)]
    assert not built.used & {"BUDGETS", "IO", "JOBS", "TASKS"}
    session = Session(built, world.load(sketch, target))
    session.go(0.6, None)
    assert session.result(0.6).as_dict()["serial"] == "IAL"
