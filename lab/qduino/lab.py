"""The evaluation of Qduino (Cheng, Li and West, RTAS 2015), section III, on Takt."""

from __future__ import annotations

from . import fig5, fig6, fig7, fig8, fig9, fig10, fig11, fig12, table8

LABS = {
    "qduino.fig5": fig5.measure,
    "qduino.fig6": fig6.measure,
    "qduino.fig7": fig7.measure,
    "qduino.fig8": fig8.measure,
    "qduino.fig9": fig9.measure,
    "qduino.fig10": fig10.measure,
    "qduino.fig11": fig11.measure,
    "qduino.fig12": fig12.measure,
    "qduino.table8": table8.measure,
}
PLOTS = {}
