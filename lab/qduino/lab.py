"""The evaluation of Qduino (Cheng, Li and West, RTAS 2015), section III, on Takt."""

from __future__ import annotations

from . import fig8

LABS = {
    "qduino.fig8": fig8.measure,
}
PLOTS = {}
