"""task(id, T) in sketches: beside loops, with and without a budget, and other people's names."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import OURS
from takt import boards
from takt.build.build import build
from takt.cli.run import run
from takt.world import world

SOURCE = """#include <Takt.h>
struct Pool { int task(int a) { return a; } void task(void *, int, int, int) {} };
int other(Pool &pool) { return pool.task(3); }
volatile unsigned char on_top, running;
void spin(unsigned long us) { unsigned long from = micros(); while (micros() - from < us) {} }
void setup() {}
int task(slow, 100, int state) { running = 1; spin(25000); running = 0; return state + 1; }
void task(2, 50_ms) { spin(5000); }
void task(1, 25) { on_top += running; spin(1000); }
void loop(3, 10, 100) { delay(200); }
"""
BUDGET = "tasksVcpu(10, 20);\n"
pytestmark = pytest.mark.parametrize("board", [*OURS, "uno"])


@pytest.mark.parametrize("more", ["", BUDGET])
def test_tasks_run_by_rate_and_are_shown(tmp_path: Path, board: str, more: str) -> None:
    folder = tmp_path / "probe"
    folder.mkdir()
    (folder / "probe.ino").write_text(SOURCE + more)
    target = boards.load(board)
    result = run(build(folder, target), world.empty(target), 1.0)
    found = result.as_dict()
    tasks = {row["name"]: row for row in found["tasks"]}
    assert list(tasks) == ["1", "2", "slow"]  # the most urgent first
    assert [row["period_us"] for row in tasks.values()] == [25_000, 50_000, 100_000]
    for row, expected in zip(tasks.values(), (40, 20, 10), strict=True):
        assert abs(row["releases"] - expected) <= 1
    assert all(row["missed"] == 0 for row in tasks.values())
    assert tasks["1"]["start_max_us"] < 2000  # though slow runs for 25 ms
    assert tasks["slow"]["response_max_us"] >= 31_000
    thread = next(row for row in found["threads"] if row["name"] == "tasks")
    assert thread["budget_us"] == (10_000 if more else None)
    assert thread["stack_used"] <= thread["stack_size"]


MEANWHILE = """#include <Takt.h>
volatile unsigned long n;
void spin(unsigned long us) { unsigned long from = micros(); while (micros() - from < us) {} }
Semaphore go;
void setup() {}
void task(slow, 100) { %s for (int i = 0; i < %d; i++) spin(1000); }
void task(1, 25) { n++; }
void loop(1, 40, 100) { %s }
"""


def test_no_alarm_rings_for_tasks_that_cannot_run(tmp_path: Path, board: str) -> None:
    folder = tmp_path / "greedy"
    folder.mkdir()
    (folder / "greedy.ino").write_text(MEANWHILE % ("", 200, "spin(1000);"))
    target = boards.load(board)
    result = run(build(folder, target), world.empty(target), 1.0)
    rows = {row["name"]: row for row in result.as_dict()["interrupts"]}
    assert 40 <= rows["alarm"]["count"] <= 150  # a release each 25 ms, two of each budget


def test_a_task_that_gave_way_is_preempted_when_it_goes_on(tmp_path: Path, board: str) -> None:
    folder = tmp_path / "signals"
    folder.mkdir()
    (folder / "signals.ino").write_text(MEANWHILE % ("go.signal();", 25, "go.wait(); spin(30000);"))
    target = boards.load(board)
    result = run(build(folder, target), world.empty(target), 1.0)
    rows = {row["name"]: row for row in result.as_dict()["tasks"]}
    assert rows["1"]["missed"] == 0
    assert 4_000 <= rows["1"]["start_max_us"] <= 10_000  # not when the slow one has ended


def test_releases_are_started_missed_or_wait(tmp_path: Path, board: str) -> None:
    """One that never returns, and one below it that never starts."""
    folder = tmp_path / "stuck"
    folder.mkdir()
    (folder / "stuck.ino").write_text(
        "#include <Takt.h>\nvoid setup() {}\nvoid task(stuck, 50) { for (;;) {} }\n"
        "void task(low, 100) {}\nvoid loop(1, 10, 100) { delay(200); }\ntasksVcpu(10, 50);\n"
    )
    target = boards.load(board)
    result = run(build(folder, target), world.empty(target), 1.03)
    rows = {row["name"]: row for row in result.as_dict()["tasks"]}
    for name, least in (("stuck", 20), ("low", 10)):
        started = int(name == "stuck")
        assert least <= rows[name]["releases"] <= least + 1
        assert rows[name]["releases"] == started + rows[name]["missed"] + 1
        assert rows[name]["finished"] == 0
