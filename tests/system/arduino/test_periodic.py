"""periodic(id, C, T[, policy]) in sketches."""

from __future__ import annotations

import json
from pathlib import Path

import jobs
import pytest
from everywhere import OURS
from takt import boards
from takt.admit.release_library import place
from takt.build.build import build
from takt.cli import run
from takt.cli.check import Check
from takt.errors import UserError
from takt.paths import ROOT
from takt.result import report
from takt.result.jobs import largest
from takt.world import world

REFUSED = {
    "periodic(1, 2, 0)": "the period T must be above 0",
    "periodic(1, 0.1, 1.05)": "the period T is no multiple of 0.1 ms",
    "periodic(1, 6, 5, SKIP)": "the budget C is longer than the period T",
    "periodic(1, 0, 5)": "the budget C must be above 0",
}
EXAMPLE = ROOT / "examples" / "periodic-control"


def sketch(folder: Path, text: str) -> Path:
    return jobs.sketch(folder, f"void setup() {{}}\n{text}")


@pytest.mark.parametrize("board", OURS)
@pytest.mark.parametrize("header", REFUSED)
def test_bad_values(tmp_path: Path, board: str, header: str) -> None:
    folder = sketch(tmp_path, f"void {header} {{}}\n")
    with pytest.raises(UserError) as refused:
        build(folder, boards.load(board), out=tmp_path / "out")
    assert REFUSED[header] in refused.value.what
    assert "0.1 ms, in periodic" in refused.value.fix


def test_the_example(tmp_path: Path) -> None:
    """Every release has its job; one job in four never ends, and nobody else notices."""
    built = build(EXAMPLE, boards.load("pico"), out=tmp_path / "out")
    result = run.run(built, world.load(EXAMPLE, built.board), 4.0).as_dict()
    rows = {row["name"].removeprefix("periodic "): row for row in result["jobs"]}
    for name, releases in (("control", 800), ("setpoint", 200)):
        row = rows[name]
        assert abs(row["releases"] - releases) <= 1
        assert row["releases"] - row["finished"] <= 1
        assert row["late"] == row["overruns"] == 0
        assert row["response_max_us"] <= row["bound_us"]
    careless = rows["careless"]
    assert careless["overruns"] == careless["terminated"] >= 18
    assert careless["finished"] == pytest.approx(0.75 * careless["releases"], abs=2)


def test_check_tells_the_peak(tmp_path: Path) -> None:
    """Of equal periods none coincide; of ten coprime ones all do, some time."""
    primes = (7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
    equal = "".join(f"void periodic({i}, 0.1, 20) {{}}\n" for i in range(8))
    built = build(sketch(tmp_path, equal), boards.load("pico"), out=tmp_path / "out")
    assert json.loads(json.dumps(Check(built).as_dict()))["releases"]["peak"] == 1
    periods = [100 * p for p in primes]
    assert len(largest(periods, place(periods))) == len(primes)


STRAY = """
int n;
void periodic(forlorn, 1, 20) { for (;;) delay(1); }
void periodic(greedy, 1, 50) { if (++n % 4 == 0) for (;;) n = n; }
"""


def test_the_first_line_tells_of_jobs_that_do_not_end(tmp_path: Path) -> None:
    """A job blocked by its own wait is late and not ended; no promise was broken all the same."""
    folder = sketch(tmp_path, STRAY)
    built = build(folder, boards.load("pico"), out=tmp_path / "out")
    result = run.run(built, world.load(folder, built.board), 1.0)
    rows = {row["name"].removeprefix("periodic "): row for row in result.as_dict()["jobs"]}
    late, overruns = rows["forlorn"]["late"], rows["greedy"]["overruns"]
    assert late >= 10 and rows["forlorn"]["finished"] <= rows["forlorn"]["terminated"] + 1
    assert overruns >= 4 and rows["greedy"]["late"] == 0
    overruns += rows["forlorn"]["overruns"]
    told = f"; {late} times a job was late; {overruns} times a job had overrun"
    assert result.missed == 0 and result.verdict.endswith(told)


def test_only_what_is_bounded_stands_beside_its_bound(tmp_path: Path) -> None:
    """A job of more than C in a program without faults: the table says what the bound is of."""
    folder = sketch(tmp_path, "void periodic(dear, 2, 20) { delayMicroseconds(5000); }\n")
    built = build(folder, boards.load("pico"), out=tmp_path / "out")
    result = run.run(built, world.load(folder, built.board), 0.5)
    (row,) = result.as_dict()["jobs"]
    assert 2000 < row["bound_us"] < 2200 and row["response_max_us"] > 5000
    table = report.jobs([row])
    heads = [str(column.header).replace("\n", " ").strip() for column in table.columns]
    cells = [str(next(iter(column.cells))) for column in table.columns]
    told = dict(zip(heads, cells, strict=True))
    assert told["has its C within"] == f"{row['bound_us'] / 1000:.3f} ms" and "bound" not in heads
    assert told["release to end, most"].startswith("5.0")
    assert result.verdict == built.admission.explain()
