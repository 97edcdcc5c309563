"""Writes the figures of README.md anew: between its marks, from what is kept and recorded.

PYTHONPATH=tools .venv/bin/python lab/pipes/readme.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from takt import lab
from takt.lab import Outcome
from takt.marked import replaced

README = Path(__file__).parent / "README.md"
AT_LEAST = ("_min_fps", "accepted_pct")  # ends of metrics whose goals are not to be missed below


def met(row: dict[str, Any]) -> bool:
    """Whether a row is as its goal has it, if it has one."""
    if row["goal"] is None or row["value"] is None:
        return True
    if row["metric"].endswith(AT_LEAST):
        return row["value"] >= row["goal"]
    return abs(row["value"]) <= row["goal"]


def _cell(row: dict[str, Any] | None) -> str:
    if row is None or row["value"] is None:
        return ""
    told = f"{row['value']:.6g}"
    if row["paper"] is not None:
        told += f" (paper {row['paper']:g})"
    return told if met(row) else f"**{told}**"


def table(outcome: Outcome) -> list[str]:
    """A line for each case, a column for each metric; in bold what misses its goal."""
    metrics = list(dict.fromkeys(row["metric"] for row in outcome.rows))
    cases: dict[str, dict[str, dict[str, Any]]] = {}
    for row in outcome.rows:
        cases.setdefault(row["case"], {})[row["metric"]] = row
    lines = [f"| | {' | '.join(f'`{one}`' for one in metrics)} |", f"|---|{'---|' * len(metrics)}"]
    for case, found in cases.items():
        lines.append(f"| {case} | {' | '.join(_cell(found.get(one)) for one in metrics)} |")
    return lines


def main() -> None:
    text = README.read_text(encoding="utf-8")
    for outcome in lab.run("pipes.all", None, {"kept": True}):
        text = replaced(text, outcome.lab.removeprefix("pipes."), table(outcome))
        README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
