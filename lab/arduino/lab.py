"""Arduino's functions and sketches on Takt, beside Arduino's own core on the same machine."""

from __future__ import annotations

from takt.cli.labs.lab import by_case

from . import cycles, examples, sizes

BOARD = "uno"
BOARDS = ("uno",)
LABS = {"arduino.calls": cycles.measure, "arduino.sizes": sizes.measure,
        "arduino.libraries": examples.measure}  # fmt: skip
OF_FOLDER = ("arduino.libraries",)
AT_LEAST = ("pico share", "uno share", "run")
TABLES = dict.fromkeys(LABS, by_case)
