"""Functions of other people with as many arguments as Takt's macros: what is said, and that the
advice helps."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.errors import UserError

REST = "Dev dev;\nvoid setup() {}\nvoid loop(1, 5, 50) { int y = 1; y = %s; }\n"
CASES = {  # the class, the call; what is said, what helps; both mended
    "declared": (
        "int task(int a, int b) { return a + b; }",
        "(dev.task)(y, 2)",
        ("task(int a, int b) is taken for task(id, T)", "(task)(...) where it is declared"),
        ("int (task)(int a, int b) { return a + b; }", "(dev.task)(y, 2)"),
    ),
    "called": (
        "int (task)(int a, int b, int c) { return a + b + c; }",
        "dev.task(y, 2, 3)",
        ("task(y, 2, 3) is taken for task(id, T)", "(object.task)(...)"),
        ("int (task)(int a, int b, int c) { return a + b + c; }", "(dev.task)(y, 2, 3)"),
    ),
    "job": (
        "int (periodic)(int a, int b, int c) { return a + b + c; }",
        "dev.periodic(y, 2, 3)",
        ("periodic(y, 2, 3) is taken for periodic(id, C, T)", "(object.periodic)(...)"),
        ("int (periodic)(int a, int b, int c) { return a + b + c; }", "(dev.periodic)(y, 2, 3)"),
    ),
}


def made(folder: Path, header: str, sketch: str) -> Path:
    probe = folder / "probe"
    probe.mkdir(exist_ok=True)
    (probe / "Dev.h").write_text(header)
    (probe / "probe.ino").write_text(sketch)
    return probe


@pytest.mark.parametrize("board", ["pico", "uno"])  # two compilers
@pytest.mark.parametrize("case", CASES)
def test_in_a_sketch(tmp_path: Path, board: str, case: str) -> None:
    member, call, (what, fix), mended = CASES[case]
    target, out = boards.load(board), tmp_path / "out"
    text = "#include <Takt.h>\nstruct Dev { %s };\n"
    with pytest.raises(UserError) as refused:
        build(made(tmp_path, "", text % member + REST % call), target, out=out)
    assert refused.value.what == what
    assert fix in refused.value.fix
    assert "probe.ino:" in refused.value.where
    build(made(tmp_path, "", text % mended[0] + REST % mended[1]), target, out=out)


@pytest.mark.parametrize("name", ["task", "loop"])
def test_in_a_library_s_header(tmp_path: Path, name: str) -> None:
    header = f"struct Dev {{ void {name}(int a, int b, int c) {{}} }};\n"
    pico, out, dev = boards.load("pico"), tmp_path / "out", '#include "Dev.h"\n'
    with pytest.raises(UserError) as refused:
        build(made(tmp_path, header, f"#include <Takt.h>\n{dev}{REST % 2}"), pico, out=out)
    assert f"{name}(int a, int b, int c) is taken for {name}(id, " in refused.value.what
    if name == "loop":
        head = (
            '#pragma push_macro("loop")\n#undef loop\n'
            f'{dev}#pragma pop_macro("loop")\n#include <Takt.h>\n'
        )
        assert '#pragma push_macro("loop") and #undef loop before' in refused.value.fix
    else:
        head = f"{dev}#include <Takt.h>\n"
        assert refused.value.fix == "include this header before <Takt.h>"
    build(made(tmp_path, header, head + REST % 2), pico, out=out)
