"""The start state as data: every form leaves the same state, and records are small."""

from __future__ import annotations

import importlib.util

from takt import boards
from takt.paths import ROOT


def test_the_lab_measures_it() -> None:
    path = ROOT / "lab" / "elli" / "init" / "measure.py"
    spec = importlib.util.spec_from_file_location("init_measure", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    outcome = module.init(boards.load("stm32f051"), {})
    value = {(row["case"], row["metric"]): row["value"] for row in outcome["rows"]}
    assert value["records against classic", "init_saved_percent"] >= 40
    assert value["packed", "init_bytes"] < value["code", "init_bytes"]
