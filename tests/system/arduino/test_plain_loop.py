"""An ordinary loop() beside jobs and tasks: it has the share it always has, and all of them run."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import BOARDS
from takt import boards, world
from takt.build import build
from takt.errors import UserError
from takt.run import _Session as Session

BESIDE = {
    "task": "void task(work, 25) { done++; }\ntasksVcpu(1, 20);\n",
    "job": "void periodic(work, 1, 20) { done++; }\n",
}
EVERY_MS = {"task": 25, "job": 20}
TEXT = """#include <Takt.h>
volatile unsigned long passes, done;
void setup() { Serial.begin(57600); delay(30); done = 0; }
void serialEvent() { Serial.print(char(Serial.read() + 1)); }
void loop() { passes++; }
"""
TYPED = '[[stimuli]]\nat = "200 ms"\nsend = "H@K"\n'  # a letter ahead: I, A, L


def made(folder: Path, text: str) -> Path:
    sketch = folder / "plain"
    sketch.mkdir()
    (sketch / "plain.ino").write_text(text)
    (sketch / "world.toml").write_text(TYPED)
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
    assert loop["budget_us"] == (70_000 if board == "uno" else 80_000)
    assert loop["period_us"] == 100_000
    assert loop["misses"] == 0 and loop["exhausted"] >= 5  # it never waits
    (row,) = found["tasks" if kind == "task" else "jobs"]
    releases = 570 // EVERY_MS[kind]
    assert abs(row["releases"] - releases) <= 2
    assert row["releases"] - row["finished"] <= 1
    assert found["serial"] == "IAL"  # by the loop, though a job is more urgent


def test_what_does_not_fit_beside_it(tmp_path: Path) -> None:
    """The answer says how to write the loop with another share; and then it fits."""
    text = TEXT + "void periodic(work, 3, 10) { done++; }\n"
    pico = boards.load("pico")
    sketch = made(tmp_path, text)
    with pytest.raises(UserError) as refused:
        build(sketch, pico, out=tmp_path / "out")
    assert "loop (80 ms in every 100 ms)" in refused.value.what
    fix = refused.value.fix.partition("write ")[2]
    assert fix.startswith("void loop(1, ")
    (sketch / "plain.ino").write_text(text.replace("void loop()", fix.partition(")")[0] + ")"))
    assert build(sketch, pico, out=tmp_path / "out").admission.admitted


def test_without_any_loop_jobs_and_tasks_run(tmp_path: Path) -> None:
    text = TEXT.replace("void loop() { passes++; }\n", "") + "".join(BESIDE.values())
    built = build(made(tmp_path, text), boards.load("pico"), out=tmp_path / "out")
    assert [thread.name for thread in built.threads] == ["tasks", "periodic work"]
