"""Writes the figures of README.md anew: between its marks, from what the labs measure now.

PYTHONPATH=tools .venv/bin/python lab/rios/readme.py
"""

from __future__ import annotations

from pathlib import Path

from takt import lab
from takt.lab import Outcome
from takt.marked import replaced
from takt.paths import ROOT

lab.available()
from takt_lab_rios.programs import SCHEDULER, code_lines  # noqa: E402

README = Path(__file__).parent / "README.md"
OF = {
    "lab/rios/fig8/fig8.c": "the program; the choice of tick, counts and mode for the cases here",
    "kernel/task.h": "the pass; places that ports and the trace may choose; the pass one at a time",
    "port/avr/task.c": "interrupts, the start",
    "port/avr/task_passes.h": "passes one after the other, or one on top of a task",
    "port/avr/task_timer.h": "the timer's registers, sleeping",
}
HEAD = ["case", "metric", "value", "paper", "goal", "met"]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _met(row: dict) -> str:
    return "" if row["goal"] is None else "yes" if row["value"] <= row["goal"] else "no"


def table(outcome: Outcome) -> str:
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    for row in outcome.rows:
        cells = [
            row["case"],
            f"`{row['metric']}`",
            f"{_number(row['value'])} {row['unit']}".strip(),
        ]
        cells += [_number(row["paper"]), _number(row["goal"]), _met(row)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def account(outcome: Outcome) -> str:
    """Where the cycles of the cases with goals go."""
    kept, taking = [], False
    for line in outcome.account:
        if not line.startswith(" "):
            taking = line.startswith("takt-task")
        if taking:
            kept.append(line)
    return "```\n" + "\n".join(kept) + "\n```"


def lines() -> list[str]:
    """The lines of code of takt-task, by file."""
    files = {path: code_lines([ROOT / path]) for path in ("lab/rios/fig8/fig8.c", *SCHEDULER)}
    rows = [f"| `{path}` | {OF[path]} | {count} |" for path, count in files.items()]
    return ["| file | what it is | lines |", "|---|---|---|", *rows,
            f"| | together | {sum(files.values())} |"]  # fmt: skip


def main() -> None:
    text = README.read_text(encoding="utf-8")
    for outcome in lab.run("rios.all", None, {"account": True}):
        name = outcome.lab.removeprefix("rios.")
        text = replaced(text, name, table(outcome).splitlines())
        if name == "fig8":
            text = replaced(text, "lines", lines())
            text = replaced(text, "account", account(outcome).splitlines())
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
