"""The switch of threads, in all interleavings, by Spin; and its ways out of trouble are needed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
VIOLATED = re.compile(r"assertion violated \(?(.+?)\)? \(at depth")
# A model, and its definitions.
DIRECT = ("direct",)
MUTEX = ("direct", "MUTEX")
CALLS = ("switch",)
BUDGETS = ("switch", "BUDGETS")
ARMV7M = ("switch", "ARMV7M")
PORTS = {
    "armv6m": DIRECT,
    "armv6m with a mutex": MUTEX,
    "armv6m with TAKT_HAS_DISPATCHER": CALLS,
    "armv6m with budgets": BUDGETS,
    "armv6m with budgets and a stale request": (*BUDGETS, "NO_BUSY"),
    "armv7m": ARMV7M,
}
SECOND_FRAME = "frames[current]==1"
NOT_FIRST = "first==current"
BROKEN = {
    (*DIRECT, "NO_MARK"): SECOND_FRAME,  # a frame for each preemption of a preemption
    (*DIRECT, "KEEP_MARK"): "!(marked[me])",
    (*DIRECT, "NO_PUT_BACK"): "low[me]",  # takes what an interrupt has left
    (*DIRECT, "WRONG_BACK"): "low[me]",
    (*DIRECT, "NO_DROP"): SECOND_FRAME,
    (*DIRECT, "NO_RECHECK"): NOT_FIRST,
    (*MUTEX, "BLIND"): NOT_FIRST,
    (*MUTEX, "NO_LOOK"): NOT_FIRST,
    (*CALLS, "OPEN_PICK"): SECOND_FRAME,
    (*CALLS, "OPEN_SWITCH"): SECOND_FRAME,
    (*CALLS, "NO_RECHECK"): "ready[next]",  # switches to somebody who has gone back to sleep
    (*CALLS, "NO_RESUME"): SECOND_FRAME,
    (
        *BUDGETS,
        "NO_BUSY",
        "BLIND",
    ): "msp==0",  # PendSV makes a frame, PSP being at none
    (*BUDGETS, "KEEP_BUSY"): NOT_FIRST,  # nobody asks for PendSV any more
    (*BUDGETS, "LONG_STACK"): "msp==0",
    (*BUDGETS, "NO_RESUME"): SECOND_FRAME,
    (*ARMV7M, "KEEP_STALE"): SECOND_FRAME,
    (*ARMV7M, "OPEN_SWITCH"): SECOND_FRAME,
    (*ARMV7M, "NO_RECHECK"): "ready[next]",
    (*ARMV7M, "NO_RESUME"): SECOND_FRAME,
}


def verify(
    folder: Path, model: str, *defines: str, options: tuple[str, ...] = ()
) -> tuple[int, str]:
    """Number of errors, and what Spin says of all interleavings. tcc does not optimise: that takes
    longer than it saves."""
    flags = [f"-D{name}" for name in defines]
    for part in HERE.glob("*.pml"):
        shutil.copy(part, folder)
    subprocess.run(
        ["spin", *flags, "-a", f"{model}.pml"], cwd=folder, check=True, capture_output=True
    )
    compiler = ["tcc", "-DSAFETY", "-DMEMLIM=3000", "-o", "pan", "pan.c"]
    subprocess.run(compiler, cwd=folder, check=True, capture_output=True)
    done = subprocess.run(
        ["./pan", "-m200000", *options], cwd=folder, capture_output=True, text=True
    )
    errors = re.search(r"errors: (\d+)", done.stdout)
    assert errors, done.stdout + done.stderr
    return int(errors[1]), done.stdout


@pytest.mark.parametrize("port", PORTS)
def test_no_switch_is_lost_and_no_frame_is_stale(port: str, tmp_path: Path) -> None:
    errors, said = verify(tmp_path, *PORTS[port])
    assert errors == 0, said
    assert "max search depth too small" not in said
    stored = re.search(r"(\d+) states, stored", said)
    assert stored and int(stored[1]) > 100_000


@pytest.mark.parametrize("defines", BROKEN, ids="-".join)
def test_without_any_of_it_there_is_a_trail(defines: tuple[str, ...], tmp_path: Path) -> None:
    errors, said = verify(tmp_path, *defines)
    assert errors == 1
    found = VIOLATED.search(said)
    assert found and BROKEN[defines] in found[1], said
    assert (tmp_path / f"{defines[0]}.pml.trail").exists()
