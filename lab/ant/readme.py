"""Writes the figures of README.md anew: between its marks, from what the labs measure now.

PYTHONPATH=tools .venv/bin/python lab/ant/readme.py
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from takt import lab
from takt.lab import Outcome
from takt.marked import replaced

README = Path(__file__).parent / "README.md"
CASE = re.compile(r"^(?:(?P<who>.+?)-)?(?P<what>N=\d+|lcm|primes|random|max|avg|min)(?P<on>-\w+)?$")


def _split(case: str) -> tuple[str, str, str]:
    """Who, what of it, where."""
    found = CASE.match(case)
    if found is None:
        return case, "", "host"
    return found["who"] or "takt", found["what"], (found["on"] or "-host")[1:]


def _cell(row: Any) -> str:
    if row is None:
        return ""
    mark = "" if row["goal"] is None or row["value"] <= row["goal"] else " *"
    return f"{row['value']:g}{mark}"


def tables(outcome: Outcome) -> list[str]:
    """For each metric and machine: a line for who, a column for what of it."""
    cells: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in outcome.rows:
        who, what, where = _split(row["case"])
        cells.setdefault((row["metric"], where), {}).setdefault(who, {})[what] = row
    lines: list[str] = []
    for (metric, where), people in cells.items():
        columns = list(dict.fromkeys(what for row in people.values() for what in row))
        lines += [f"`{metric}`, {where}:", "", f"| | {' | '.join(columns)} |"]
        lines += [f"|---|{'---|' * len(columns)}"]
        for who, row in sorted(people.items(), key=lambda item: item[0] != "takt"):
            lines.append(f"| {who} | {' | '.join(_cell(row.get(c)) for c in columns)} |")
        goals = [people.get("takt", {}).get(c) for c in columns]
        if any(g and g["goal"] is not None for g in goals):
            told = (f"{g['goal']:g}" if g and g["goal"] is not None else "" for g in goals)
            lines.append(f"| goal | {' | '.join(told)} |")
        lines.append("")
    return lines


def section(outcome: Outcome) -> list[str]:
    shown = {k: v for k, v in outcome.config.items() if not k.endswith(" at")}
    about = "; ".join(f"{key}: {value}" for key, value in shown.items())
    return [f"### {outcome.lab}", "", *tables(outcome), f"{about}.", ""]


def missed(outcome: Outcome) -> list[str]:
    return [
        f"- {outcome.lab}, {row['metric']} {row['case']}: {row['value']:g} of {row['goal']:g}"
        for row in outcome.rows
        if row["goal"] is not None and row["value"] > row["goal"]
    ]


if __name__ == "__main__":
    outcomes = lab.run("ant.all", None, {})
    text = README.read_text()
    text = replaced(text, "missed", [line for outcome in outcomes for line in missed(outcome)])
    every = [line for outcome in outcomes for line in section(outcome)]
    README.write_text(replaced(text, "results", every[:-1]))
