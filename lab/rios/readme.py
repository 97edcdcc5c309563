"""Writes the figures of README.md anew: between its marks, from what the labs measure now.

PYTHONPATH=tools .venv/bin/python lab/rios/readme.py
"""

from __future__ import annotations

from pathlib import Path

from takt import lab
from takt.lab import Outcome

README = Path(__file__).parent / "README.md"
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


def put(text: str, name: str, content: str) -> str:
    """Between <!-- name --> and <!-- /name -->."""
    before, _, rest = text.partition(f"<!-- {name} -->\n")
    _, _, after = rest.partition(f"<!-- /{name} -->")
    return f"{before}<!-- {name} -->\n{content}\n<!-- /{name} -->{after}"


def main() -> None:
    text = README.read_text(encoding="utf-8")
    for outcome in lab.run("rios.all", None, {"account": True}):
        name = outcome.lab.removeprefix("rios.")
        text = put(text, name, table(outcome))
        if name == "fig8":
            text = put(text, "account", account(outcome))
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
