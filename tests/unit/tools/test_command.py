"""What tests/command.py does with commands that end in no ordinary way."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import command
import pytest


def dies(*_: object) -> None:
    raise SystemExit(7)


def test_a_command_that_dies_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_run", dies)
    done = command.takt("boards")
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


@pytest.mark.parametrize("error", [subprocess.TimeoutExpired, KeyboardInterrupt])
def test_a_command_is_killed_with_what_it_has_started(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """takt doctor, and a compiler that does not end."""
    compiler, number = tmp_path / "arm-none-eabi-gcc", tmp_path / "number"
    compiler.write_text(f"#!/bin/sh\necho $$ >{number}.new\nmv {number}.new {number}\nsleep 60\n")
    compiler.chmod(0o755)
    join = ForkServerProcess.join

    def join_until_started(process: ForkServerProcess, timeout: float | None = None) -> None:
        if timeout is None:
            return join(process)
        assert until(number.exists)
        if error is KeyboardInterrupt:
            raise error

    monkeypatch.setattr(ForkServerProcess, "join", join_until_started)
    with pytest.raises(error):
        command.takt("doctor", PATH=f"{tmp_path}:/usr/bin:/bin")
    assert until(lambda: not runs(int(number.read_text())))


def runs(process: int) -> bool:
    """Neither gone nor dead and not yet waited for."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(reached: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not reached() and time.monotonic() < end:
        time.sleep(0.01)
    return reached()
