"""takt lab: measurements, beside what the papers report.

lab/<group>/lab.py has LABS, a dict from name (<group>.<what>) to a function (board, options) that
returns {"config": {...}, "rows": [{"case", "metric", "value", "unit", "paper", "goal"}]}.
"""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt import boards
from takt.errors import UserError
from takt.paths import ROOT, shown

if TYPE_CHECKING:
    from rich.console import Console

FOLDER = ROOT / "lab"
FIELDS = ("case", "metric", "value", "unit", "paper", "goal")
Measurement = Callable[[boards.Board, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Lab:
    name: str
    measure: Measurement
    about: str


@dataclass(frozen=True)
class Outcome:
    lab: str
    board: str
    config: dict[str, Any]
    rows: list[dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        return {"lab": self.lab, "board": self.board, "config": self.config, "rows": self.rows}

    def show(self, console: Console) -> None:
        from rich.table import Table

        table = Table(title=f"{self.lab} on {self.board}", title_justify="left")
        for heading in FIELDS:
            table.add_column(heading, justify="right" if heading in FIELDS[2:3] else "left")
        for row in self.rows:
            table.add_row(*("" if row[f] is None else _text(row[f]) for f in FIELDS))
        console.print(table)
        for key, value in self.config.items():
            console.print(f"{key}: {value}", markup=False, style="dim", soft_wrap=True)


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def available() -> dict[str, Lab]:
    """All labs by name."""
    found: dict[str, Lab] = {}
    for path in sorted(FOLDER.glob("*/lab.py")):
        for name, measure in _load(path).items():
            about = (measure.__doc__ or "").strip().partition("\n")[0]
            found[name] = Lab(name, measure, about)
    return found


def _load(path: Path) -> dict[str, Measurement]:
    spec = importlib.util.spec_from_file_location(f"takt_lab_{path.parent.name}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    labs = getattr(module, "LABS", None)
    if not isinstance(labs, dict):
        raise UserError("defines no LABS", shown(path), "LABS = {name: function(board, options)}")
    return labs


def run(name: str, board: str, options: dict[str, Any]) -> list[Outcome]:
    """One lab, or all of them."""
    labs = available()
    if name != "all" and name not in labs:
        near = difflib.get_close_matches(name, labs, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UserError(
            f"no lab '{name}'", fix=f"{hint}there are: {', '.join(labs) or 'none'}", exit_code=2
        )
    chosen = labs.values() if name == "all" else [labs[name]]
    return [_run(lab, boards.load(board), options) for lab in chosen]


def _run(lab: Lab, board: boards.Board, options: dict[str, Any]) -> Outcome:
    measured = lab.measure(board, options)
    rows = [{field: row.get(field) for field in FIELDS} for row in measured["rows"]]
    return Outcome(lab.name, measured.get("board", board.name), measured.get("config", {}), rows)
