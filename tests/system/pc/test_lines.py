"""Old interrupt lines, masked by threads of several CPUs at the same time."""

from __future__ import annotations

import pytest
from everywhere import BOARDS, PC

pytestmark = pytest.mark.skipif(PC not in BOARDS, reason="the compiler here is not a PC's")


@pytest.mark.parametrize("cpus", (1, 2))
def test_a_line_is_masked_whoever_masks_others(start, cpus: int) -> None:
    start(PC, "lines.c", "-I../qemu", cpus=cpus).passed(3000)
