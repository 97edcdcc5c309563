"""Imports of this folder, and how many random cases to run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
for folder in (HERE, HERE.parents[1] / "tools"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

BATCHES = 10  # the first is in the ordinary run

# The same examples in every run but the long one.
settings.register_profile("takt", derandomize=not os.environ.get("TAKT_LONG"))
settings.load_profile("takt")


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> Iterator[int]:
    """Seeds of one batch: the mark `cases(n)` gives the number in all batches together.

    TAKT_CASES scales it in per cent, TAKT_LONG by 75; TAKT_SEED moves all seeds. Random schedules
    with bottom halves, by file: io_schedule 5480, io_guarantees 5400, delivery 3000; altogether
    13 880, and 1 041 000 in the long run.
    """
    (count,) = request.node.get_closest_marker("cases").args
    scale = int(os.environ.get("TAKT_CASES", "100"))
    scale *= 75 if os.environ.get("TAKT_LONG") else 1
    share = max(1, count * scale // 100 // BATCHES)
    first = int(os.environ.get("TAKT_SEED", "0")) + request.param * share
    return iter(range(first, first + share))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cases(n): random cases in all batches together")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seeds" in metafunc.fixturenames:
        metafunc.parametrize("seeds", range(BATCHES), indirect=True)
