"""The C library of a PC, whose system calls the program serves itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import BOARDS, PC
from pc_console import said_by
from programs import link

pytestmark = pytest.mark.skipif(PC not in BOARDS, reason="the compiler here is not a PC's")
HERE = Path(__file__).resolve().parent
SAID = """errno 1
errno 1
memory 1
calloc 1
2.718282 1.41421 -1e+300 wide Saturday 2000
file 1 Function not implemented
C23 0
errno of its own 5

takt: fatal: the program called exit or abort (in second)
"""


def test_text_numbers_and_memory(tmp_path: Path) -> None:
    elf = link(PC, [HERE / "libc.c"], tmp_path / "libc.elf")
    text = said_by("-icount", "shift=3,sleep=off", "-kernel", str(elf), end="second)\r\n")
    assert text.replace("\r\n", "\n") == SAID
