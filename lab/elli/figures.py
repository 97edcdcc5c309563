"""Rows of results, with what the thesis reports and what we want beside them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import Any

from takt.cli.labs.lab import row

MHZ = 48  # at which cycles are told in us

Row = dict[str, Any]


def cycles(
    case: str,
    metric: str,
    value: float,
    paper_us: float | None = None,
    goal: float | None = None,
) -> list[Row]:
    """A number of cycles (metric: ..._cycles), of which goals are, and the same in us."""
    paper = None if paper_us is None else round(paper_us * MHZ)
    in_us = metric.removesuffix("_cycles") + "_us"
    return [
        row(case, metric, round(value, 2), "cycles", paper, goal),
        row(case, in_us, round(value / MHZ, 3), "us", paper_us),
    ]


def spread(
    metric: str,
    values: Sequence[float],
    suffix: str = "",
    paper_us: float | None = None,
    goal: float | None = None,
) -> list[Row]:
    """min, avg and max."""
    found = (("min", min(values)), ("avg", mean(values)), ("max", max(values)))
    return [
        r for case, value in found for r in cycles(case + suffix, metric, value, paper_us, goal)
    ]
