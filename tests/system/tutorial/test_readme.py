"""The programs in the README and in docs/sketches.md do what is said beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.errors import UserError
from tutorial import LIKE, ROOT, ROVER, RUN_OF_ROVER, ask, blocks, picture, unlike

PAGES = (ROOT / "README.md", ROOT / "docs" / "sketches.md")
SKETCHES = [b.text for page in PAGES for b in blocks(page) if "void setup()" in b.text]
WITH_PINS = boards.with_capability("edge")  # all but the PC have an ADC and PWM, too
REFUSED = {  # board, sketch: what it has too little of
    ("atmega324p", 0): "loop 2 (70 ms in every 100 ms) responds within",  # 90 % at 8 MHz
    ("atmega324p", 1): "more than the RAM of 2048 bytes has",
    ("stm32f051-4k", 1): "more than the RAM of 4096 bytes has",
    ("uno", 1): "more than the RAM of 2048 bytes has",
}
NEEDS = {"analog": "adc", "watchdog(": "watchdog"}  # word: capability
# With the trace it has too little flash.
WITHOUT_TRACE = {("atmega324p", 1), ("uno", 1)}
PLAIN = "void loop() { delay(1000); }\n"
WORLD = """
[parts.knob]
type = "potentiometer"
pin = "A0"
position = "50 %"

[parts.lamp]
type = "led"
pin = 13
"""


def jobs_and_tasks() -> str:
    return next(text for text in SKETCHES if "periodic(" in text)


def made(folder: Path, program: str) -> Path:
    sketch = folder / "readme"
    sketch.mkdir()
    (sketch / "readme.ino").write_text(program)
    return sketch


def test_the_picture_of_the_rover() -> None:
    text = (ROOT / "README.md").read_text()
    assert RUN_OF_ROVER in text and f"]({ROVER.relative_to(ROOT)})" in text
    made = picture(ask(RUN_OF_ROVER))
    assert unlike(ROVER, made) < LIKE, "run tests/system/tutorial/tutorial.py"


@pytest.mark.parametrize("plain", ["", PLAIN], ids=["alone", "beside loop()"])
@pytest.mark.parametrize("board", ["pico", "uno"])
def test_jobs_and_tasks(board: str, plain: str, tmp_path: Path) -> None:
    folder = made(tmp_path, jobs_and_tasks() + plain)
    (folder / "world.toml").write_text(WORLD)
    result = json.loads(ask(f"./takt run {folder} --board {board} --seconds 2 --json"))
    job, task = result["jobs"][0], result["tasks"][0]
    assert job["finished"] >= 99 and job["overruns"] == job["late"] == 0, job
    assert job["response_max_us"] <= job["bound_us"], job
    assert (task["releases"], task["finished"], task["missed"]) == (4, 4, 0)
    assert result["admission"]["verdict"] == "admitted"
    assert result["world"]["lamp"]["toggles"] == 3
    loops = [row for row in result["threads"] if row["name"] == "loop"]
    assert len(loops) == (1 if plain else 0)
    assert all(row["misses"] == 0 and row["budget_us"] >= 70_000 for row in loops)


def test_a_job_is_ended_at_its_next_release(tmp_path: Path) -> None:
    """Not when its C is used up: 5 ms of 2 are finished, in spare time; 50 are not."""
    folder = made(tmp_path, jobs_and_tasks().replace("analogWrite", "delayMicroseconds(takes); //"))
    text = (folder / "readme.ino").read_text()
    for takes, finished in ((5000, True), (50_000, False)):
        (folder / "readme.ino").write_text(text.replace("takes", str(takes)))
        failed = "" if finished else "; test $? = 1"  # jobs that mostly do not end fail a run
        job = json.loads(ask(f"./takt run {folder} --seconds 1 --json{failed}"))["jobs"][0]
        assert job["late"] == 0 and job["releases"] >= 49
        if finished:
            assert job["finished"] >= 49 and job["overruns"] == job["terminated"] == 0
        else:
            assert job["finished"] == 0 and job["terminated"] >= 48


@pytest.mark.parametrize("board", WITH_PINS)
@pytest.mark.parametrize("sketch", range(len(SKETCHES)))
def test_each_builds(board: str, sketch: int, tmp_path: Path) -> None:
    text = SKETCHES[sketch]
    folder = made(tmp_path, text if "loop(" in text or "periodic(" in text else text + PLAIN)
    what = REFUSED.get((board, sketch))
    lacks = [word for word, has in NEEDS.items() if board not in boards.with_capability(has)]
    if any(word in text for word in lacks):
        what = "this board has no"
    how = {"trace": (board, sketch) not in WITHOUT_TRACE, "out": tmp_path / "out"}
    if what is None:
        assert build(folder, boards.load(board), **how).admission.admitted
        return
    with pytest.raises(UserError) as refused:
        build(folder, boards.load(board), **how)
    assert what in refused.value.what
