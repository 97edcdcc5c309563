"""Writes the figures of README.md anew: between its marks, from what the labs measure now.

PYTHONPATH=tools .venv/bin/python lab/elli/readme.py
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from takt import lab
from takt.lab import Outcome
from takt.marked import replaced

README = Path(__file__).parent / "README.md"
WS1 = "-ws1"
STRETCH = re.compile(r"^ {2} *(\d+)  (\S+)$")
STEP = re.compile(r"^ {8} *(\d+)  (.+)$")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _rows(outcome: Outcome) -> Iterable[list[str]]:
    """metric, case, figure, with one wait state, thesis, goal, met"""
    values = {(r["case"], r["metric"]): r for r in outcome.rows}
    for (case, metric), row in values.items():
        if WS1 in case or metric.endswith("_us"):
            continue
        if _as_max(values, case, metric):
            continue
        slow = values.get((case + WS1, metric))
        us = values.get((case, metric.replace("_cycles", "_us")))
        figure = _number(row["value"])
        if us and us is not row:
            figure += f" ({us['value']:.2f} us)"
        met = "" if row["goal"] is None else "yes" if row["value"] <= row["goal"] else "no"
        yield [
            *(f"`{metric}`", case, figure, _number(slow["value"]) if slow else ""),
            *(_number(row["paper"]), _number(row["goal"]), met),
        ]


def _as_max(values: dict[tuple[str, str], Any], case: str, metric: str) -> bool:
    """A min or avg that says the same as the max."""
    longest = case.replace("min", "max").replace("avg", "max")
    same = [
        (a := values.get((case + slow, metric)))
        and (b := values.get((longest + slow, metric)))
        and a["value"] == b["value"]
        for slow in ("", WS1)
    ]
    return case != longest and all(same)


HEAD = ["metric", "case", "Takt", "one wait state", "thesis", "goal", "met"]


def table(outcome: Outcome) -> list[str]:
    rows = [HEAD, ["---"] * len(HEAD), *_rows(outcome)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    told = {k: v for k, v in outcome.config.items() if not k.startswith("longest")}
    about = "; ".join(f"{key}: {value}" for key, value in told.items())
    return [
        f"### elli.{outcome.lab.partition('.')[2]}",
        "",
        *lines,
        "",
        f"On {outcome.board}. {about}.",
    ]


def squeezed(account: list[str]) -> list[str]:
    """An account with a line for each stretch within a function: its cycles, and instructions as
    mnemonic and cycles."""
    result: list[str] = []
    for line in account:
        stretch, step = STRETCH.match(line), STEP.match(line)
        if stretch:
            result.append(f"{stretch[1]:>5}  {stretch[2]}:")
        elif step:
            text = step[2]
            name = text.split()[0] if "exception" not in text else text
            result[-1] += f" {name} {step[1]}"
        else:
            result.append(line)
    return result


def accounts(outcome: Outcome) -> list[str]:
    """Of zero wait states, which the goals are for."""
    kept: list[str] = []
    keeps = True
    for line in outcome.account:
        if line and not line.startswith(" "):
            keeps = WS1 not in line
        if keeps:
            kept.append(line)
    if not any(kept):
        return []
    return ["```", *[line for line in squeezed(kept) if line], "```", ""]


def missed(outcome: Outcome) -> list[str]:
    """A line for each row that says no."""
    told = (dict(zip(HEAD, row, strict=True)) for row in _rows(outcome))
    return [
        f"- {row['metric']} {row['case']}: {row['Takt'].partition(' ')[0]} of {row['goal']}"
        for row in told
        if row["met"] == "no"
    ]


def measured() -> list[Outcome]:
    return lab.run("elli.all", None, {"account": True})


def written(text: str, outcomes: list[Outcome]) -> str:
    """The text with the figures of all labs."""
    tables: list[str] = []
    for outcome in outcomes:
        name = outcome.lab.partition(".")[2]
        tables += [*table(outcome), ""]
        if f"<!-- {name} -->" in text:
            text = replaced(text, name, accounts(outcome)[:-1])
    text = replaced(text, "missed", [line for outcome in outcomes for line in missed(outcome)])
    return replaced(text, "results", tables[:-1]).rstrip("\n") + "\n"


if __name__ == "__main__":
    README.write_text(written(README.read_text(), measured()))
