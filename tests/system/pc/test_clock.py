"""The clock of a PC: its rate, and beyond 2^32 us."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import BOARDS, PC
from pc_console import said_by
from programs import link

pytestmark = pytest.mark.skipif(PC not in BOARDS, reason="the compiler here is not a PC's")
HERE = Path(__file__).resolve().parent
STEADY = ("-icount", "shift=3,sleep=off")  # the same in every run, whatever else the host does


def test_the_kernel_s_clock_wraps(tmp_path: Path) -> None:
    includes = (f"-I{HERE.parent}", f"-I{HERE.parents[2] / 'drivers'}")
    elf = link(PC, [HERE / "wrap.c"], tmp_path / "wrap.elf", *includes)
    text = said_by(*STEADY, "-kernel", str(elf), end=" end\r\n")
    assert text == "305 checks, failed 0, line 0 end\r\n"
