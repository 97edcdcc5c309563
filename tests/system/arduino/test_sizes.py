"""What sketches take on the uno is as arduino/README.md says."""

from __future__ import annotations

import importlib.util

from takt.paths import ROOT


def test_the_table_is_of_today() -> None:
    spec = importlib.util.spec_from_file_location("sizes", ROOT / "arduino" / "sizes.py")
    assert spec and spec.loader
    sizes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sizes)
    assert sizes.README.read_text() == sizes.written(), "arduino/sizes.py writes it anew"
