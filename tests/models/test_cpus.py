"""Several CPUs, in all interleavings, by Spin: lock, wake-ups, sleep, cross-calls, mutexes; and
each of their precautions is needed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_switch import VIOLATED, verify

ALONE = "holders==1"
ALL_HAPPENED = "sections==2"
TURN_RUNS = "taker"
ALL_ENDED = "gone==3"
BROKEN = {
    "NO_TICKETS": ALONE,
    "NO_KICK": ALL_HAPPENED,
    "IDLE_KEEPS_LOCK": ALL_HAPPENED,
    "IDLE_OPEN": ALL_HAPPENED,  # a kick between the last look and sleep
    "NO_RECHECK": ALL_HAPPENED,  # what has come while the next thread was prepared
    "WAIT_WITH_INTERRUPTS_OFF": ALL_HAPPENED,  # two CPUs wait for each other's cross-call
    "SIGNAL_UNLOCKED": ALL_ENDED,  # a unit is lost, or a wake-up
    "GRAB_UNLOCKED": ALL_ENDED,  # a thread that is woken meanwhile is forgotten
    "STOP_UNLOCKED": ALL_ENDED,  # who is woken is taken for ready
    "TURN_PREEMPTED": TURN_RUNS,  # others wait for whoever is more urgent there
}
ENDS = ("-E",)  # it says itself what must have happened when nothing moves any more


def test_nothing_is_lost_and_nobody_waits_for_ever(tmp_path: Path) -> None:
    errors, said = verify(tmp_path, "cpus", options=ENDS)
    assert errors == 0, said
    assert "max search depth too small" not in said
    stored = re.search(r"(\d+) states, stored", said)
    assert stored and int(stored[1]) > 1_000_000


@pytest.mark.parametrize("left_out", BROKEN)
def test_without_any_of_it_there_is_a_trail(left_out: str, tmp_path: Path) -> None:
    errors, said = verify(tmp_path, "cpus", left_out, options=ENDS)
    assert errors == 1
    found = VIOLATED.search(said)
    assert found and BROKEN[left_out] in found[1], said
