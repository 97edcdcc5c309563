"""What the machine saw of tasks alone, beside the lab's count, which goes through the program by
single instructions; and what takt run makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command import takt
from takt import boards
from takt.build.build import Build, build
from takt.cli.labs import lab
from takt.code import task_table
from takt.code.elf import Program
from takt.machine.avr import AvrMachine
from takt.result.delivered import ASLEEP, CALL, LEFT

lab.available()
from takt_lab_rios import count, fig8  # noqa: E402

HZ = 8_000_000
NAMES = ("quick", "middle", "slow")
SOURCE = """%s
#define TAKT_TICK_US 1000
#include <takt/task.h>
#include <avr/io.h>
#include <util/delay.h>
TAKT_TASK(quick, 0, 2000) { _delay_us(300); PINB = 1; }
TAKT_TASK(middle, 1, 5000) { for (volatile unsigned char i = 0; i < 80; i++); }
TAKT_TASK(slow, 2, 20000) { _delay_ms(7); PINB = 2; }
int main(void) { DDRB = 3; %s(); }
"""
NARROW, COMPOSED = "#define TAKT_TASK_BITS 8\n", "#define TAKT_TASKS_COMPOSED 1\n"
WAYS = [
    ("takt_tasks_run", ""),
    ("takt_tasks_run", NARROW + COMPOSED),
    ("takt_tasks_run_every", NARROW),
    ("takt_tasks_run_in_turn", ""),
]


def made(folder: Path, source: str) -> Build:
    (folder / "probe").mkdir()
    (folder / "probe" / "probe.c").write_text(source)
    return build(folder / "probe", boards.load("atmega324p"), out=folder / "out")


@pytest.mark.parametrize(("run", "kind"), WAYS)
def test_cycles_of_tasks_are_those_that_a_count_finds(tmp_path: Path, run: str, kind: str) -> None:
    built = made(tmp_path, SOURCE % (kind, run))
    program = Program(built.elf)
    tasks = task_table.read(program)
    assert tuple(task.name for task in tasks) == NAMES
    bodies = {t.name: range(t.run, program.end_of(program.function_at(t.run))) for t in tasks}
    one, other = (AvrMachine("atmega324p", HZ) for _ in range(2))
    for machine in (one, other):
        machine.load_elf(built.elf)
    for task in tasks:
        other.deliver_calls(task.run)
    counter = count.Counter(one, program, bodies, fig8.vectors(program))
    counter.to_first_sleep()
    begun = one.now
    counter.begin()
    counted = counter.run(HZ // 10)
    assert other.run(begun).reason == "time" and len(other.delivered()) == 0
    slept = other.sleep_cycles
    assert other.run(one.now).reason == "time"
    rows = other.delivered()
    mine = [rows[rows["thread"] == CALL + n] for n in range(len(NAMES))]
    assert sum(int(m["cycles"].sum()) for m in mine) == counted.in_bodies
    assert [int((m["end"] == LEFT).sum()) for m in mine] == list(counted.runs.values())
    asleep = rows["cycles"][rows["thread"] == ASLEEP].sum(dtype=np.int64)
    assert asleep == other.sleep_cycles - slept > 0
    quick, slow = mine[0]["cycle"], mine[2]
    goes_on = np.flatnonzero(slow["end"][:-1] != LEFT)
    before = np.searchsorted(quick, slow["cycle"][goes_on + 1])
    on_top = before > np.searchsorted(quick, slow["cycle"][goes_on])
    assert bool(on_top.any()) == ("in_turn" not in run), "quick on top of slow"


def test_the_report_says_what_was_seen(tmp_path: Path) -> None:
    built = made(tmp_path, SOURCE % ("", "takt_tasks_run"))
    done = takt("run", tmp_path / "probe", "--board", "atmega324p", "--seconds", "2", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    quick, _, slow = told["tasks"]
    assert (quick["period_us"], slow["period_us"]) == (2000, 20000)
    assert 300 <= quick["cpu_us_min"] <= quick["cpu_us_max"] < 302
    assert 7000 <= slow["cpu_us_min"] <= slow["cpu_us_max"] < 7002
    assert quick["releases"] in (999, 1000) and quick["finished"] >= 998
    assert all(task["missed"] == 0 for task in told["tasks"])
    used = sum(task["cpu_us"] for task in told["tasks"]) / 2e4
    assert 50 < used < 60 and 0.5 < told["kernel_overhead_pct"] < 5
    text = takt("report", tmp_path / "probe", "--board", "atmega324p").stdout
    assert "loop" not in text.split("flash")[0].replace("no loop has a budget", "")
    assert f"{used:.2f}"[:1] in text and "of the CPU" in text
    assert built.trace, "and nothing of that is in the trace of tasks alone"


MISSES = SOURCE.replace("_delay_ms(7)", "_delay_ms(15)").replace("_delay_us(300)", "_delay_us(900)")


def test_releases_missed_more_often_than_not_are_told_first(tmp_path: Path) -> None:
    made(tmp_path, MISSES % ("", "takt_tasks_run_in_turn"))
    done = takt("run", tmp_path / "probe", "--board", "atmega324p", "--seconds", "2")
    assert done.returncode == 1
    first = done.stdout.splitlines()[0]
    assert "task quick missed" in first and "of 1000 releases" in first
