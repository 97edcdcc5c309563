"""Periodic jobs in sketches, on the boards."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import BOARDS
from jobs import sketch
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.errors import UserError
from takt.world import world

PRIMES = (7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
PRIMES += (101, 103, 107, 109, 113, 127, 131, 137, 139)
FIT = (("pico", 31), ("pico", 30), ("stm32f051", 12), ("uno", 5))  # jobs that RAM has room for
SERIAL = """
void setup() { Serial.begin(57600); }

void periodic(report, 5, 100) { Serial.println(millis()); }

int task(blink, 500, int state) {
  Serial.print('.');
  return !state;
}
"""
SWAPS = """
void loop(swap, 20, 200) {
  unregisterPeriodic(a13);
  delay(50);
  registerPeriodic(a13);
  delay(70);
}
"""
NAMED = """
#define ITSELF 3
int first = 99, again = 99, came, ended = 99, back = 99, jobs, others;
void setup() {
  Serial.begin(57600);
  first = unregisterPeriodic(other);
  again = unregisterPeriodic(other);
}
void periodic(ITSELF, 1, 20) {
  if (++jobs == 3) ended = unregisterPeriodic(ITSELF);
}
void periodic(other, 1, 40) { others++; }
void loop(judge, 5, 100) {
  delay(200);
  came = jobs;
  back = registerPeriodic(ITSELF) | registerPeriodic(other);
  delay(200);
  const int values[] = {first, again, ended, came, back};
  for (int value : values) { Serial.print(value); Serial.print(' '); }
  Serial.print(jobs > 6 && jobs < 16); Serial.print(' '); Serial.println(others > 2 && others < 8);
  delay(10000);
}
"""
RANKS = ("", "void loop(above, 0.5, 10) { delay(5); }\n")  # who is where changes nothing


@pytest.mark.parametrize("board", BOARDS)
def test_stacks_are_no_guess(tmp_path: Path, board: str) -> None:
    """A job is ended by a jump back: that is no recursion."""
    built = build(sketch(tmp_path, SERIAL), boards.load(board), out=tmp_path / "out")
    assert built.warnings == []
    assert not any(thread.doubts for thread in built.threads)


@pytest.mark.parametrize(("board", "count"), FIT)
def test_primes(tmp_path: Path, board: str, count: int) -> None:
    """None is released before the last is there, the search for offsets is at nobody's cost, and so
    is registering one of them anew, where there is a place left for who does that."""
    swaps = count < 31
    unit = 10 if board == "uno" else 1
    jobs = [f"void periodic(a{p}, {0.1 * unit}, {p * unit}) {{}}\n" for p in PRIMES[:count]]
    text = "void setup() {}\n" + "".join(jobs) + (SWAPS if swaps else "")
    folder = sketch(tmp_path, text)
    built = build(folder, boards.load(board), out=tmp_path / "out")
    result = run.run(built, world.load(folder, built.board), 1.0).as_dict()
    assert not any(row["misses"] for row in result["threads"])
    assert len(result["jobs"]) == count
    for number, row in enumerate(result["jobs"]):
        assert row["late"] == row["overruns"] == 0
        assert row["response_max_us"] <= row["bound_us"]
        assert row["releases"] - row["finished"] in (0, 1)
        most = 1_000_000 / row["period_us"]
        part = 0.5 if swaps and number == 2 else 1
        assert part * most - 2 - 50_000 / row["period_us"] <= row["releases"] <= most + 1


@pytest.mark.parametrize("above", RANKS)
@pytest.mark.parametrize("board", BOARDS)
def test_registering_is_by_name(tmp_path: Path, board: str, above: str) -> None:
    """Of a job further down, of itself, by a macro that stands for the name."""
    folder = sketch(tmp_path, NAMED + above)
    built = build(folder, boards.load(board), out=tmp_path / "out")
    result = run.run(built, world.load(folder, built.board), 0.7).as_dict()
    assert result["serial"].split() == ["0", "-4", "0", "3", "0", "1", "1"]


def test_a_name_that_no_job_has(tmp_path: Path) -> None:
    folder = sketch(tmp_path, SERIAL.replace("{", "{ unregisterPeriodic(lgo);", 1))
    with pytest.raises(UserError) as raised:
        build(folder, boards.load("pico"), out=tmp_path / "out")
    assert raised.value.what == "there is no periodic(lgo, C, T)"
    assert raised.value.fix == "define it, or use the name of one that is"
    assert "jobs.ino" in raised.value.where
