"""Of random one-line mutants nearly all are noticed by the quick tests of the files they are of.

To look at some: .venv/bin/python tests/property/test_mutation.py NAME COUNT SEED [FILE]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

if __name__ == "__main__":
    tests = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(tests), str(tests.parent / "tools")]

import pytest
from mutation import REPO, Bench, Mutant, Tests, run

LEAST = 0.95  # of mutants


@dataclass(frozen=True)
class Subject:
    folder: str
    tests: Tests


KERNEL = ("vcpu", "io", "mutex", "time", "periodic", "tpipe", "trace", "fatal")
SUBJECTS = {
    "admission": Subject(
        "admission",
        Tests(
            "takt_admit_alone",
            ("admit_test", "delivery_test", "partition_test"),
            (
                *(
                    f"tests/unit/admit/test_{name}.py"
                    for name in ("delivery", "spread", "verdicts")
                ),
                *(
                    f"tests/property/test_{name}.py"
                    for name in ("partition", "pipes", "endpoints", "admission")
                ),
            ),
        ),
    ),
    "budget": Subject(
        "kernel/budget",
        Tests(
            "takt_kernel_sim",
            tuple(f"kernel_{name}_test" for name in KERNEL),
            tuple(
                f"tests/property/test_{name}.py"
                for name in (
                    *("server", "schedule", "guarantees", "io_schedule", "io_guarantees"),
                    "sync",
                )
            ),
            ("30", "100"),
            (
                "tests/system/kernel/test_masked.py",
                "tests/system/costs/test_accounts.py",
                "tests/system/costs/test_held_up.py",
                "tests/system/avr/test_costs.py",
                "tests/system/avr/test_own_handlers.py",
                "tests/judge/test_preemption.py",
                "tests/system/delivered",
                "tests/judge/test_found.py",
            ),
        ),
    ),
    "sync": Subject(
        "kernel/sync", Tests("takt_kernel_sim", (), ("tests/property/test_sync.py",), ("100",))
    ),
}
# No test can tell any of these: the line, what stands there instead, and why.
EQUIVALENT = {
    ("struct item best = {0, 1, TAKT_NO_CPU, NULL};", new): "replaced before it is looked at"
    for new in ("{0, 0, T", "{0, 2, T", "{1, 1, T")
} | {
    ("in_us(end->attrs->hold_ns), 0, 0, 0}", "ns), 1, 0, 0}"): "not used where nothing is noted",
    ("*item_at(p, order[i]).cpu = 0;", "cpu = 1;"): "any CPU will do until all are sorted",
    ("return TAKT_HAS_IO && (set & takt_cpu.bottoms)", "TAKT_HAS_IO ||"): "the same, found later",
    ("    check(v);", ";"): "a check of what never is",
    ("    TAKT_ASSERT(takt_server_sound(v));", ";"): "the same",
    ("rank_of(io) < before", "rank_of(io) <= before"): "looks once more, in vain",
    ("if (used < amount)", "used <= amount"): "a round of exactly that, piece by piece",
    ("takt_cpu.aged < TAKT_PERIOD_MAX", "<= TAKT"): "as good a microsecond later",
    ("        takt_server_give(v);", ";"): "what is not usable yet is given when it is",
    ("#define STAYS (TAKT_NOBODY - 1u)", "- 2u"): "no place either",
    ("#define ANEW ((uint32_t)1 << 16)", "<< 17)"): "no place's bits either",
}


def is_equivalent(mutant: Mutant) -> bool:
    return any(old in mutant.old and new in mutant.new for old, new in EQUIVALENT)


def judged(
    name: str, count: int, seed: int, folder: Path, only: str = ""
) -> Iterator[tuple[Mutant, str | None]]:
    """So many mutants, each with what has killed it."""
    subject = SUBJECTS[name]
    files = sorted(str(one.relative_to(REPO)) for one in REPO.glob(f"{subject.folder}/{only}*.c"))
    return islice(run(files, Bench(subject.tests, folder), seed, is_equivalent), count)


@pytest.mark.long
@pytest.mark.parametrize("name", ("admission",))
def test_random_mutants_are_killed(name: str, tmp_path: Path) -> None:
    count, seed = 120, int(os.environ.get("TAKT_SEED", "0"))
    survivors = [mutant for mutant, by in judged(name, count, seed, tmp_path) if by is None]
    assert len(survivors) <= (1 - LEAST) * count, "\n".join(map(str, survivors))


if __name__ == "__main__":
    name, count, seed, *only = sys.argv[1:]
    with TemporaryDirectory() as scratch:
        for mutant, by in judged(name, int(count), int(seed), Path(scratch), *only):
            print(by or "SURVIVES", mutant, sep="  ", flush=True)
