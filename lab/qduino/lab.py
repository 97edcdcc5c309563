"""The evaluation of Qduino (Cheng, Li and West, RTAS 2015), section III, on Takt."""

from __future__ import annotations

from . import fig5, fig6, fig7, fig8, fig9, fig10, fig11, fig12, table8

MODULES = (fig5, fig6, fig7, fig8, fig9, fig10, fig11, fig12, table8)
LABS = {f"qduino.{one.__name__.rpartition('.')[2]}": one.measure for one in MODULES}
PLOTS = {f"qduino.{one.__name__.rpartition('.')[2]}": one.draw for one in MODULES}
