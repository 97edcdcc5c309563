"""Arduino's functions and sketches on Takt, beside Arduino's own core on the same machine."""

from __future__ import annotations

from takt.cli.labs.lab import by_case

from . import cycles, sizes

BOARD = "uno"
BOARDS = ("uno",)
LABS = {"arduino.calls": cycles.measure, "arduino.sizes": sizes.measure}
TABLES = {"arduino.calls": by_case, "arduino.sizes": by_case}
