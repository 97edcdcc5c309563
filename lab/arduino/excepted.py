"""Examples of libraries that are not counted, as their errors show what they are written for."""

from __future__ import annotations

import re
from pathlib import Path

NO_HEADER = re.compile(r"no header (\S+?):? ")
# Headers whose lack is Takt's fault: of the pico's SDK, of cores and what comes with them.
OURS = re.compile(
    r"(hardware|pico|api)/|(Client|EEPROM|HardwareSerial|IPAddress|Print|SPI|Server|Servo|"
    r"SoftwareSerial|Stream|Udp|Wire|WString)\.h$"
)
OUR_FOLDERS = ("arduino/", "libraries/", "include/takt/", "board/")  # where an #error is Takt's
UNDECLARED = re.compile(r"'(\w+)' (?:was not declared|does not name a type)")
NOR_BY_ARDUINO = "nor by Arduino's core"
ERROR = re.compile(r"(?P<file>[^\s(]*):\d+:\d+\)?: #error")
SOURCES = {".ino", ".pde", ".h", ".hpp", ".cpp", ".c", ".tpp"}


def reason(error: str, arduino: str | None, library: Path, board: str) -> str:
    """Why an example that was not built is not counted; empty: it is. arduino: what Arduino's core
    for the uno says of it, None if it was not asked."""
    if arduino:
        return NOR_BY_ARDUINO
    if m := NO_HEADER.search(error):
        header = m[1].rstrip(":")
        if header.startswith("avr/"):
            return "for AVR" if board != "uno" else ""
        return "" if OURS.match(header) else f"wants another library: {header}"
    if m := ERROR.search(error):
        ours = m["file"].startswith(OUR_FOLDERS)
        return "" if ours else "knows no such board, and says so"
    for name in UNDECLARED.findall(error):
        if _defines(library, name):
            return f"defines {name} for other boards only"
    return ""


def _defines(library: Path, name: str) -> bool:
    """Somewhere in it, though it was not seen."""
    define = re.compile(rf"^\s*#\s*define\s+{name}\b", re.MULTILINE)
    return any(
        define.search(file.read_text(encoding="utf-8", errors="replace"))
        for file in library.rglob("*")
        if file.suffix in SOURCES and file.is_file()
    )
