"""Writes the table of sizes in README.md anew: what sketches take on the uno, without the trace.

PYTHONPATH=tools .venv/bin/python arduino/sizes.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from takt import boards
from takt.build.build import build
from takt.cli.marked import replaced
from takt.errors import UserError
from takt.paths import ROOT

README = Path(__file__).parent / "README.md"
BLINK = """void setup() { pinMode(13, OUTPUT); }
void loop() { digitalWrite(13, HIGH); delay(500); digitalWrite(13, LOW); delay(500); }
"""
PRINT = "void setup() { Serial.begin(9600); }\nvoid loop() { Serial.println(millis()); }\n"
HANDLER = """volatile unsigned hits;
void hit() { hits++; }
void setup() { attachInterrupt(digitalPinToInterrupt(2), hit, RISING); }
void loop() {}
"""
# What it is called, its text, flash and RAM with Arduino's core 1.8.7.
SKETCHES = (
    ("empty `setup()` and `loop()`", "void setup() {}\nvoid loop() {}\n", (444, "9 + stack")),
    ("blink", BLINK, (930, "9 + stack")),
    ("`Serial.println(millis())`", PRINT, (1626, "188 + stack")),
    ("`attachInterrupt` and a loop", HANDLER, ("", "")),
)
EXAMPLES = (
    "two-blinks",
    "rover",
    "button-channel",
    "find-prime",
    "servo-sweep",
    "spi-potentiometer",
    "wire-potentiometer",
    "wire-scanner",
    "periodic-control",
    "eight-loops",
)


def row(name: str, folder: Path, other: tuple[object, object] = ("", "")) -> str:
    """What admission refuses is marked, and so is what there is no room for."""
    with tempfile.TemporaryDirectory() as out:
        try:
            built = build(folder, boards.load("uno"), trace=False, out=Path(out), admit=False)
        except UserError:
            return f"| {name} | more than there is | | {other[0]} | {other[1]} |"
    if built.admission and not built.admission.admitted:
        name += ", refused: it needs more of the CPU"
    cells = (name, built.flash_bytes, built.ram_bytes, *other)
    return "| " + " | ".join(map(str, cells)) + " |"


def rows(scratch: Path) -> list[str]:
    lines = []
    for number, (name, text, other) in enumerate(SKETCHES):
        folder = scratch / f"sketch{number}"
        folder.mkdir()
        (folder / f"{folder.name}.ino").write_text(text)
        lines.append(row(name, folder, other))
    return lines + [row(f"examples/{name}", ROOT / "examples" / name) for name in EXAMPLES]


def written() -> str:
    """README.md with what is so now."""
    head = ["| sketch | Takt | | Arduino's core 1.8.7 | |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as scratch:
        table = head + rows(Path(scratch))
    return replaced(README.read_text(), "sizes", table)


if __name__ == "__main__":
    README.write_text(written())
