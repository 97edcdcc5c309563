"""takt lab: measurements, beside what the papers report.

lab/<group>/lab.py has LABS, a dict from name (<group>.<what>) to a function (board, options) that
returns {"config": {...}, "rows": [{"case", "metric", "value", "unit", "paper", "goal"}]} and may
add "account": lines that say where the figures come from. The file may also have PLOTS, a dict from
name to a function that draws an Outcome as a matplotlib Figure; BOARD, which it measures on unless
told (pico), or a dict from a lab's name to it; BOARDS, those it may be told (all on the virtual
platform), or such a dict; OPTIONS, the names of the command's options that its labs take; SETUP,
a dict from the names of those that need more than ./takt installs to a function (progress) that
fetches and builds it: `takt lab setup <group>`; AT_LEAST, the metrics whose goals are not to be
missed below; OF_FOLDER, those that measure what is in a folder of the user's (option "folder");
TABLES, a dict from name to where a row stands in documents, and VARIES, a function
that says of a row whether it is of the host's clock (pages.py, records.py). The folder is a
package: lab.py may say `from . import other`. <group>.all is the whole group; all are all that need
no set-up.
"""

from __future__ import annotations

import difflib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from takt import boards
from takt.build.ninja import Progress
from takt.errors import UserError
from takt.paths import BUILD, ROOT, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console

FOLDER = ROOT / "lab"
DEFAULT_BOARD = "pico"
DPI = 100  # a picture of 9 inches is as wide as a page
SHOWN = 300  # characters of a setting; what is longer is for programs
FIELDS = ("case", "metric", "value", "unit", "paper", "goal")
Measurement = Callable[[boards.Board, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Lab:
    name: str
    measure: Measurement
    about: str
    draw: Callable[[Outcome], Figure] | None = None
    board: str = DEFAULT_BOARD
    boards: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    setup: Callable[[Progress], None] | None = None
    at_least: frozenset[str] = frozenset()
    form: Callable[[dict[str, Any]], tuple[str, str, str] | None] | None = None
    varies: Callable[[dict[str, Any]], bool] = lambda row: False
    of_folder: bool = False

    @property
    def group(self) -> str:
        return self.name.partition(".")[0]

    def met(self, row: dict[str, Any]) -> bool:
        """Whether a row is as its goal has it, if it has one."""
        if row["goal"] is None or row["value"] is None:
            return True
        if row["metric"] in self.at_least:
            return row["value"] >= row["goal"]
        return abs(row["value"]) <= row["goal"]


@dataclass(frozen=True)
class Outcome:
    lab: str
    board: str
    config: dict[str, Any]
    rows: list[dict[str, Any]]
    account: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        told = {"lab": self.lab, "board": self.board, "config": self.config, "rows": self.rows}
        return told | ({"account": self.account} if self.account else {})

    def show(self, console: Console) -> None:
        from takt.cli.labs.table import table

        console.print(table(console, f"{self.lab} on {self.board}", self.rows))
        for key, value in self.config.items():
            if isinstance(value, dict) and all(isinstance(of, str) for of in value.values()):
                value = "".join(f"\n    {name}: {of}" for name, of in value.items())
            elif len(str(value)) > SHOWN:
                value = "see --json"
            console.print(f"{key}: {value}", markup=False, style="dim", soft_wrap=True)
        for line in self.account:
            console.print(line, markup=False, highlight=False, soft_wrap=True)


def row(
    case: str,
    metric: str,
    value: float | None,
    unit: str,
    paper: float | None = None,
    goal: float | None = None,
) -> dict[str, Any]:
    """A row of an outcome."""
    return dict(zip(FIELDS, (case, metric, value, unit, paper, goal), strict=True))


def by_case(row: dict[str, Any]) -> tuple[str, str, str]:
    """Where a row stands in a table with a line for each case."""
    unit = f" ({row['unit']})" if row["unit"] else ""
    return "", row["case"], f"`{row['metric']}`{unit}"


def available() -> dict[str, Lab]:
    """All labs by name."""
    found: dict[str, Lab] = {}
    on_the_platform = tuple(_on_the_platform())
    for path in sorted(FOLDER.glob("*/lab.py")):
        module = _load(path)
        plots = getattr(module, "PLOTS", {})
        given = getattr(module, "BOARDS", {})
        own = given if isinstance(given, dict) else dict.fromkeys(module.LABS, given)
        named = getattr(module, "BOARD", DEFAULT_BOARD)
        options = frozenset(getattr(module, "OPTIONS", ()))
        setup, forms = getattr(module, "SETUP", {}), getattr(module, "TABLES", {})
        at_least = frozenset(getattr(module, "AT_LEAST", ()))
        varies = getattr(module, "VARIES", Lab.varies)
        for name, measure in module.LABS.items():
            about = (measure.__doc__ or "").strip().partition("\n")[0]
            board = named if isinstance(named, str) else named[name]
            where = (board, tuple(own.get(name, on_the_platform)))
            of_folder = name in getattr(module, "OF_FOLDER", ())
            taken = options | {"folder", "jobs"} if of_folder else options
            rest = (plots.get(name), *where, taken, setup.get(name), at_least)
            found[name] = Lab(name, measure, about, *rest, forms.get(name), varies, of_folder)
    return found


def _on_the_platform() -> list[str]:
    """Boards whose cycles the virtual platform counts, with memory for any lab's programs: ATmegas
    are named by the labs that fit there."""
    loaded = map(boards.load, boards.names())
    others = ("host", "avr")
    return [one.name for one in loaded if "qemu" not in one.raw and one.core not in others]


def _load(path: Path) -> ModuleType:
    """lab.py as a package, so that it finds the modules beside it."""
    name = f"takt_lab_{path.parent.name}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        name, path, submodule_search_locations=[str(path.parent)]
    )
    assert spec and spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    if not isinstance(getattr(module, "LABS", None), dict):
        del sys.modules[name]
        raise UserError("defines no LABS", shown(path), "LABS = {name: function(board, options)}")
    return module


def set_up(group: str, progress: Progress) -> None:
    """What the labs of a group need beyond ./takt's own; groups without any are a usage error."""
    known: dict[str, set[Callable[[Progress], None]]] = {}
    for one in available().values():
        if one.setup:
            known.setdefault(one.group, set()).add(one.setup)
    if group not in known:
        what = f"no labs '{group}' that need setting up"
        raise UserError(what, "takt lab setup", f"there are: {', '.join(known)}", 2)
    for function in known[group]:
        function(progress)


def chosen(name: str) -> list[Lab]:
    """A lab, the labs of a group (<group>.all) that need no folder, or all that need no set-up,
    either."""
    labs = available()
    groups = {f"{lab.group}.all": lab.group for lab in labs.values()}
    if name == "all":
        return [lab for lab in labs.values() if not lab.setup and not lab.of_folder]
    if name in groups:
        own = (lab for lab in labs.values() if lab.group == groups[name])
        return [lab for lab in own if not lab.of_folder]
    if name in labs:
        return [labs[name]]
    near = difflib.get_close_matches(name, [*labs, *groups], 1)
    hint = f"did you mean {near[0]}? " if near else ""
    known = ", ".join([*labs, *groups]) or "none"
    raise UserError(f"no lab '{name}'", fix=f"{hint}there are: {known}", exit_code=2)


def is_group(name: str) -> bool:
    """Whether a name stands for several labs."""
    return name == "all" or name.endswith(".all")


def refuse_strange(name: str, options: dict[str, Any]) -> None:
    """An option that none of the labs takes is a usage error, and a folder that is missing."""
    labs = chosen(name)
    taken = frozenset().union(*(lab.options for lab in labs))
    for option in options.keys() - taken:
        text = "FOLDER" if option == "folder" else f"--{option.replace('_', '-')}"
        raise UserError(f"{name} takes no {text}", text, "leave it out", 2)
    if any(lab.of_folder for lab in labs) and "folder" not in options:
        raise UserError(f"{name} needs a folder", "FOLDER", f"takt lab run {name} FOLDER", 2)


def run(
    name: str, board: str | None, options: dict[str, Any], progress: Progress | None = None
) -> list[Outcome]:
    """One lab, those of a group, or all of them; on the board each is for unless one is named."""
    labs, outcomes = chosen(name), []
    targets = [_board(lab, board) for lab in labs]
    for number, (lab, target) in enumerate(zip(labs, targets, strict=True)):
        if progress:
            progress(lab.name, number, len(labs))
        outcomes.append(_run(lab, target, options))
    return outcomes


def _board(lab: Lab, name: str | None) -> boards.Board:
    """What a lab measures on; a board it is not for is a usage error."""
    board = boards.load(lab.board if name is None else name)
    if board.name not in lab.boards:
        what = f"{lab.name} does not measure on {board.name}"
        counted = board.name in _on_the_platform()
        why = ", which its programs are for" if counted else ", where cycles are counted"
        fix = f"--board {' or '.join(lab.boards)}{why}; or leave it out"
        raise UserError(what, "--board", fix, 2)
    return board


def _run(lab: Lab, board: boards.Board, options: dict[str, Any]) -> Outcome:
    measured = lab.measure(board, options)
    rows = [{field: row.get(field) for field in FIELDS} for row in measured["rows"]]
    account = measured.get("account", []) if options.get("account") else []
    used = measured.get("board", board.name)
    return Outcome(lab.name, used, measured.get("config", {}), rows, account)


def plot(outcome: Outcome, folder: Path | None = None) -> Path | None:
    """Draws an outcome as <folder>/<lab>.png; None for a lab without a picture."""
    draw = available()[outcome.lab].draw
    if draw is None:
        return None
    folder = folder or BUILD / "lab"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{outcome.lab}.png"
    draw(outcome).savefig(path, dpi=DPI)
    return path
