"""What documents show of labs, from the outcomes that are recorded, each between two marks:

    <!-- table qduino.fig9 -->      its rows; forms: lab.py's TABLES
    <!-- picture qduino.fig9 -->
    <!-- account rios.fig8 -->      where the figures come from
    <!-- goals qduino -->           what a group's labs are asked for, and what they reach

with <!-- end of table qduino.fig9 --> and so on; and within a line one figure of them,

    <!-- value qduino.fig9|case-1|delivery_max_us|/1000|.1f -->27.3<!-- end of value -->

of a case, or of several (fnmatch) and "max" or "min"; divided or multiplied; formatted as Python
does, with spaces for commas.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from os.path import relpath
from pathlib import Path
from typing import Any

from takt.cli.labs import records as lab_records
from takt.cli.labs.lab import Lab, available
from takt.cli.marked import replaced
from takt.paths import ROOT

Row = dict[str, Any]
Place = tuple[str, str, str]  # heading, line, column
Form = Callable[[Row], Place | None]  # where a row stands in a table of tables; None: nowhere
DOCUMENTS = ("README.md", "docs/**/*.md", "lab/*/README.md", "board/*/README.md")
BLOCK = re.compile(r"<!-- ((table|picture|account|goals) ([\w.-]+)) -->")
VALUE = re.compile(r"(<!-- value ([^|>]+)\|([^>]+?) -->)[^<]*(<!-- end of value -->)")
HEAD = ("case", "metric", "ours", "paper", "goal", "met")


def documents() -> list[Path]:
    """Those that show something of labs."""
    every = [path for pattern in DOCUMENTS for path in sorted(ROOT.glob(pattern))]
    return [path for path in every if _shows(path.read_text(encoding="utf-8"))]


def _shows(text: str) -> bool:
    return bool(BLOCK.search(text) or VALUE.search(text))


def written(path: Path) -> str:
    """The text that a document should have."""
    text = path.read_text(encoding="utf-8")
    for mark, kind, name in BLOCK.findall(text):
        text = replaced(text, mark, BLOCKS[kind](name, path.parent))
    return VALUE.sub(_figure, text)


def write_all() -> list[Path]:
    """Those that were not as they should be."""
    found = {path: written(path) for path in documents()}
    stale = [path for path, text in found.items() if path.read_text(encoding="utf-8") != text]
    for path in stale:
        path.write_text(found[path], encoding="utf-8")
    return stale


def number(value: float | None, how: str = "") -> str:
    if value is None:
        return ""
    if not how:
        whole = isinstance(value, int) or abs(value) >= 10_000 or value == round(value)
        how = ".0f" if whole else ".5g"
    return format(value, how).replace(",", " ")


def _figure(found: re.Match[str]) -> str:
    start, name, asked, end = found.groups()
    case, metric, *rest = asked.split("|")
    values = [r["value"] for r in lab_records.load(name).rows
              if r["metric"] == metric and fnmatchcase(r["case"], case)]  # fmt: skip
    how = ""
    for one in rest:
        if one in ("max", "min"):
            values = [max(values) if one == "max" else min(values)]
        elif one[0] in "/*":
            factor = float(one[1:])
            values = [v / factor if one[0] == "/" else v * factor for v in values]
        else:
            how = one
    if len(values) != 1:
        raise ValueError(f"{start} stands for {len(values)} figures")
    return f"{start}{number(values[0], how)}{end}"


def _lines(cells: list[list[str]]) -> list[str]:
    head, *rest = cells
    every = [head, ["---"] * len(head), *rest]
    return [f"| {' | '.join(line)} |" for line in every]


def table(name: str, _: Path) -> list[str]:
    """A line for each row; or as the lab's form has it."""
    lab, outcome = available()[name], lab_records.load(name)
    if lab.form:
        return crossed(lab, outcome.rows)
    return _lines([list(HEAD), *(_line(lab, row) for row in outcome.rows)])


def _line(lab: Lab, row: Row) -> list[str]:
    ours = f"{number(row['value'])} {row['unit']}".strip()
    met = "" if row["goal"] is None else "yes" if lab.met(row) else "**no**"
    return [row["case"], f"`{row['metric']}`", ours, number(row["paper"]), number(row["goal"]), met]


def crossed(lab: Lab, rows: list[Row]) -> list[str]:
    """Cases beside one another. Goals are below, where a column has one, else in the cells; bold
    is what misses them."""
    assert lab.form
    tables: dict[str, dict[str, dict[str, Row]]] = {}
    for row in rows:
        if place := lab.form(row):
            heading, line, column = place
            tables.setdefault(heading, {}).setdefault(line, {})[column] = row
    told: list[str] = []
    for heading, lines in tables.items():
        told += ["", heading, ""] if heading else []
        told += _crossed(lab, lines)
    return told[1:] if told[0] == "" else told


def _crossed(lab: Lab, lines: dict[str, dict[str, Row]]) -> list[str]:
    columns = list(dict.fromkeys(column for line in lines.values() for column in line))
    goals = {
        column: {line[column]["goal"] for line in lines.values() if column in line} - {None}
        for column in columns
    }
    below = {column: found.pop() for column, found in goals.items() if len(found) == 1}
    cells = [["", *columns]]
    for name, line in lines.items():
        cells.append([name, *(_cell(lab, line.get(c), c in below) for c in columns)])
    if below:
        cells.append(["goal", *(number(below.get(column)) for column in columns)])
    return _lines(cells)


def _cell(lab: Lab, row: Row | None, goal_is_below: bool) -> str:
    if row is None or row["value"] is None:
        return ""
    told = number(row["value"])
    if not lab.met(row):
        told = f"**{told}**"
    more = [] if row["paper"] is None else [f"paper {number(row['paper'])}"]
    more += [] if row["goal"] is None or goal_is_below else [f"goal {number(row['goal'])}"]
    return f"{told} ({', '.join(more)})" if more else told


def picture(name: str, folder: Path) -> list[str]:
    return [f"![{name}]({relpath(lab_records.path(name, '.png'), folder)})"]


def account(name: str, _: Path) -> list[str]:
    return ["```", *(line for line in lab_records.load(name).account if line), "```"]


def goals(group: str, _: Path) -> list[str]:
    """A line for each metric with goals: how many cases reach them, and which do not."""
    cells = [["lab", "metric", "goal", "ours", "met"]]
    for name, lab in available().items():
        every = lab_records.load(name).rows if lab.group == group else []
        rows = [row for row in every if row["goal"] is not None]
        for metric in dict.fromkeys(row["metric"] for row in rows):
            own = [row for row in rows if row["metric"] == metric]
            cells.append([name, f"`{metric}`", *_reached(lab, own)])
    return _lines(cells)


def _reached(lab: Lab, rows: list[Row]) -> list[str]:
    values, unit = [row["value"] for row in rows], rows[0]["unit"]
    asked = sorted({row["goal"] for row in rows})
    sign = "at least" if rows[0]["metric"] in lab.at_least else "at most"
    goal = f"{sign} {number(asked[0])}" + (f" to {number(asked[-1])}" if asked[1:] else "")
    low, high = number(min(values)), number(max(values))
    ours = f"{low} to {high} {unit}" if low != high else f"{low} {unit}"
    missed = [r for r in rows if not lab.met(r)]
    if not missed:
        return [f"{goal} {unit}".strip(), ours.strip(), f"all {len(rows)}" if rows[1:] else "yes"]
    which = ", ".join(f"{r['case']} {number(r['value'])}"
                      + (f" (goal {number(r['goal'])})" if asked[1:] else "")
                      for r in missed)  # fmt: skip
    count = f"**{len(missed)} of {len(rows)} not**" if rows[1:] else "**no**"
    return [f"{goal} {unit}".strip(), ours.strip(), f"{count}: {which}"]


BLOCKS: dict[str, Callable[[str, Path], list[str]]] = {
    "table": table, "picture": picture, "account": account, "goals": goals,
}  # fmt: skip
