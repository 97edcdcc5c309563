"""The host's CPUs that we may use."""

from __future__ import annotations

import os
import shutil


def places() -> list[list[str]]:
    """What a command begins with to stay on one of them, for each; empty words where nothing here
    can say so."""
    if not shutil.which("taskset"):
        return [[]]
    return [["taskset", "-c", str(cpu)] for cpu in sorted(os.sched_getaffinity(0))]
