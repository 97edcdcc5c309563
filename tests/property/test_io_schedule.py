"""The kernel against the oracle with bottom halves: random programs must run alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from compare import difference, run_program
from io_programs import random_io_program
from programs import tidy


@pytest.mark.cases(40000)
def test_random_programs(seeds: Iterator[int]) -> None:
    """1 to 3 I/O VCPUs of any share, storms, shares changed, off and on, beside all the rest."""
    for seed in seeds:
        found = difference(random_io_program(random.Random(seed)))
        assert found is None, f"seed {seed}: {found}"


@pytest.mark.cases(400)
def test_the_clock_makes_no_difference(seeds: Iterator[int]) -> None:
    """The same program from clock 0 and from any other reading, across the wrap or not."""
    for seed in seeds:
        program = random_io_program(random.Random(seed))
        plain = run_program(replace(program, clock=0))
        expected = tidy(plain.segments, program.until)
        for clock in (1 << 31, (1 << 32) - 1, (1 << 32) - program.until // 2):
            run = run_program(replace(program, clock=clock))
            assert tidy(run.segments, program.until) == expected, f"seed {seed}, clock {clock}"
            assert run.deliveries == plain.deliveries, f"seed {seed}, clock {clock}"
