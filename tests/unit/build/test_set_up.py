"""./takt sets up once; what could not be fetched is tried again at the next call."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from takt.paths import ROOT

STUBS = """
install_packages() { :; }
make_environment() { mkdir -p "$venv/bin"; : >"$venv/bin/python"; chmod +x "$venv/bin/python"; }
fetch_node_packages() { :; }
fetch_arduino() { echo fetched; }
fetch_platformio() { return %d; }
setup_once test "$root/takt"
"""


@pytest.mark.parametrize("failed", [0, 1])
def test_a_set_up_that_lacks_something_is_not_done(failed: int, tmp_path: Path) -> None:
    functions, _, _ = (ROOT / "takt").read_text().partition("\ncommand=\n")
    (tmp_path / "takt").write_text(functions + STUBS % failed)
    said = [
        subprocess.run(
            ["bash", tmp_path / "takt"], capture_output=True, text=True, check=True
        ).stderr
        for _ in range(2)
    ]
    assert (tmp_path / "build/.setup/test").exists() == (not failed)
    assert ("PlatformIO: not to be had now" in said[0]) == bool(failed)
    assert ("setting up the tests" in said[1]) == bool(failed)
