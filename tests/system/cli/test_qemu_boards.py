"""The commands a newcomer tries first, on the boards that run in QEMU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from takt.cli import doctor

BOARDS = ("microbit", "lm3s6965evb", "mps2-an386")


@pytest.mark.parametrize("board", BOARDS)
def test_a_new_sketch_runs(takt: Callable, tmp_path: Path, board: str) -> None:
    assert takt("new", "first", "--board", board, cwd=tmp_path).code == 0
    checked = takt("check", "first", "--json", cwd=tmp_path)
    assert checked.code == 0 and checked.json["board"] == board
    ran = takt("run", "first", "--seconds", "1.5", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.json["serial"].splitlines() == ["0", "1000"]
    assert ran.json["warnings"] == []
    assert "for every instruction (QEMU)" in ran.json["timing"]
    assert "(QEMU), not that of the chip" in takt("report", "first", cwd=tmp_path).out

    size = takt("size", "first", "--json", cwd=tmp_path).json
    for memory in ("flash", "ram"):
        owned = sum(owner[memory] for owner in size["owners"].values())
        assert 0 <= owned - size[f"{memory}_bytes"] < 32  # gaps between sections
    need, has = (size["interrupt_stack"][key] for key in ("need", "size"))
    assert need <= has <= need + 1024 + 8


BUTTON = """
void setup() { Serial.begin(115200); pinMode(3, INPUT_PULLUP); }
void loop() { Serial.print(digitalRead(3)); delay(100); }
"""
PRESSED = '[parts.button]\ntype = "button"\npin = 3\nfirst = "250 ms"\n'
PRESSED += 'every = "10 s"\nhold = "200 ms"\n'


@pytest.mark.parametrize("board", BOARDS)
def test_a_pin_is_driven_or_refused(takt: Callable, write: Callable, board: str) -> None:
    folder = write("button", BUTTON, world_DOT_toml=PRESSED)
    ran = takt("run", folder, "--board", board, "--seconds", "0.75", "--json")
    if board == "mps2-an386":
        assert ran.code == 1 and "QEMU lets nothing outside drive pin 3" in ran.err
        assert "microbit" in ran.err
    else:
        assert ran.json["serial"] == "11100111", ran.err


def test_a_library_the_board_cannot_have_is_named(takt: Callable, write: Callable) -> None:
    text = "#include <Wire.h>\nvoid setup() { Wire.begin(); }\nvoid loop() {}\n"
    ran = takt("build", write("wire", text), "--board", "mps2-an386")
    assert ran.code == 1
    assert "error: " in ran.err and ":1 (" in ran.err, ran.err
    assert ran.err.endswith(
        "this board has no driver for I2C\n  fix: use one that has: "
        "atmega324p, galileo, pico, stm32f051, stm32f051-4k, uno\n"
    )


def test_time_on_the_pico_is_in_cycles(takt: Callable, tmp_path: Path) -> None:
    boards = {board["name"]: board for board in takt("boards", "--json").json["boards"]}
    assert boards["pico"]["timing"] == boards["stm32f051"]["timing"] == "cycles"
    assert "cycles" not in boards["microbit"]["timing"]


@pytest.mark.parametrize("name", ["qemu-system-arm", "spin"])
def test_doctor_misses(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    found = {finding.name: finding for finding in doctor.examine()}
    assert found[name].ok and found[name].found[0].isdigit()
    monkeypatch.setenv("PATH", "/nowhere")
    found = {finding.name: finding for finding in doctor.examine()}
    assert not found[name].ok and not found[name].needed
    assert found[name].fix.startswith(f"apt-get install {name} (")
