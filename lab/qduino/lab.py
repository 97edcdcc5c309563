"""The evaluation of Qduino (Cheng, Li and West, RTAS 2015), section III, on Takt."""

from __future__ import annotations

from takt.cli.labs.lab import by_case

from . import fig5, fig6, fig7, fig8, fig9, fig10, fig11, fig12, table8

MODULES = (fig5, fig6, fig7, fig8, fig9, fig10, fig11, fig12, table8)
NAMED = {f"qduino.{one.__name__.rpartition('.')[2]}": one for one in MODULES}
LABS = {name: one.measure for name, one in NAMED.items()}
PLOTS = {name: one.draw for name, one in NAMED.items()}
LONG = ("fig5", "fig9", "fig11", "fig12")
TABLES = {f"qduino.{name}": by_case for name in LONG}
AT_LEAST = {"interval_min_ms"}
# Those whose cases are for some boards only.
BOARDS = {name: one.BOARDS for name, one in NAMED.items() if hasattr(one, "BOARDS")}
