"""Writes the figures of README.md anew: between its marks, from what the labs measure now.

PYTHONPATH=tools .venv/bin/python lab/ant/readme.py
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from takt import boards, lab
from takt.lab import Outcome
from takt.marked import replaced

lab.available()
from takt_lab_ant import kernel  # noqa: E402
from takt_lab_ant import lab as measured  # noqa: E402

README = Path(__file__).parent / "README.md"
CASE = re.compile(
    r"^(?:(?P<who>.+?)-)?(?P<what>N=\d+|lcm|primes|random|max|avg|min)(?P<on>-\w+(?:-ws1)?)?$"
)


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


def by_metric(outcome: Outcome) -> list[str]:
    """For each machine: a line for each metric, a column for each N."""
    cells: dict[str, dict[str, dict[str, Any]]] = {}
    for row in outcome.rows:
        _, what, where = _split(row["case"])
        cells.setdefault(where, {}).setdefault(row["metric"], {})[what] = row
    lines: list[str] = []
    for where, metrics in cells.items():
        columns = list(next(iter(metrics.values())))
        lines += [f"{where}:", "", f"| | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
        for metric, row in metrics.items():
            lines.append(f"| `{metric}` | {' | '.join(_cell(row.get(c)) for c in columns)} |")
        lines.append("")
    return lines


def account(counts: tuple[int, ...] = (1, 12)) -> list[str]:
    """Where the kernel's cycles go."""
    board = boards.load(measured.BOARD)
    found = {n: dict(kernel.account(kernel.measure(board, n))) for n in counts}
    heads = [f"N={n}: {phase}" for n in counts for phase in kernel.PHASES]
    lines = [f"| | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for name in list(dict.fromkeys(name for own in found.values() for name in own)):
        cells = [c for own in found.values() for c in own.get(name, [0] * len(kernel.PHASES))]
        label = name if name in ("all", kernel.ENTRY) else f"`{name}`"
        lines.append(f"| {label} | {' | '.join(str(c or '') for c in cells)} |")
    return lines


def section(outcome: Outcome) -> list[str]:
    shown = {k: v for k, v in outcome.config.items() if not k.endswith(" at")}
    own = by_metric if outcome.lab == "ant.kernel" else tables
    about = "; ".join(f"{key}: {value}" for key, value in shown.items())
    return [f"### {outcome.lab}", "", *own(outcome), f"{about}.", ""]


def why(outcome: Outcome, missed_row: dict[str, Any]) -> str:
    """Beside a miss in cycles: instructions and mispredicted branches, ours and the best one's."""
    who, what, where = _split(missed_row["case"])
    of = [(_split(row["case"]), row) for row in outcome.rows]
    beside = [(c[0], row["value"]) for c, row in of if row["metric"] == missed_row["metric"]
              and c[1:] == (what, where)]  # fmt: skip
    best = min((one for one in beside if one[0] != who), key=lambda one: one[1])[0]
    told = []
    for one in (who, best):
        own = {row["metric"]: row["value"] for c, row in of if c == (one, what, where)}
        counts = [
            f"{value:g} {'instructions' if 'instructions' in metric else 'mispredicted'}"
            for metric, value in own.items()
            if ("instructions" in metric or "mispredicted" in metric)
            and metric != missed_row["metric"]
        ]
        told.append(f"{one} {own[missed_row['metric']]:g}" + "".join(f", {c}" for c in counts))
    return "; ".join(told)


def missed(outcome: Outcome) -> list[str]:
    return [
        f"- {outcome.lab}, {row['metric']} {row['case']}: {row['value']:g} of {row['goal']:g} "
        f"({why(outcome, row)})"
        for row in outcome.rows
        if row["goal"] is not None and row["value"] > row["goal"]
    ]


if __name__ == "__main__":
    outcomes = lab.run("ant.all", None, {})
    text = README.read_text()
    misses = [line for outcome in outcomes for line in missed(outcome)]
    text = replaced(text, "missed", misses or ["None."])
    text = replaced(text, "account", account())
    every = [line for outcome in outcomes for line in section(outcome)]
    README.write_text(replaced(text, "results", every[:-1]))
