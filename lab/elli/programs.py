"""The lab's programs: which are built, on which machine they run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt import boards
from takt.build.build import Build, build
from takt.build.ninja import write_if_changed
from takt.build.variants import has_lto
from takt.code.elf import Program
from takt.errors import UserError
from takt.machine.machine import Machine, Stop
from takt.paths import BUILD, shown

HERE = Path(__file__).parent
WORK = BUILD / "lab" / "elli"
COMPILER = "arm-none-eabi-gcc -Os, no trace"
WAIT_STATES = (0, 1)
Defines = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """How a program is built and what it runs on."""

    wait_states: int = 0
    core: str = "m0"
    lto: bool = False

    @property
    def suffix(self) -> str:
        """Of a case: -lto, -ws1."""
        return ("-lto" if self.lto else "") + (f"-ws{self.wait_states}" if self.wait_states else "")


def settings(board: boards.Board, options: dict[str, Any], lto: bool = False) -> list[Setting]:
    """All that are asked for; with both wait states unless one is. lto: also optimised at link
    time, where the port can be."""
    asked = options.get("wait_states")
    core = options.get("core") or board.core
    builds = (False, True) if lto and has_lto(board) else (False,)
    waits = WAIT_STATES if asked is None else (asked,)
    return [Setting(wait, core, kind) for kind in builds for wait in waits]


def config(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """What every lab says of itself."""
    found = settings(board, options)
    return {
        "compiler": COMPILER,
        "core": found[0].core,
        "wait_states": [one.wait_states for one in found],
        "us": "at 48 MHz",
    }


def accounted(options: dict[str, Any], setting: Setting) -> bool:
    """Whether to say where the cycles go: of one wait state only if nothing else is measured."""
    return bool(options.get("account")) and setting.wait_states == (options.get("wait_states") or 0)


def program(
    name: str,
    board: boards.Board,
    case: str = "",
    defines: Defines | None = None,
    lto: bool = False,
) -> Build:
    """A folder's program, or a case of it: the same source behind some definitions."""
    source = HERE / name / f"{name}.c"
    place = WORK / board.name / name / ((case or "plain") + ("-lto" if lto else ""))
    folder = source.parent
    if defines:
        folder = place / name
        folder.mkdir(parents=True, exist_ok=True)
        lines = [f"#define {key} {value}\n" for key, value in defines.items()]
        write_if_changed(folder / f"{name}.c", "".join([*lines, f'#include "{source}"\n']))
    return build(folder, board, trace=False, out=place / "out", admit=False, lto=lto)


def load(built: Build, setting: Setting) -> Machine:
    machine = Machine(built.board.chip, setting.core, setting.wait_states)
    machine.load_elf(built.elf)
    return machine


def run(machine: Machine, built: Build, until: int) -> None:
    """Runs to a cycle; raises if the program ends before."""
    require(machine.run(until), "time", machine, built)


def run_to(machine: Machine, built: Build, address: int, limit: int = 10_000_000) -> int:
    """Runs until an instruction is next; returns the cycle."""
    machine.break_at(address)
    stop = machine.run(machine.now + limit)
    machine.break_at(address, False)
    require(stop, "break", machine, built)
    return stop.cycle


def require(stop: Stop, reason: str, machine: Machine, built: Build) -> None:
    """Raises if the program stopped for another reason, or has said that something is wrong."""
    record = machine.symbol("takt_fatal_record") if machine.has_symbol("takt_fatal_record") else 0
    if stop.reason == reason and not (record and machine.word(record)):
        return
    why = machine.fault() or f"not {reason} but {stop.reason}"
    raise UserError(f"the program stopped at cycle {machine.now}: {why}", shown(built.elf))


def chunks(machine: Machine, built: Build, step: int = 200_000) -> Iterator[None]:
    """Runs for ever, a bit at a time."""
    while True:
        run(machine, built, machine.now + step)
        yield


def where(found: Program, address: int) -> str:
    """function+offset of an instruction."""
    function = found.function_at(address)
    if function is not None:
        return f"{function.name}+{address - function.address}"
    before = [s for s in found.symbols if s.section == ".text" and s.address <= address]
    nearest = max(before, key=lambda s: s.address, default=None)
    return f"{nearest.name}+{address - nearest.address}" if nearest else f"{address:#x}"
