"""A program on several CPUs: the verdict is that of each CPU, by who runs there."""

from __future__ import annotations

import pytest
from takt.admit import admission
from takt.admit.admit_library import IoVcpu, Loop
from takt.admit.spread import spread

COSTS = {"switch": 1000, "alarm": 500, "critical": 2000, "margin": 2000}


def loop(name: str, budget_ms: int, period_ms: int) -> Loop:
    return Loop(name, budget_ms * 1000, period_ms * 1000, 0, 0, 8)


HEAVY = [loop("a", 60, 100), loop("b", 60, 110), loop("c", 30, 120)]


def test_what_no_cpu_alone_could_do() -> None:
    alone = admission.check(HEAVY, (), COSTS)
    assert not alone.admitted
    two = spread(alone, 2, {}, COSTS["critical"])
    assert two.admitted and two.cpus == 2
    assert two.cpu_of == {"a": 0, "b": 1, "c": 0}
    assert "CPU 1: 0.545  b" in two.explain()
    assert two.as_dict()["cpu_of"] == two.cpu_of


def test_a_cpu_promises_what_it_would_alone_but_for_the_locks() -> None:
    """The other CPUs are seen by waits for their sections and nothing else."""
    both = spread(admission.check(HEAVY, (), COSTS), 2, {}, 0)
    by_cpu = (("a", "c"), ("b",))
    for names in by_cpu:
        own = [one for one in HEAVY if one.name in names]
        alone = admission.check(own, (), {**COSTS, "critical": 2 * COSTS["critical"]})
        assert {n: both.bound_us(n) for n in names} == {n: alone.bound_us(n) for n in names}
    waiting = spread(admission.check(HEAVY, (), COSTS), 2, {}, COSTS["critical"])
    assert all((waiting.bound_us(n) or 0) > (both.bound_us(n) or 0) for n in "abc")


def test_whom_there_is_no_room_for() -> None:
    loops = [*HEAVY, loop("d", 50, 130)]
    refused = spread(admission.check(loops, (), COSTS), 2, {}, COSTS["critical"])
    assert not refused.admitted
    (refusal,) = refused.refusals
    assert refusal.loop == "d" or "fits on none of 2 CPUs" in refusal.text
    assert "CPU 0 " in refusal.text and "a smaller budget" in refusal.text
    assert spread(admission.check(loops, (), COSTS), 3, {}, COSTS["critical"]).admitted


def test_bound_threads_stay_where_they_are_bound() -> None:
    ios = (IoVcpu("usb", 1, 20, 0, 10),)
    light = [loop("a", 10, 100), loop("b", 10, 100)]
    verdict = admission.check(light, (), COSTS, ios)
    placed = spread(verdict, 4, {"a": 3, "usb": 6}, COSTS["critical"])
    assert placed.cpu_of["a"] == 3 and placed.cpu_of["usb"] == 2  # modulo the CPUs there are
    crowded = spread(admission.check(HEAVY, (), COSTS), 2, {"a": 0, "b": 0}, 0)
    assert not crowded.admitted
    assert "which it is bound to" in crowded.refusals[0].text


@pytest.mark.parametrize("cpus", (2, 5, 8))
def test_nobody_is_lost(cpus: int) -> None:
    loops = [loop(f"l{n}", 3 + n, 20 + 7 * n) for n in range(9)]
    placed = spread(admission.check(loops, (), COSTS), cpus, {}, COSTS["critical"])
    assert placed.admitted
    assert set(placed.cpu_of) == {one.name for one in loops}
    assert all(cpu is not None and 0 <= cpu < cpus for cpu in placed.cpu_of.values())
