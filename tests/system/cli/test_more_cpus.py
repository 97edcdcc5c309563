"""What one CPU cannot do, and how many could."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import takt
from takt import boards
from takt.build.build import build
from takt.errors import UserError

SKETCH = "#include <Takt.h>\nvoid setup() {}\n"


@pytest.mark.parametrize("loops, board, enough", [(2, "pc", 2), (3, "pc", 3), (2, "pico", 0)])
def test_a_refusal_names_how_many_cpus_would_do(
    loops: int, board: str, enough: int, tmp_path: Path
) -> None:
    sketch = tmp_path / "sketch"
    sketch.mkdir()
    text = "".join(f"void loop({n}, 60, 100) {{}}\n" for n in range(loops))
    (sketch / "sketch.ino").write_text(SKETCH + text)
    with pytest.raises(UserError) as refused:
        build(sketch, boards.load(board))
    more = f", or run it on {enough} CPUs: --cpus {enough}"
    assert refused.value.fix.endswith(more) if enough else "--cpus" not in refused.value.fix
    if enough:
        assert build(sketch, boards.load(board), cpus=enough).admission.admitted


def test_what_no_number_of_cpus_can_do_names_none(tmp_path: Path) -> None:
    sketch = tmp_path / "sketch"
    sketch.mkdir()
    (sketch / "sketch.ino").write_text(
        SKETCH + "interruptsVcpu(90, 100);\nvoid loop(1, 100, 100) {}\n"
    )
    with pytest.raises(UserError) as refused:
        build(sketch, boards.load("pc"))
    assert "--cpus" not in refused.value.fix


def refused_on(cpus: int, folder: Path, loops: str) -> str:
    """What is to be done, on so many CPUs of a PC."""
    sketch = folder / "sketch"
    sketch.mkdir(exist_ok=True)
    (sketch / "sketch.ino").write_text(SKETCH + loops)
    with pytest.raises(UserError) as refused:
        build(sketch, boards.load("pc"), cpus=cpus)
    return f"{refused.value.what}; {refused.value.fix}"


def test_the_number_that_is_named_on_several_cpus_works(tmp_path: Path) -> None:
    loops = "".join(f"void loop({n}, 60, 100) {{}}\n" for n in range(5))
    said = refused_on(2, tmp_path, loops)
    assert said.endswith("or run it on 5 CPUs: --cpus 5")
    assert build(tmp_path / "sketch", boards.load("pc"), cpus=5).admission.admitted
    assert "--cpus" not in refused_on(2, tmp_path, "void loop(1, 100, 100) {}\n" * 1)


RUN = {  # what first-fit has no place for; what has no time to wait for another CPU
    "search": ("".join(f"void loop(l{n}, {c}, 80) {{}}\n"
                       for n, c in enumerate((39, 29, 29, 19, 19, 19))), [0, 1]),
    "sleep": ("void loop(all, 999983_us, 1_s) {}\n", [0]),
}  # fmt: skip


@pytest.mark.parametrize("case", RUN)
def test_placement_is_tried(tmp_path: Path, case: str) -> None:
    loops, used = RUN[case]
    sketch = tmp_path / "sketch"
    sketch.mkdir()
    (sketch / "sketch.ino").write_text(SKETCH + loops)
    ran = takt("run", sketch, "--board", "pc", "--cpus", "2", "--seconds", "3.5", "--json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    result = json.loads(ran.stdout)
    found = [one for one in result["threads"] if one["name"].startswith("loop ")]
    assert all(one["misses"] == 0 and one["periods"] >= 2 for one in found), found
    assert sorted({one["cpu"] for one in found}) == used
    said = takt("check", sketch, "--board", "pc", "--cpus", "2").stdout
    assert ("CPU 1: sleeps" in said) == (case == "sleep")
