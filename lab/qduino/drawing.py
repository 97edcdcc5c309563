"""What the pictures of this lab have in common."""

from __future__ import annotations

from functools import partial

from takt.cli.labs import drawing as lab_drawing
from takt.cli.labs.drawing import (
    BASELINE,
    GOAL,
    OTHER,
    PAPER,
    SHADES,
    TAKT,
    bars,
    cases,
    colour,
    heading,
    key,
    label,
    value,
)  # fmt: skip

__all__ = [
    "BASELINE", "GOAL", "OTHER", "PAPER", "SHADES", "TAKT", "bars", "cases", "colour", "heading",
    "key", "label", "sheet", "value",
]  # fmt: skip
SOURCE = "Qduino: Cheng, Li, West, RTAS 2015. All values in virtual time, the same in every run."
sheet = partial(lab_drawing.sheet, SOURCE)
