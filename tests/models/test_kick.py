"""A pipe between two CPUs, in all orders in which their stores can be seen, by Spin."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_switch import VIOLATED, verify


def test_no_packet_stays_behind(tmp_path: Path) -> None:
    errors, said = verify(tmp_path, "kick", options=("-E",))
    assert errors == 0, said


@pytest.mark.parametrize("left_out", ("NO_WRITER_FENCE", "NO_DRIVER_FENCE"))
def test_each_needs_its_fence(left_out: str, tmp_path: Path) -> None:
    errors, said = verify(tmp_path, "kick", left_out, options=("-E",))
    assert errors == 1
    found = VIOLATED.search(said)
    assert found and "own_tail" in found[1], said
