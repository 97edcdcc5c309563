"""The structures on a board: board/board.c, whose windows are looked at from outside."""

from __future__ import annotations

from statistics import median

from takt import boards
from takt.build.build import build
from takt.errors import UserError
from takt.machine.machine import Machine
from takt.paths import BUILD, shown

from .host import HERE, NAMES

RELEASE, WAIT, MIXED = 1, 2, 3
LIMIT = 400_000_000
Measured = dict[tuple[int, str, int], float]  # kind, structure, case: cycles (MIXED: per job)


def measure(board: boards.Board, wait_states: int) -> Measured:
    """All windows of the program; medians, the cost of an empty window taken off."""
    folder = BUILD / "lab" / "ant" / board.name
    built = build(HERE / "board", board, trace=False, out=folder, admit=False)
    machine = Machine(board.chip, board.core, wait_states)
    machine.load_elf(built.elf)
    address = {name: machine.symbol(name) for name in ("begin", "end", "done")}
    say = {name: machine.symbol(f"now_{name}") for name in ("kind", "structure", "case", "jobs")}
    machine.break_at(address["begin"] & ~1)
    machine.break_at(address["end"] & ~1)
    windows: dict[tuple[int, int, int], list[float]] = {}
    begun = 0
    while True:
        stop = machine.run(machine.now + LIMIT)
        if stop.reason != "break":
            raise UserError(f"the program stopped: {stop.reason}", shown(built.elf))
        if machine.pc == address["begin"] & ~1:
            begun = stop.cycle
            continue
        if machine.word(address["done"]) == 1:
            break
        kind, structure, case = (machine.word(say[k]) for k in ("kind", "structure", "case"))
        share = machine.word(say["jobs"]) if kind == MIXED else 1
        windows.setdefault((kind, structure, case), []).append((stop.cycle - begun) / share)
    empty = {RELEASE: windows[0, 0, 0][0], WAIT: windows[0, 1, 0][0], MIXED: 0.0}
    return {
        (kind, NAMES[structure], case): median(values) - empty[kind]
        for (kind, structure, case), values in windows.items()
        if kind
    }
