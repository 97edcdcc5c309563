"""The kernel's C on several CPUs under ThreadSanitizer: no data race; with an order left out there
is one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from takt.build import features
from takt.paths import ROOT

HERE = Path(__file__).parent
SEEDS = range(6)
RACE = 66  # exit code
FLAGS = ["-std=gnu11", "-O1", "-g", "-fsanitize=thread", "-pthread", "-DTAKT_USES"]
FLAGS += ["-DTAKT_CHECKS=1", "-Wall", "-Wextra", "-Wno-tsan"]  # it knows no fences: there are none
LOCK, CALL = "include/takt/kernel_lock.h", "kernel/smp/cross_call.c"
BROKEN = {
    "a lock that does not acquire": (LOCK, "ACQUIRE) != ticket", "RELAXED) != ticket"),
    "a lock that does not release": (
        LOCK,
        "ticket + 1), __ATOMIC_RELEASE",
        "ticket + 1), __ATOMIC_RELAXED",
    ),
    "a call that is not awaited": (CALL, "(done, __ATOMIC_ACQUIRE)", "(done, __ATOMIC_RELAXED)"),
    "a call that is posted plainly": (CALL, "TAKT_SHOW(*end, call)", "*end = call"),
}


def build(folder: Path, trace: int, root: Path = ROOT, source: str = "program.c") -> Path:
    """With all but tasks, of which a program would have to have some."""
    header = features.header(features.known().keys() - {"TASKS"})
    (folder / "takt_uses.h").write_text(header)
    kernel = [*(root / "kernel").glob("*/*.c"), *(root / "admission").glob("*.c")]
    sources = [one for one in kernel if not one.name.startswith("task")]
    includes = (folder, HERE, root / "include", root / "kernel")
    command = ["cc", *FLAGS, f"-DTAKT_TRACE_EVENTS={trace}", *(f"-I{one}" for one in includes)]
    program = folder / "program"
    subprocess.run([*command, *sources, HERE / "port.c", HERE / source, "-o", program], check=True)
    return program


def run(program: Path, seed: int) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"TSAN_OPTIONS": f"exitcode={RACE} halt_on_error=1"}
    return subprocess.run([program, str(seed)], capture_output=True, text=True, env=environment)


@pytest.mark.wide
@pytest.mark.parametrize("trace", (0, 64))
def test_several_cpus_have_no_data_race(trace: int, tmp_path: Path) -> None:
    program = build(tmp_path, trace)
    for seed in SEEDS:
        ran = run(program, seed)
        assert (ran.returncode, ran.stdout) == (0, "done\n"), f"{seed}: {ran.stderr}"


def test_unlocking_makes_way(tmp_path: Path) -> None:
    program = build(tmp_path, 0, source="held_up.c")
    for seed in SEEDS:
        assert run(program, seed).stdout == "done\n"


@pytest.mark.wide
@pytest.mark.parametrize("name", BROKEN)
def test_without_an_order_there_is_one(name: str, tmp_path: Path) -> None:
    file, old, new = BROKEN[name]
    for folder in ("admission", "include", "kernel"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (tmp_path / file).read_text()
    assert text.count(old) == 1
    (tmp_path / file).write_text(text.replace(old, new))
    program = build(tmp_path, 0, tmp_path)
    assert RACE in (run(program, seed).returncode for seed in SEEDS)
