"""What a verdict rests on where the kernel's costs were measured of another compilation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from takt import boards
from takt.build.compile import Compiler
from takt.build.sketch import Sketch


def costs_of(board: str, version: str, verdict: bool = True, **how: Any) -> list[str]:
    found = replace(boards.load(board), **how)
    target: Any = SimpleNamespace(version=version)
    sketch = Sketch("one", Path(), [], [])
    return Compiler(target, found, "plain", sketch, Path(), []).costs_of(verdict)


def test_of_the_compiler_that_was_measured_nothing_is_said() -> None:
    assert costs_of("pico", "12.2.1") == costs_of("uno", "5.4.0") == []
    assert costs_of("sim", "13.2.0") == costs_of("pico", "13.2.1", verdict=False) == []


@pytest.mark.parametrize(
    ("board", "version", "how", "said"),
    [
        ("pico", "13.2.1", {}, "measured of code of GCC 12; this is GCC 13"),
        ("uno", "7.3.0", {}, "measured of code of GCC 5; this is GCC 7"),
        ("pico", "14.0.6", {"compiler": "clang"}, "code of GCC 12; this is clang 14"),
        ("pico", "12.2.1", {"checks": True}, "code of GCC 12; this is GCC 12, with checks"),
    ],
)
def test_of_another_one_it_is_said(board: str, version: str, how: dict, said: str) -> None:
    (line,) = costs_of(board, version, **how)
    assert line.endswith(said)
