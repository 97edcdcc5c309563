"""Which tests takt test runs."""

from __future__ import annotations

import gc
import importlib.util
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import ModuleType

import pytest
from takt import GARBAGE_AFTER, boards
from takt.build import cmake
from takt.build.ninja import Progress
from takt.cli import tally
from takt.cli import test as tests
from takt.cli.tally import Count, Extent
from takt.cli.test import Stage
from takt.errors import UserError
from takt.paths import ROOT

Collected = tuple[set[str], int, int]  # tests, how many are said to be left, to be there
LIBRARIES, IN_C = "the boards' libraries", "C and C++ under ASan and UBSan"
OPTIMISED = "the same optimised"


def names(*below: str, extent: Extent = Extent.ALL) -> list[str]:
    return [stage.name for stage in tests.stages(list(below), "", extent, 2)]


@pytest.fixture(scope="module")
def chooser() -> ModuleType:
    """tests/conftest.py"""
    place = importlib.util.spec_from_file_location("chooser", ROOT / "tests/conftest.py")
    assert place and place.loader
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


COLLECT = "import pytest, sys\nfor words in sys.argv[1:]: pytest.main(words.split('|'))"


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Collected]]:
    return cache(partial(_collected, tmp_path_factory.mktemp("collected")))


def _collected(into: Path, folder: str) -> list[Collected]:
    """Of a folder, what each extent has; and of the longest, what is not marked as long. All in one
    process, which has imported the tests then."""
    asked = [["--extent", extent.name] for extent in Extent]
    asked.append([*asked[-1], "-m", "not long"])
    whole = [f"tests/{folder}", "--collect-only", "-q", "-p", "no:cacheprovider"]
    runs = ["|".join([*whole, *own, f"--junitxml={into / str(n)}"]) for n, own in enumerate(asked)]
    command = [sys.executable, "-c", COLLECT, *runs]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    said = re.split(r"^(?:\d+/)?(\d+) tests collected.*$", done.stdout, flags=re.MULTILINE)
    assert len(said) == 2 * len(asked) + 1, done.stdout
    return [
        (
            set(re.findall(r"^(tests/\S+::.*)$", said[2 * n], re.MULTILINE)),
            int(tally.left_in(into / str(n)).read_text()),
            int(said[2 * n + 1]),
        )
        for n in range(len(asked))
    ]


LARGE = [pytest.param(one, marks=pytest.mark.wide) for one in ("property", "system/qemu")]


@pytest.mark.parametrize("folder", ["judge", *LARGE])
def test_each_extent_has_those_before_it_and_says_what_is_left(
    folder: str, collected: Callable[[str], list[Collected]]
) -> None:
    (ordinary, more, _), (every, longer, _), (long, none, there), (short, _, _) = collected(folder)
    assert len(ordinary) > 20 and ordinary <= every <= long
    assert (len(every) - len(ordinary), len(long) - len(every), 0) == (more, longer, none)
    assert len(long) == there
    assert every == short


def test_ordinary_system_tests_are_of_one_board(
    collected: Callable[[str], list[Collected]],
) -> None:
    ordinary, _, _ = collected("system/qemu")[0]
    assert any("[pico" in name or "-pico" in name for name in ordinary)
    others = "uno|atmega324p|microbit|lm3s6965evb|mps2-an386|sim|pc|stm32f051"
    assert not [name for name in ordinary if re.search(rf"[\[-]({others})\b", name)]
    smoke, _, _ = collected("system/boards")[0]
    assert len([name for name in smoke if "test_smoke.py" in name]) == len(boards.names())


def test_what_is_said_to_run_elsewhere_is_there(chooser: ModuleType) -> None:
    for place in chooser.ELSEWHERE:
        path, _, function = place.partition("::")
        found = ROOT / "tests/system" / path
        assert found.exists() and (not function or f"def {function}" in found.read_text()), place


def test_the_last_line_tells_what_runs_the_others() -> None:
    count = Count(3, 1, left=5) + Count(4, 0, 2, 1)
    assert tally.summary(count, Extent.ORDINARY) == (
        "7 passed, 1 failed, 2 skipped; 6 more with --all"
    )
    assert tally.summary(count, Extent.ALL) == "7 passed, 1 failed, 2 skipped; 6 more with --long"
    assert tally.summary(count, Extent.LONG) == "7 passed, 1 failed, 2 skipped"


def test_garbage_is_collected_as_seldom_as_in_a_command() -> None:
    assert gc.get_threshold()[0] == GARBAGE_AFTER


def test_all_unless_told() -> None:
    every = names()
    assert every[:2] == [LIBRARIES, IN_C]
    assert names(extent=Extent.ORDINARY) == [LIBRARIES, "C and C++", *every[2:]]
    assert {"tests/unit/tools", "tests/models", "tests/system/pipes"} <= set(every)
    assert "tests/unit/kernel" not in every  # it has none in Python


def test_a_folder() -> None:
    assert names("system/pipes") == names("tests/system/pipes/") == ["tests/system/pipes"]
    assert names("unit/kernel") == [IN_C]
    assert names("unit/kernel", extent=Extent.LONG) == [IN_C, OPTIMISED]
    assert names("unit/tools", "models") == ["tests/models", "tests/unit/tools"]
    assert names("unit") == [IN_C] + [one for one in names() if one.startswith("tests/unit/")]
    assert LIBRARIES not in names("system")


def test_some_folders_at_a_time_and_the_longest_first() -> None:
    assert set(tests.LONGEST) < set(tests._folders())
    assert names()[2:4] == [f"tests/{one}" for one in tests.LONGEST[:2]]
    for jobs, below, workers in ((2, [], []), (8, [], ["2"]), (2, ["models"], ["2"]), (1, [], [])):
        command = tests.stages(below, "", Extent.ALL, jobs)[-1].command
        assert [after for at, after in itertools.pairwise(command) if at == "-n"] == workers


@pytest.mark.parametrize(("jobs", "most"), [(1, 1), (2, tests.LANES), (8, tests.LANES)])
def test_with_one_job_one_folder_runs_at_a_time(
    jobs: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, seen, lock = 0, [], threading.Lock()

    def count(*_: object) -> Count:
        nonlocal running
        with lock:
            running += 1
            seen.append(running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return Count(1)

    monkeypatch.setattr(tests, "_run_stage", count)
    folders = [Stage(str(n), Path("none"), ["none"]) for n in range(12)]
    found = tests._run_in_lanes(folders, Extent.ALL, jobs, lambda _: None, nothing)
    assert len(found) == 12 and max(seen) == most


def test_a_folder_of_tests_in_c_runs_no_other() -> None:
    for stage in tests.stages(["unit/usb", "unit/can"], "", Extent.ALL, 2):
        assert stage.command[stage.command.index("-L") + 1] == "^(can|usb)$"
    assert all("-L" not in stage.command for stage in tests.stages([], "", Extent.ALL, 2))


@pytest.mark.parametrize("place", ["system/pipe", "kernel", "", "."])
def test_no_folder(place: str) -> None:
    with pytest.raises(UserError, match="no tests are in"):
        names(place)


def test_libraries_are_built_before_tests_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, tuple[str, ...]] = {}
    monkeypatch.setattr(cmake, "bring_up_to_date", lambda board, *what: asked.update({board: what}))

    def forms(extent: Extent) -> dict[str, tuple[str, ...]]:
        assert tests._run_stage(tests._libraries(extent, 2), extent, print, nothing) == Count()
        return asked

    found = forms(Extent.ALL)
    assert sorted(found) == sorted(boards.names())
    assert found["stm32f051"] == ("takt_trace", "takt_plain", "takt_lto")
    assert found["uno"] == ("takt_trace", "takt_plain"), "there is no other on AVR"
    others = dict.fromkeys(boards.names(), ("takt_trace",))
    assert forms(Extent.ORDINARY) == others | {tests.FIRST: ("takt_trace", "takt_plain")}


def test_libraries_that_do_not_build_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: str) -> None:
        raise UserError("could not build takt_trace")

    said: list[str] = []
    monkeypatch.setattr(cmake, "bring_up_to_date", fail)
    stage = tests._libraries(Extent.ORDINARY, 2)
    assert tests._run_stage(stage, Extent.ORDINARY, said.append, nothing) == Count(failed=1)
    assert "takt_trace" in said[0]


def nothing(_what: str, _done: int, _of: int) -> None:
    """No bar."""


IN_PYTEST = """
import os, pathlib, subprocess
def test_it():
    left = subprocess.Popen(["sleep", "300"])
    pathlib.Path(__file__).with_name("pid").write_text(str(left.pid))
    os.write(1, b"a\\xffb\\n")
    assert {passes}
"""
IN_SHELL = "sleep 300 & echo $! > {pid}; printf 'a\\377b\\n 3/9 Test\\nlast'; exit {code}"


def end_what_is_left(pid: Path) -> None:
    """Raises where it has come to its own end: it was waited for."""
    os.kill(int(pid.read_text()), signal.SIGKILL)


@pytest.mark.parametrize("passes", [True, False])
def test_a_folder_ends_with_its_pytest_whatever_it_leaves_behind(
    passes: bool, tmp_path: Path
) -> None:
    (tmp_path / "test_it.py").write_text(IN_PYTEST.format(passes=passes))
    command = [tests.PYTEST, str(tmp_path), "-q", "-s", "-p", "no:cacheprovider"]
    code, output = _watched(command)
    assert (code, "a\ufffdb\n" in output) == (0 if passes else 1, True)
    assert output.endswith("s\n") and f"1 {'passed' if passes else 'failed'} in" in output
    end_what_is_left(tmp_path / "pid")


@pytest.mark.parametrize("code", [0, 8])
def test_a_program_likewise(code: int, tmp_path: Path) -> None:
    far: list[tuple[str, int, int]] = []
    command = ["sh", "-c", IN_SHELL.format(code=code, pid=tmp_path / "pid")]
    found, output = _watched(command, lambda *how: far.append(how))
    assert (found, output, far) == (code, "a\ufffdb\n 3/9 Test\nlast", [("stage", 3, 9)])
    end_what_is_left(tmp_path / "pid")


def test_output_that_no_pipe_holds_is_read_to_its_end() -> None:
    code, output = _watched(["seq", "300000"])
    assert code == 0 and output.split() == [str(n + 1) for n in range(300_000)]


def _watched(command: list[str], progress: Progress = nothing) -> tuple[int, str]:
    return tests._watch(Stage("stage", Path("none"), command), dict(os.environ), progress)
