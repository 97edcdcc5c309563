"""docs/kernel.md and docs/from-freertos.md: their programs build and do what is said, their calls
and figures are those of the kernel."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import page
import pytest
from command import takt
from takt import boards
from takt.build import cmake
from takt.build.build import build

PAGES = (page.KERNEL, page.FREERTOS)
CALL = re.compile(r"\b(takt_\w+|TAKT_[A-Z0-9_]+)\b")
USED = "channel cond flags isr lock periodic queue sem spinlock time timer"
INCLUDES = "".join(f"#include <takt/{name}.h>\n" for name in USED.split())
PORTED = page.blocks(page.FREERTOS, "c")
ABSENT = {  # rows in which Takt has no call: what it would be called
    "equal priorities take turns": r"takt_\w*(yield|slice|round_robin)\w*\(",
    "recursive mutex": r"takt_\w*recursive\w*\(",
    "a thread's own notification": r"takt_\w*notify\w*\(",
    "memory pool": r"takt_\w*(pool|alloc|slab)\w*\(",
    "ending another thread": r"takt_thread_(stop|end|kill|abort|delete|terminate)\w*\(",
    "waiting for a thread's end": r"takt_thread_(join|wait)\w*\(",
    "changing a priority": r"takt_thread_\w*priority\w*\(",
}
HEADERS = {file.name: file.read_text() for file in page.HEADERS.glob("*.h")}


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    folder = tmp_path / "flow"
    folder.mkdir()
    (folder / "flow.c").write_text(page.blocks(page.KERNEL, "c")["flow.c"])
    (folder / "world.toml").write_text(page.blocks(page.KERNEL, "toml")["world.toml"])
    return folder


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_program(flow: Path) -> None:
    (session,) = page.blocks(page.KERNEL, "console").values()
    for part in re.split(r"^\$ \./takt ", session, flags=re.MULTILINE)[1:]:
        command, *said = part.splitlines()
        done = takt(*command.replace("flow", str(flow)).split())
        assert done.returncode == 0, done.stderr
        assert [line for line in said if words(line) not in words(done.stdout)] == []


@pytest.mark.parametrize("board", boards.with_capability("edge"))
def test_the_program_builds(flow: Path, board: str, tmp_path: Path) -> None:
    small = board in ("uno", "atmega324p")  # less RAM, and smaller frames
    text = (flow / "flow.c").read_text()
    (flow / "flow.c").write_text(text.replace(", 512)", ", 200)") if small else text)
    built = build(flow, boards.load(board), trace=False, out=tmp_path / "out")
    assert built.admission.admitted


@pytest.mark.parametrize("number", PORTED)
def test_each_piece_compiles(number: str, tmp_path: Path) -> None:
    target = cmake.target_libraries("pico", "plain")
    (tmp_path / "piece.c").write_text(INCLUDES + PORTED[number])
    command = [target.cc, *target.flags, *target.c_flags, "-Wall", "-Wextra", "-Werror"]
    command += ["-Wno-unused-function", "-Wno-unused-variable", "-fsyntax-only"]
    command += [f"-I{folder}" for folder in target.includes]
    done = subprocess.run(
        [*command, tmp_path / "piece.c"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("document", PAGES, ids=lambda document: document.stem)
def test_what_is_named_is_there(document: Path) -> None:
    known = set(CALL.findall("\n".join(HEADERS.values()))) | {"TAKT_IRQ_PRIORITY"}
    text = document.read_text().replace("`_COMPUTED`", "")
    assert set(CALL.findall(text)) - known == set()


def test_the_column_of_takt() -> None:
    names = {"": "thread.h"}
    absent = set()
    for what, own, *_ in page.table(page.KERNEL, "## Beside others")[1:]:
        header = re.search(r"\(`(\w+\.h)`\)", own)
        names[what] = header[1] if header else names.get("before", "thread.h")
        names["before"] = names[what]
        for call in CALL.findall(own):
            assert header is None or re.search(rf"\b{call}\b", HEADERS[header[1]]), (what, call)
        if re.match(r"no\b", own):
            absent.add(what)
    assert absent == set(ABSENT)
    everything = "\n".join(HEADERS.values())
    assert [what for what, call in ABSENT.items() if re.search(call, everything)] == []


def test_the_table_of_calls() -> None:
    for what, header, text in page.table(page.KERNEL, "## What there is"):
        own = HEADERS[header.strip("`")]
        calls = [call for call in CALL.findall(text) if re.search(rf"\b{call}\b", own)]
        assert calls, f"{what}: {header} has nothing of what is named"
        first = re.search(r"(takt_\w+)\(\)", text)
        stem = re.sub(r"_[a-z]+$", "", first[1]) if first else ""
        for more in re.findall(r"`(_[a-z_]+)\(\)`", text):
            assert re.search(rf"\b{stem}\w*{more}\b", own), (what, more)


def test_what_it_costs() -> None:
    stands, found = (page.COSTS.search(text) for text in (page.KERNEL.read_text(), page.costs()))
    assert stands and found
    assert stands[0] == found[0], "run tests/system/docs/page.py"
