"""Watchdogs that are refused, and what the build says of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.errors import UserError

HEAD = "#include <Takt.h>\nwatchdog(200);\n"
MOST_US = {"pico": 4_194_302, "stm32f051": 9_900_000, "uno": 3_686_400}
REFUSED = {
    "void loop(last, 1, 500) {}": "is shorter than that of loop last, 500 ms",
    "void periodic(log, 1, 300) {}\nvoid loop(1, 1, 20) {}": "that of periodic log, 300 ms",
    "void loop() {}\nvoid periodic(log, 1, 300_ms) {}": "that of periodic log, 300 ms",
    "void loop(1, 1, 20) {}\nwatchdog(300);": "there are two watchdogs",
    "void loop(1, 1, 20) {}\nvoid task(1, 10) {}\ntasksVcpu(1, 400);": "that of tasks, 400 ms",
}


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("board", ["pico", "uno"])
def test_one_that_would_prove_nothing_is_refused(
    write: Callable, board: str, text: str, tmp_path: Path
) -> None:
    folder = write("dog", HEAD + "void setup() {}\n" + text)
    with pytest.raises(UserError) as refused:
        build(folder, boards.load(board), out=tmp_path / "out")
    assert REFUSED[text] in refused.value.what
    line = text.count("\n") + 4 if "two" in REFUSED[text] else 2
    assert f"dog.ino:{line}" in refused.value.where and refused.value.fix


@pytest.mark.parametrize("us", [900, 1000, "most", "more"])
@pytest.mark.parametrize("board", MOST_US)
def test_so_far_the_hardware_reaches(
    write: Callable, board: str, us: int | str, tmp_path: Path
) -> None:
    period = us if isinstance(us, int) else MOST_US[board] + (us == "more")
    text = f"#include <Takt.h>\nwatchdog({period}_us);\nvoid setup() {{}}\n"
    folder = write("dog", text + "void loop(1, 10_us, 1) {}\n")
    how = {"out": tmp_path / "out", "admit": False}  # 10 us are less than a start takes
    if us in (1000, "most"):
        assert build(folder, boards.load(board), **how).threads[-1].period_us == period
        return
    with pytest.raises(UserError) as refused:
        build(folder, boards.load(board), **how)
    assert "watchdog: the period T is not from 1000 to" in refused.value.what
    assert refused.value.where.endswith("dog.ino:2:1")
    assert refused.value.fix.startswith("choose a T from 1 ms to")


@pytest.mark.parametrize("board", ["microbit", "sim", "pc"])
def test_a_board_that_has_none(write: Callable, board: str, tmp_path: Path) -> None:
    folder = write("dog", HEAD + "void setup() {}\nvoid loop(1, 1, 20) {}\n")
    with pytest.raises(UserError) as refused:
        build(folder, boards.load(board), out=tmp_path / "out")
    assert "this board has no driver for a watchdog" in refused.value.what
    assert "pico" in refused.value.fix and "uno" in refused.value.fix
