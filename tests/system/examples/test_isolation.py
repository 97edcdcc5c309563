"""Temporal isolation seen from outside: how far a loop's own work gets in each period.

Independent of the trace: the machine is stopped at the borders of the periods and the counters
of the loops are read from its memory (Qduino, Figure 8).
"""

from __future__ import annotations

import itertools

import pytest
from conftest import more_us, takt
from takt.machine.machine import Machine

SOURCE = """
volatile unsigned long work1, work2, work3;
void setup() {}
void loop(1, %d, 100) { work1 = work1 + 1; }
void loop(2, 3, 100) { work2 = work2 + 1; }
void loop(3, 3, 100) { work3 = work3 + 1; }
"""
PERIOD = 12_500_000  # cycles


def progress(elf, counters, periods):
    machine = Machine("rp2040")
    machine.load_elf(elf)
    machine.run(PERIOD // 2)
    addresses = [machine.symbol(name) for name in counters]
    rows = []
    for _ in range(periods + 1):
        machine.run(machine.now + PERIOD)
        rows.append([machine.word(address) for address in addresses])
    return [[b - a for a, b in zip(p, q, strict=True)] for p, q in itertools.pairwise(rows)]


@pytest.mark.parametrize("budget", [50, 70, 90])
def test_same_progress_in_every_period(sketch, tmp_path, budget):
    folder = sketch(SOURCE % budget)
    done = takt("build", folder, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    rows = progress(tmp_path / "out" / "probe.elf", ["work1", "work2", "work3"], 20)
    for counts, share in zip(zip(*rows, strict=True), (budget, 3, 3), strict=True):
        first, later = counts[0], counts[1:]
        mean = sum(later) / len(later)
        assert mean > 1000
        # 0.1 % of the loop's; of the others, which have 3 ms, ends of budgets are 2 us apart each.
        assert (max(later) - min(later)) / mean <= (0.001 if share == budget else 4 / 3000), counts
        # At first nobody has been preempted yet.
        assert abs(first - mean) <= mean * more_us() / (share * 1000), counts
