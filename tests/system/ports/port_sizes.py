"""How large the ports are: the tables of docs/porting.md.

.venv/bin/python tests/system/ports/port_sizes.py      writes them anew
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tools")]
from takt.build import cmake, kernel  # noqa: E402

DOCUMENT = ROOT / "docs/porting.md"
TABLES = re.compile(r"(?<=<!-- sizes -->\n).*?(?=<!-- end of sizes -->)", re.DOTALL)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# Port, the board it is built for, what that is.
PORTS = (
    ("armv6m", "stm32f051", "Cortex-M0"),
    ("armv7m", "lm3s6965evb", "Cortex-M3"),
    ("armv7m", "mps2-an386", "Cortex-M4F"),
    ("avr", "uno", "ATmega328P"),
)
# Board, what the names of its chip's drivers have in common.
BOARDS = (("microbit", "nrf51"), ("lm3s6965evb", "lm3s"), ("mps2-an386", "cmsdk"), ("uno", "avr"))
DRIVERS = ("clock", "console", "uart", "gpio")


def lines(files: list[Path]) -> int:
    """Lines of code: neither blank nor comment."""
    text = "\n".join(COMMENT.sub("", file.read_text()) for file in files)
    return sum(1 for line in text.splitlines() if line.strip())


def of(folder: Path, *suffixes: str) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in suffixes)


def shared(folder: Path) -> list[Path]:
    """Headers of several ports that one includes."""
    text = "".join(file.read_text() for file in of(folder, ".c", ".h", ".S"))
    return [header for header in of(folder.parent, ".h") if f'"../{header.name}"' in text]


def port_bytes(board: str) -> dict[str, int]:
    """Flash by file of the port, all its functions linked, where they are all there is."""
    target = cmake.target_libraries(board, "plain")
    with kernel.compiled(target, board, "plain", ("THREADS",)) as (archive, _):
        said = subprocess.run([target.tool("size"), archive], capture_output=True, text=True).stdout
    rows = [line.split() for line in said.splitlines()[1:]]
    once = (row for row in rows if "-D" not in row[5])  # else once more (TAKT_TASK_8 of cmake)
    return {row[5].split(".")[0]: int(row[0]) + int(row[1]) for row in once}


def ports() -> str:
    rows = ["| port | built for | C | assembler | bytes | of these, fast semaphores |"]
    rows += ["|---|---|---|---|---|---|"]
    for port, board, core in PORTS:
        folder, size = ROOT / "port" / port, port_bytes(board)
        sem = sorted(folder.glob("sem*"))
        fast = f"{lines(sem)} lines, {size['sem']} bytes" if sem else ""
        code = lines([*of(folder, ".c", ".h"), *shared(folder)])
        assembler = lines(of(folder, ".S"))
        rows.append(f"| {port} | {core} | {code} | {assembler} | {sum(size.values())} | {fast} |")
    for port, note in (("x86_64", "a PC"), ("sim", "a host process"), ("template", "nothing")):
        folder = ROOT / "port" / port
        assembler = f" {lines(of(folder, '.S'))}" if of(folder, ".S") else ""
        rows.append(f"| {port} | {note} | {lines(of(folder, '.c', '.h'))} |{assembler} | | |")
    return "\n".join(rows)


def boards() -> str:
    head = ["board", "start, vectors, link script, pins", "board.toml", *DRIVERS, "registers"]
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for board, family in BOARDS:
        folder = ROOT / "board" / board
        toml = (folder / "board.toml").read_text().splitlines()
        told = sum(1 for line in toml if line.strip() and not line.startswith("#"))
        counts = [lines(of(folder, ".c", ".h", ".S", ".ld", ".cmake")), told]
        for layer in DRIVERS:
            counts.append(lines(sorted((ROOT / "drivers" / layer).glob(f"{family}*"))))
        counts.append(lines(of(ROOT / "drivers" / family, ".h")))
        rows.append(f"| {board} | {' | '.join(map(str, counts))} |")
    return "\n".join(rows)


def tables() -> str:
    return f"{ports()}\n\n{boards()}\n"


if __name__ == "__main__":
    DOCUMENT.write_text(TABLES.sub(lambda _: tables(), DOCUMENT.read_text()))
