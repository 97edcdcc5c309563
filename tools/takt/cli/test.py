"""takt test: the boards' libraries, unit tests (ctest; under sanitizers, but in the ordinary run),
then pytest: some folders at a time, each in a process of its own, so that what tests of a folder
share is made once; a fork of one that has imported what most of them want.

How much is run is an Extent; which tests are in which says tests/conftest.py."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path

from takt import boards
from takt.build import cmake, variants
from takt.build.ninja import Progress
from takt.cli import forks
from takt.cli.tally import Count, Extent, left_in, read
from takt.errors import UserError
from takt.paths import BUILD, ROOT

FIRST = "pico"  # the board whose system tests are in the ordinary run
FORMS = ("trace", "plain")  # of that board's programs; of others' the first
GROUPS = ("unit", "models", "property", "platform", "judge", "system")
IN_C = "*_test.cpp"
LANES = 4  # folders at a time, one with -j 1: four keep two CPUs busy, as some wait
LONGEST = (  # these first, or one would be alone at the end
    "judge",
    *("system/cli", "system/examples", "system/lab", "property", "system/qemu", "system/arduino"),
    *("system/interrupts", "system/arduino_examples", "models", "system/usb", "system/kernel"),
    *("system/packages", "system/pipes", "system/inject", "system/cpus", "system/tutorial"),
    *("unit/tools", "system/tasks", "platform", "system/sections", "system/buses"),
    "system/boards",
)
REPORTS = BUILD / "test"
WIDTH = 30  # of the longest name of a stage
HANGS_S, HANGS_LONG_S = 600, 7200  # a single test that takes longer has failed
PYTEST = "pytest"
PIPE_BYTES = 1 << 20  # more than a pipe holds
Say = Callable[[str], None]
PERCENT = re.compile(r"\[ *(\d+)%\]")  # pytest
OF = re.compile(r"^ *(\d+)/(\d+) Test")  # ctest


@dataclass(frozen=True)
class Stage:
    name: str
    report: Path  # JUnit XML
    command: list[str] = field(default_factory=list)
    first: Callable[[Progress], object] | None = None  # what is done before the command


def run(
    below: list[str], keyword: str, extent: Extent, jobs: int, say: Say, progress: Progress
) -> dict[str, Count]:
    """Runs what of these folders, or of all, the extent has and matches the keyword; results by
    stage."""
    asked = stages(below, keyword, extent, jobs)
    REPORTS.mkdir(parents=True, exist_ok=True)
    alone = {stage.name: _told(stage, extent, say, progress) for stage in asked if stage.first}
    folders = [stage for stage in asked if not stage.first]
    return alone | _run_in_lanes(folders, extent, jobs, say, progress)


def _told(stage: Stage, extent: Extent, say: Say, progress: Progress) -> Count:
    """Runs a stage and says how it went."""
    start = time.monotonic()
    count = _run_stage(stage, extent, say, progress)
    told = count if stage.command or count.failed else "built"
    say(f"{stage.name:<{WIDTH}} {time.monotonic() - start:4.0f} s  {told}")
    return count


def _run_in_lanes(
    folders: list[Stage], extent: Extent, jobs: int, say: Say, progress: Progress
) -> dict[str, Count]:
    """The bar shows all of them together."""
    reached = dict.fromkeys((stage.name for stage in folders), 0)

    def advance(name: str, done: int, of: int) -> None:
        reached[name] = 100 * done // of
        ended = sum(percent == 100 for percent in reached.values())
        progress(f"{ended} of {len(folders)} folders", sum(reached.values()), 100 * len(folders))

    def run_in_lane(stage: Stage) -> tuple[str, Count]:
        found = _told(stage, extent, say, advance)
        advance(stage.name, 1, 1)
        return stage.name, found

    with ThreadPoolExecutor(_lanes(jobs, len(folders))) as pool:
        return dict(pool.map(run_in_lane, folders))


def _lanes(jobs: int, folders: int) -> int:
    return max(1, min(LANES if jobs > 1 else 1, folders))


def _chosen(below: list[str]) -> list[str]:
    """The folders with tests in or below these."""
    every = _folders()
    found: dict[str, None] = {}
    for place in below:
        name = place.strip("/").removeprefix("tests/")
        inside = [one for one in every if one == name or one.startswith(f"{name}/")]
        if not inside:
            raise UserError(
                f"no tests are in {place}", "takt test", f"choose from {', '.join(every)}", 2
            )
        found |= dict.fromkeys(inside)
    return list(found) or every


def stages(below: list[str], keyword: str, extent: Extent, jobs: int) -> list[Stage]:
    """What is run, in its order. Raises UserError for a place without tests."""
    folders, in_python = _chosen(below), set(_with("test_*.py"))
    found = [] if below else [_libraries(extent, jobs)]
    in_c = _with(IN_C)
    if labels := [one.partition("/")[2] for one in in_c if one in folders]:
        labels = labels if len(labels) < len(in_c) else []
        if extent == Extent.ORDINARY:
            found.append(_ctest("host", "C and C++", labels, keyword, jobs))
        else:
            name = "C and C++ under ASan and UBSan"
            found.append(_ctest("host-asan", name, labels, keyword, jobs))
        if extent == Extent.LONG:
            found.append(_ctest("host", "the same optimised", labels, keyword, jobs))
    asked = [one for one in folders if one in in_python]
    asked.sort(key=lambda one: LONGEST.index(one) if one in LONGEST else len(LONGEST))
    each = jobs // _lanes(jobs, len(asked))
    return found + [_pytest(one, keyword, extent, each) for one in asked]


def _folders() -> list[str]:
    """Folders with tests; each runs by itself, so that names need not differ between them."""
    return list(dict.fromkeys(_with(IN_C) + _with("test_*.py")))


def _with(pattern: str) -> list[str]:
    """Folders with such files, in their order."""
    found: dict[str, None] = {}
    for group in GROUPS:
        for path in sorted((ROOT / "tests" / group).rglob(pattern)):
            if "node_modules" not in path.parts:
                found["/".join(path.parent.relative_to(ROOT / "tests").parts[:2])] = None
    return list(found)


def _libraries(extent: Extent, jobs: int) -> Stage:
    """What sketches link with, before tests in several places want the same."""

    def build(progress: Progress) -> None:
        def one(board: str) -> None:
            forms = FORMS if board == FIRST else FORMS[:1]
            if extent > Extent.ORDINARY:
                forms = variants.all_of(boards.load(board))
            cmake.bring_up_to_date(board, *(f"takt_{form}" for form in forms))

        names = boards.names()
        progress("the boards' libraries", 0, len(names))
        with ThreadPoolExecutor(jobs) as pool:
            for done, _ in enumerate(pool.map(one, names), 1):
                progress("the boards' libraries", done, len(names))

    return Stage("the boards' libraries", REPORTS / "libraries.xml", first=build)


def _ctest(preset: str, name: str, labels: list[str], keyword: str, jobs: int) -> Stage:
    """labels: folders below tests/unit; none: all."""
    report = REPORTS / f"{preset}.xml"
    command = ["ctest", "--preset", preset, "-j", str(jobs), "--no-tests=ignore"]
    command += ["--output-junit", str(report)]
    if labels:
        command += ["-L", f"^({'|'.join(labels)})$"]
    if keyword:
        command += ["-R", keyword]
    return Stage(name, report, command, lambda how: _build_unit_tests(preset, labels, how))


def _build_unit_tests(preset: str, labels: list[str], progress: Progress) -> None:
    cache = BUILD / preset / "CMakeCache.txt"
    if cache.exists() and "GTest_DIR-NOTFOUND" in cache.read_text():
        # Configured before GoogleTest was installed: look again.
        subprocess.run(["cmake", "--preset", preset], cwd=ROOT, check=True, capture_output=True)
    targets = [f"takt_unit_tests_{label}" for label in labels] or ["takt_unit_tests"]
    cmake.bring_up_to_date(preset, *targets, progress=lambda _, *far: progress("compiling", *far))


def _pytest(folder: str, keyword: str, extent: Extent, jobs: int) -> Stage:
    report = REPORTS / f"{folder.replace('/', '-')}.xml"
    command = [PYTEST, f"tests/{folder}", "-q", "--no-header"]
    command += ["-n", str(jobs), "--dist", "worksteal"] if jobs > 1 else []
    command += [f"--junitxml={report}", f"--extent={extent.name}"]
    command += ["-k", keyword] if keyword else []
    command += [f"--timeout={HANGS_LONG_S if extent == Extent.LONG else HANGS_S}"]
    return Stage(f"tests/{folder}", report, command)


def _run_stage(stage: Stage, extent: Extent, say: Say, progress: Progress) -> Count:
    for path in (stage.report, left_in(stage.report)):
        path.unlink(missing_ok=True)
    if stage.first:
        try:
            stage.first(progress)
        except UserError as error:
            say(f"{error}\n{error.detail}")
            return Count(failed=1)
    if not stage.command:
        return Count()
    environment = os.environ | {"TAKT_LONG": "1" if extent == Extent.LONG else ""}
    code, output = _watch(stage, environment, progress)
    count = read(stage.report)
    if code not in (0, 5) or count is None:  # 5: pytest found nothing to run
        say(output)
    if count is None:
        return Count(failed=0 if code in (0, 5) else 1)
    if code not in (0, 5) and count.failed == 0:
        return count + Count(failed=1)  # the runner itself failed
    return count


def _watch(stage: Stage, environment: dict[str, str], progress: Progress) -> tuple[int, str]:
    """Runs a stage and tells how far it is; exit code and output."""
    reader, writer = Pipe(duplex=False)
    be = _be_pytest if stage.command[0] == PYTEST else _be_program
    process = forks.start(be, stage.command, environment, writer, modules=(PYTEST,))
    writer.close()
    output = []
    with reader:
        for line in _lines(reader, process.sentinel):
            output.append(line)
            if found := PERCENT.search(line):
                progress(stage.name, int(found[1]), 100)
            elif found := OF.match(line):
                progress(stage.name, int(found[1]), int(found[2]))
    return forks.exit_code(process), "".join(output)


def _lines(reader: Connection, ended: int) -> Iterator[str]:
    rest = b""
    for piece in _pieces(reader, ended):
        *lines, rest = (rest + piece).split(b"\n")
        yield from (f"{line.decode(errors='replace')}\n" for line in lines)
    yield rest.decode(errors="replace")


def _pieces(reader: Connection, ended: int) -> Iterator[bytes]:
    """What is written until the process has ended; one that it leaves behind may hold the pipe for
    longer."""
    while ended not in wait([reader, ended]):
        piece = os.read(reader.fileno(), PIPE_BYTES)
        if not piece:
            return
        yield piece
    if wait([reader], 0):
        yield os.read(reader.fileno(), PIPE_BYTES)


def _be_program(command: list[str], environment: dict[str, str], writer: Connection) -> None:
    to = writer.fileno()
    sys.exit(subprocess.call(command, cwd=ROOT, env=environment, stdout=to, stderr=to))


def _be_pytest(command: list[str], environment: dict[str, str], writer: Connection) -> None:
    for number in (1, 2):
        os.dup2(writer.fileno(), number)
    writer.close()
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    import pytest

    sys.exit(pytest.main(command[1:]))
