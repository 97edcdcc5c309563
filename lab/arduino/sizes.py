"""arduino.sizes: flash and RAM of sketches without the trace, beside Arduino's own core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from takt import boards
from takt.build.build import build
from takt.cli.labs.lab import row
from takt.errors import UserError
from takt.paths import ROOT

from . import core

UNO, PICO = "uno", "pico"
SKETCHES = {
    "empty": "void setup() {}\nvoid loop() {}\n",
    "Blink": """void setup() { pinMode(13, OUTPUT); }
void loop() { digitalWrite(13, HIGH); delay(500); digitalWrite(13, LOW); delay(500); }
""",
    "analogRead+println": """void setup() { Serial.begin(9600); }
void loop() { Serial.println(analogRead(A0)); delay(100); }
""",
}
EXAMPLES = ("two-blinks", "rover")
GOALS = {
    "empty": (1200, 120), "Blink": (2600, 200), "analogRead+println": (5200, 400),
    "two-blinks": (6500, 400), "rover": (10500, 800),
}  # fmt: skip
PUBLISHED = {"empty": (444, 9), "Blink": (930, 9), "analogRead+println": (1902, 188)}
PICO_GOAL = 3000
METRICS = ("flash", "ram")


def folder_of(name: str) -> Path:
    """Of a sketch, written if it is one of these here."""
    if name not in SKETCHES:
        return ROOT / "examples" / name
    folder = core.WORK / "sizes" / name.replace("+", "_")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{folder.name}.ino"
    if not file.exists() or file.read_text(encoding="utf-8") != SKETCHES[name]:
        file.write_text(SKETCHES[name], encoding="utf-8")
    return folder


def ours(name: str, board: str) -> tuple[int, int] | tuple[None, None]:
    """Nothing where it does not fit."""
    out = core.WORK / "takt" / board / name
    try:
        made = build(folder_of(name), boards.load(board), trace=False, out=out, admit=False)
    except UserError:
        return None, None
    return made.flash_bytes, made.ram_bytes


def theirs(name: str) -> tuple[int, int] | tuple[None, None]:
    if name not in SKETCHES or not core.is_here():
        return None, None
    folder = folder_of(name)
    return core.memory(core.built(folder / f"{folder.name}.ino"))


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Sketches without the trace: bytes of flash and of RAM, stacks in Takt's RAM included"""
    rows = []
    for name in (*SKETCHES, *EXAMPLES):
        own, other, said = ours(name, UNO), theirs(name), PUBLISHED.get(name, (None, None))
        for index, metric in enumerate(METRICS):
            rows.append(row(name, metric, own[index], "B", goal=GOALS[name][index]))
            if name in SKETCHES:
                rows.append(row(name, f"arduino_{metric}", other[index], "B", said[index]))
    flash, ram = ours("empty", PICO)
    rows += [row("empty, pico", "flash", flash, "B", goal=PICO_GOAL)]
    rows += [row("empty, pico", "ram", ram, "B")]
    config = {"arduino": f"core {core.version()}" if core.is_here() else "published only"}
    return {"rows": rows, "config": config}
