"""docs/kernel.md and docs/from-freertos.md, read: programs, commands, tables.

.venv/bin/python tests/system/docs/page.py      writes what it costs anew
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / part) for part in ("tools", "tests/system")]

from programs import Run, flashed  # noqa: E402

KERNEL, FREERTOS = (ROOT / "docs" / name for name in ("kernel.md", "from-freertos.md"))
HEADERS = ROOT / "include" / "takt"
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COSTS = re.compile(r"^\| \| header \| bytes \|.*?\n\n", re.DOTALL | re.MULTILINE)
KINDS = {  # in the order of costs.c: what, header
    "semaphore": "sem.h",
    "mutex": "mutex.h",
    "lock": "lock.h",
    "condition variable": "cond.h",
    "queue": "queue.h",
    "event flags": "flags.h",
    "timer": "timer.h",
    "channel": "channel.h",
    "ring buffer": "ringbuf.h",
    "budget": "vcpu.h",
    "job, budget included": "periodic.h",
    "task": "task.h",
}
ROUNDS = 1000


def blocks(document: Path, kind: str) -> dict[str, str]:
    """Code of a kind, by the file it is named for, or by its number."""
    found = [
        (name, text) for what, name, text in BLOCK.findall(document.read_text()) if what == kind
    ]
    return {name or str(number): text for number, (name, text) in enumerate(found)}


def table(document: Path, heading: str) -> list[list[str]]:
    """The rows of the first table below a heading."""
    text = document.read_text().partition(f"\n{heading}\n")[2]
    lines = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert lines, heading
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[0].splitlines()[2:]]


def costs() -> str:
    """What the primitives cost on the pico, as a table."""
    with tempfile.TemporaryDirectory() as folder:
        elf = flashed("pico", Path(__file__).with_name("costs.c"), Path(folder))
        run = Run("pico", elf, roomy=False)
        assert run.until_done(3000) == "done", run.machine.fault()
    cycles = run.board.clock_hz / 1e6 / ROUNDS
    nothing = run.value("us_nothing")

    def taken(name: str, number: int) -> str:
        us = run.value(name, number)
        return str(round((us - nothing) * cycles)) if us else ""

    lines = ["| | header | bytes | alone | handing over |", "|---|---|---|---|---|"]
    for number, (kind, header) in enumerate(KINDS.items()):
        cells = [
            str(run.value("bytes", number)),
            *(taken(n, number) for n in ("us_alone", "us_over")),
        ]
        lines.append(f"| {kind} | `{header}` | {' | '.join(cells)} |".replace("|  |", "| |"))
    return "\n".join([*lines, "\n"]).replace("|  |", "| |")


if __name__ == "__main__":
    KERNEL.write_text(COSTS.sub(lambda _: costs(), KERNEL.read_text()))
