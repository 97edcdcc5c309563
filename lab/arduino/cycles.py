"""arduino.calls: cycles of Arduino's functions on the uno, beside Arduino's own core."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from takt import boards
from takt.build.build import build
from takt.cli.labs.lab import row

from . import core, timed

HERE = Path(__file__).parent
SKETCH = HERE / "calls"
NAMED = re.compile(r"TIMED\((\w+), (.*)\);")
SHOWN = {  # what a call is called here
    "millis": "millis(), again in the same ms", "millis_later": "millis(), later",
    "print": "Serial.print(char)", "analogWrite_first": "analogWrite() after digitalWrite()",
    "digitalWrite_pwm": "digitalWrite() of a pin with PWM",
    "delayMicroseconds": "delayMicroseconds(50)", "digitalWrite_known": "digitalWrite(13, HIGH)",
    "digitalRead_known": "digitalRead(4)", "pinMode_known": "pinMode(13, OUTPUT)",
}  # fmt: skip
GOALS = {
    "millis": 40, "micros": 51, "print": 250, "analogWrite": 130, "pinMode": 90, "shiftOut": 2064,
    "analogRead": 1900, "digitalWrite": 71, "digitalRead": 44, "delayMicroseconds": 805,
    "digitalWrite_known": 12, "digitalRead_known": 12, "pinMode_known": 12,
}  # fmt: skip
PUBLISHED = {
    "millis": 15, "micros": 51, "print": 75, "analogWrite": 115, "pinMode": 74, "shiftOut": 2064,
    "analogRead": 1797, "digitalWrite": 71, "digitalRead": 44, "delayMicroseconds": 780,
}  # fmt: skip


def names() -> list[str]:
    """The calls of the sketch, in order."""
    return [name for name, _ in NAMED.findall((SKETCH / "calls.ino").read_text(encoding="utf-8"))]


def shown(name: str) -> str:
    return SHOWN.get(name, f"{name}()")


def ours(board: boards.Board) -> dict[str, int]:
    out = core.WORK / "takt" / "calls"
    return timed.cycles(build(SKETCH, board, trace=False, out=out).elf, names())


def theirs() -> dict[str, int]:
    return timed.cycles(core.built(SKETCH / "calls.ino"), names()) if core.is_here() else {}


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Arduino's functions: cycles of a call, with Takt and with Arduino's core"""
    own, other = ours(board), theirs()
    rows = []
    for name in names():
        case = shown(name)
        rows.append(row(case, "cycles", own[name], "cycles", goal=GOALS.get(name)))
        rows.append(row(case, "arduino", other.get(name), "cycles", PUBLISHED.get(name)))
    config = {
        "counted": "arguments, call, function and return; the median of some passes",
        "arduino": f"core {core.version()}, with its own flags" if other else "published only",
    }
    return {"rows": rows, "config": config}
