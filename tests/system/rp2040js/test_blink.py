"""The pico's firmware in rp2040js, an emulator of the RP2040 that shares nothing with ours."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from takt import boards
from takt.build import build
from takt.paths import ROOT

HERE = Path(__file__).resolve().parent
LED = "25"

# Registers rp2040js does not model and the firmware only writes.
# What rp2040js does not have: the MPU's registers among them.
TOLERATED = (
    "SSI: Unimplemented",
    "UART0: Unimplemented peripheral write to 0x34",
    "PPB: Unimplemented peripheral write to 0xd9",
    "PPB: Unimplemented peripheral write to 0xda0",
)


def boot(uf2: Path, seconds: float, *pins: str) -> dict:
    """What the firmware did within so much of its own time."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    command = ["node", str(HERE / "boot.mjs"), str(uf2), str(seconds), *pins]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def blink(tmp_path_factory: pytest.TempPathFactory) -> build.Build:
    out = tmp_path_factory.mktemp("blink")
    return build.build(ROOT / "examples" / "blink", boards.load("pico"), out=out)


def test_blink_boots_and_blinks(blink: build.Build) -> None:
    result = boot(blink.uf2, 5.5, LED)
    edges = [(us, level) for us, level in result["edges"][LED] if level is not None]
    half_periods = [b[0] - a[0] for a, b in itertools.pairwise(edges[1:])]
    assert [level for _, level in edges] == [n % 2 for n in range(len(edges))]
    assert len(half_periods) >= 4, "one second on, one second off"
    assert all(999_990 <= us <= 1_001_000 for us in half_periods), half_periods


def test_nothing_unknown_is_touched(blink: build.Build) -> None:
    warnings = boot(blink.uf2, 0.1)["warnings"]
    assert [w for w in warnings if not w.startswith(TOLERATED)] == []
