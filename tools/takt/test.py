"""takt test: unit tests (ctest, under sanitizers), then pytest: two folders at a time, each in a
process of its own, so that what tests of a folder share is made once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from takt import cmake, host_cpus
from takt.errors import UserError
from takt.ninja import Progress
from takt.paths import BUILD, ROOT

GROUPS = ("unit", "models", "property", "platform", "system")
IN_C = "*_test.cpp"
LANES = 2  # folders at a time, each on one CPU if there are no more
LONGEST = (  # these first, or one would be alone at the end
    *("system/cli", "system/examples", "system/lab", "property", "system/qemu", "system/arduino"),
    *("system/interrupts", "system/arduino_examples", "system/usb", "system/kernel"),
    *("system/pipes", "system/inject", "system/cpus", "system/tutorial", "models"),
)
REPORTS = BUILD / "test"
HANGS_S, HANGS_LONG_S = 600, 7200  # a single test that takes longer has failed
Say = Callable[[str], None]
PERCENT = re.compile(r"\[ *(\d+)%\]")  # pytest
OF = re.compile(r"^ *(\d+)/(\d+) Test")  # ctest


@dataclass(frozen=True)
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


@dataclass(frozen=True)
class Stage:
    name: str
    command: list[str]
    report: Path  # JUnit XML
    before: Callable[[], object] | None = None  # what must be built first


def run(
    below: list[str], keyword: str, long: bool, jobs: int, say: Say, progress: Progress
) -> dict[str, Count]:
    """Runs everything in these folders, or all, that matches the keyword; results by stage."""
    asked = stages(below, keyword, long, jobs)
    REPORTS.mkdir(parents=True, exist_ok=True)

    def run_one(stage: Stage) -> tuple[str, Count]:
        progress(stage.name, 0, 100)
        start = time.monotonic()
        count = _run_stage(stage, long, say, progress)
        say(f"{stage.name}: {count} in {time.monotonic() - start:.0f} s")
        return stage.name, count

    in_c = [run_one(stage) for stage in asked if stage.before]
    count = _lanes(jobs, len(asked) - len(in_c))
    lanes: SimpleQueue[list[str]] = SimpleQueue()
    for prefix in _places(count):
        lanes.put(prefix)

    def run_in_lane(stage: Stage) -> tuple[str, Count]:
        prefix = lanes.get()
        try:
            return run_one(replace(stage, command=[*prefix, *stage.command]))
        finally:
            lanes.put(prefix)

    with ThreadPoolExecutor(count) as pool:
        in_python = list(pool.map(run_in_lane, [stage for stage in asked if not stage.before]))
    return dict(in_c + in_python)


def _places(lanes: int) -> list[list[str]]:
    """What a command begins with in each lane, which keeps its CPU to the end: emulators and who
    waits for them do better on one than each on another."""
    places = host_cpus.places()
    return places if len(places) == lanes else [[]] * lanes


def _lanes(jobs: int, folders: int) -> int:
    return max(1, min(LANES, jobs, folders))


def total(results: dict[str, Count]) -> Count:
    return sum(results.values(), Count())


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


def stages(below: list[str], keyword: str, long: bool, jobs: int) -> list[Stage]:
    """What is run, in its order. Raises UserError for a place without tests."""
    folders, in_python = _chosen(below), set(_with("test_*.py"))
    found = []
    in_c = _with(IN_C)
    if labels := [one.partition("/")[2] for one in in_c if one in folders]:
        labels = labels if len(labels) < len(in_c) else []
        name = "unit tests in C and C++, under ASan and UBSan"
        found.append(_ctest("host-asan", name, labels, keyword, jobs))
        if long:
            found.append(_ctest("host", "the same optimised", labels, keyword, jobs))
    asked = [one for one in folders if one in in_python]
    asked.sort(key=lambda one: LONGEST.index(one) if one in LONGEST else len(LONGEST))
    each = jobs // _lanes(jobs, len(asked))
    return found + [_pytest(one, keyword, long, each) for one in asked]


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


def _ctest(preset: str, name: str, labels: list[str], keyword: str, jobs: int) -> Stage:
    """labels: folders below tests/unit; none: all."""
    report = REPORTS / f"{preset}.xml"
    command = ["ctest", "--preset", preset, "-j", str(jobs), "--no-tests=ignore"]
    command += ["--output-junit", str(report)]
    if labels:
        command += ["-L", f"^({'|'.join(labels)})$"]
    if keyword:
        command += ["-R", keyword]
    return Stage(name, command, report, lambda: _build_unit_tests(preset, labels))


def _build_unit_tests(preset: str, labels: list[str]) -> None:
    cache = BUILD / preset / "CMakeCache.txt"
    if cache.exists() and "GTest_DIR-NOTFOUND" in cache.read_text():
        # Configured before GoogleTest was installed: look again.
        subprocess.run(["cmake", "--preset", preset], cwd=ROOT, check=True, capture_output=True)
    for target in [f"takt_unit_tests_{label}" for label in labels] or ["takt_unit_tests"]:
        cmake.bring_up_to_date(preset, target)


def _pytest(folder: str, keyword: str, long: bool, jobs: int) -> Stage:
    report = REPORTS / f"{folder.replace('/', '-')}.xml"
    command = [sys.executable, "-m", "pytest", f"tests/{folder}", "-q", "--no-header"]
    command += ["-n", str(jobs), "--dist", "worksteal"] if jobs > 1 else []
    command += [f"--junitxml={report}"]
    command += ["-k", keyword] if keyword else []
    command += [f"--timeout={HANGS_LONG_S}"] if long else [f"--timeout={HANGS_S}", "-m", "not long"]
    return Stage(f"tests/{folder}", command, report)


def _run_stage(stage: Stage, long: bool, say: Say, progress: Progress) -> Count:
    stage.report.unlink(missing_ok=True)
    if stage.before:
        try:
            stage.before()
        except UserError as error:
            say(f"{error}\n{error.detail}")
            return Count(failed=1)
    environment = os.environ | {"TAKT_LONG": "1" if long else ""}
    code, output = _watch(stage, environment, progress)
    count = _count(stage.report)
    if code not in (0, 5) or count is None:  # 5: pytest found nothing to run
        say(output)
    if count is None:
        return Count(failed=0 if code in (0, 5) else 1)
    if code not in (0, 5) and count.failed == 0:
        return count + Count(failed=1)  # the runner itself failed
    return count


def _watch(stage: Stage, environment: dict[str, str], progress: Progress) -> tuple[int, str]:
    """Runs a stage and tells how far it is; exit code and output."""
    process = subprocess.Popen(
        stage.command, cwd=ROOT, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    output = []
    assert process.stdout is not None
    for line in process.stdout:
        output.append(line)
        if found := PERCENT.search(line):
            progress(stage.name, int(found[1]), 100)
        elif found := OF.match(line):
            progress(stage.name, int(found[1]), int(found[2]))
    return process.wait(), "".join(output)


def _count(report: Path) -> Count | None:
    """Sums of a JUnit file; None when there is none."""
    try:
        root = ET.parse(report).getroot()
    except (OSError, ET.ParseError):
        return None
    suites = [root] if root.tag == "testsuite" else root.findall("testsuite")

    def add(name: str) -> int:
        return sum(int(suite.get(name, 0)) for suite in suites)

    failed = add("failures") + add("errors")
    skipped = add("skipped") + add("disabled")
    return Count(add("tests") - failed - skipped, failed, skipped)
