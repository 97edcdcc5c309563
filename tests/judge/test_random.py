"""Random programs with the largest budgets that admission grants, judged by their pins: no loop
falls short, nothing is late, no job is ended that had not had its budget."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from verdict import verdict

ORDINARY = {"pico": 20, "stm32f051": 10, "uno": 10}
LONG = {"pico": 1000, "stm32f051": 500, "uno": 500}
# These also in the ordinary run: they have shown what the others did not.
TOLD = {("pico", 20), ("pico", 125), ("pico", 229), ("pico", 772)}
SEEDS = [
    pytest.param(
        board,
        seed,
        marks=() if seed < ORDINARY[board] or (board, seed) in TOLD else pytest.mark.long,
    )
    for board, count in LONG.items()
    for seed in range(count)
]


@pytest.mark.parametrize(("board", "seed"), SEEDS)
def test_a_random_program_keeps_what_was_promised(board: str, seed: int) -> None:
    with TemporaryDirectory() as folder:
        found = verdict(seed, board, Path(folder))
    if found.short:
        pytest.fail(str(found), pytrace=False)
