"""examples/collision-avoidance: Listing 1 of the Qduino paper on its board."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from command import takt
from takt.paths import ROOT

EXAMPLE = ROOT / "examples" / "collision-avoidance"


def test_check_prints_both_bounds_without_being_told_the_board() -> None:
    done = takt("check", EXAMPLE, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["board"] == "galileo"
    (event,) = told["events"]
    assert event["handler"] == "bumped"
    # A start costs 85 us, which 1 % of the CPU pays for in 8.5 ms.
    assert 4_200 < event["bound_paper_us"] <= event["bound_safe_us"] < 110_000
    shown = takt("check", EXAMPLE).stdout
    assert "safe" in shown and "Equation 3" in shown


def test_it_avoids_walls_and_every_bump_is_told_in_time(tmp_path: Path) -> None:
    done = takt("run", EXAMPLE, "--seconds", "60", "--json", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["world"]["wheels"]["collisions"] == 0
    assert told["world"]["wheels"]["travelled_cm"] > 1000
    gaps = told["world"]["wheels"]["actuation_interval_ms"]
    assert 100 <= gaps["min"] <= gaps["max"] < 110
    assert told["world"]["bumper"]["presses"] == 16
    (event,) = told["events"]
    assert event["events"] >= 16
    assert event["max_us"] <= event["bound_safe_us"]
    assert all(thread["misses"] == 0 for thread in told["threads"])


def test_a_larger_share_of_interrupts_is_refused_and_why(tmp_path: Path) -> None:
    folder = tmp_path / EXAMPLE.name
    shutil.copytree(EXAMPLE, folder)
    sketch = folder / f"{EXAMPLE.name}.ino"
    sketch.write_text(
        sketch.read_text().replace("interruptsVcpu(1, 100)", "interruptsVcpu(2, 100)")
    )
    done = takt("build", folder)
    assert done.returncode == 1
    assert "loop 2 (70 ms in every 100 ms)" in done.stderr
    assert "interrupts (2 ms in every 100 ms)" in done.stderr


def test_an_unknown_board_in_a_world_is_told_where_it_stands(tmp_path: Path) -> None:
    folder = tmp_path / "probe"
    folder.mkdir()
    (folder / "probe.ino").write_text("void setup() {}\nvoid loop() {}\n")
    (folder / "world.toml").write_text('[world]\nboard = "galilei"\n')
    done = takt("check", folder)
    assert done.returncode == 2
    assert "world.toml" in done.stderr and "galileo" in done.stderr
    assert takt("check", folder, "--board", "pico").returncode == 0
