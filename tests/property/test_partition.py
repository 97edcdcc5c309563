"""admission/partition.c: what it finds is schedulable, and first-fit decreasing where that finds a
place for all; else it searches, and misses nothing of a few loops."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
from takt.admit.admit_library import Costs, IoVcpu, Loop
from takt.admit.partition import Partition, partition

Item = tuple[int, int]  # a loop's C and T, or an I/O VCPU's U


def fits(loops: list[Item], ios: list[Item], margin: int) -> bool:
    """The exact test in ten-thousandths of microseconds, no code of the kernel's. U: hundredths."""
    unit = 100 * 100
    for place, (own, deadline) in enumerate(loops):
        window = 1
        while True:
            demand = (own + margin) * unit
            for c, t in loops[:place]:
                demand += -(-window // (t * unit)) * (c + margin) * unit
            for n, _ in ios:
                demand += min(window, -(-(n * window) // 100) + n * (100 - n) * deadline)
            if demand > deadline * unit:
                return False
            if demand <= window:
                break
            window = demand
    return True


def share(loops: list[Item], ios: list[Item], where: tuple[int | None, ...], cpu: int) -> bool:
    mine = [item for item, on in zip(loops + ios, where, strict=True) if on == cpu]
    count = sum(on == cpu for on in where[: len(loops)])
    return (mine[:count], mine[count:])  # type: ignore[return-value]


def first_fit(loops: list[Item], ios: list[Item], cpus: int, pins: list[int | None], margin: int):
    """Where each comes, and who comes nowhere: by the words of include/takt/partition.h."""
    items = loops + ios
    where: list[int | None] = [None] * len(items)
    order = sorted(range(len(items)), key=lambda i: (pins[i] is None, -Fraction(*items[i]), i))
    for index in order:
        for cpu in range(cpus) if pins[index] is None else [pins[index]]:
            where[index] = cpu
            if fits(*share(loops, ios, tuple(where), cpu), margin):
                break
        else:
            where[index] = None
            return tuple(where), index
    return tuple(where), None


def exhaustive(
    loops: list[Item], ios: list[Item], cpus: int, margin: int, pins: list[int | None]
) -> bool:
    """Is there any partition at all?"""
    choices = [range(cpus) if pin is None else [pin] for pin in pins]
    return any(
        all(fits(*share(loops, ios, where, cpu), margin) for cpu in range(cpus))
        for where in itertools.product(*choices)
    )


def random_program(rng: random.Random, cpus: int) -> tuple[list[Item], list[Item]]:
    """Rate monotonic; loads near what the CPUs can bear."""
    count = rng.randint(3, 7 if cpus == 2 else 6)
    periods = sorted(
        rng.choice((rng.randint(10, 400), 20 * rng.randint(1, 8))) for _ in range(count)
    )
    shares = [rng.random() + 0.05 for _ in periods]
    scale = cpus * rng.uniform(0.8, 1.0) / sum(shares)
    loops = [
        (min(t, max(1, round(t * s * scale))), t) for t, s in zip(periods, shares, strict=True)
    ]
    ios = [(rng.randint(1, 6), 100) for _ in range(rng.choice((0, 0, 1, 2)))]
    return loops, ios


def native(
    loops: list[Item],
    ios: list[Item],
    cpus: int,
    pins: list[int | None],
    margin: int,
    lock_us: int = 0,
) -> Partition:
    return partition(
        [Loop(f"loop {i}", c, t, fragments=1 if lock_us else 0) for i, (c, t) in enumerate(loops)],
        cpus,
        [IoVcpu(f"io {i}", n, d) for i, (n, d) in enumerate(ios)],
        costs=Costs(0, 0, margin),
        pins=pins,
        lock_ns=1000 * lock_us,
    )


@pytest.mark.cases(600)
def test_it_is_first_fit_decreasing_and_each_cpu_passes(seeds: Iterator[int]) -> None:
    refused = 0
    for seed in seeds:
        rng = random.Random(seed)
        cpus, margin = rng.randint(1, 4), rng.choice((0, 1))
        loops, ios = random_program(rng, cpus)
        pins = [rng.choice((None, None, None, rng.randrange(cpus))) for _ in loops + ios]
        found = native(loops, ios, cpus, pins, margin)
        where, who = first_fit(loops, ios, cpus, pins, margin)
        if who is None or found.refused is not None:
            assert (found.loops + found.ios, found.refused) == (where, who), seed
        else:  # found by the search
            where = found.loops + found.ios
            assert None not in where, seed
            pinned = zip(where, pins, strict=True)
            assert all(pin in (None, cpu) for cpu, pin in pinned), seed
        for cpu in range(cpus):
            assert fits(*share(loops, ios, where, cpu), margin), seed
        refused += found.refused is not None
    assert refused > 0


@pytest.mark.cases(2000)
def test_of_a_few_loops_it_finds_every_partition_there_is(seeds: Iterator[int]) -> None:
    """Against every partition there is; first-fit alone misses some."""
    possible = 0
    for seed in seeds:
        rng = random.Random(seed)
        cpus = rng.choice((2, 3))
        loops, ios = random_program(rng, cpus)
        pins = [rng.choice((None, None, None, rng.randrange(cpus))) for _ in loops + ios]
        pins = rng.choice((pins, [None] * len(pins)))
        found = native(loops, ios, cpus, pins, 0).refused is None
        assert found == exhaustive(loops, ios, cpus, 0, pins), seed
        possible += found
    assert possible > 0


@pytest.mark.cases(600)
def test_more_cpus_admit_what_fewer_do(seeds: Iterator[int]) -> None:
    """Though each waits for the kernel's lock, for all others that are used."""
    for seed in seeds:
        rng = random.Random(seed)
        lock_us = rng.choice((0, 1, 3, 10))
        loops, ios = random_program(rng, rng.choice((1, 1, 2)))
        free: list[int | None] = [None] * len(loops + ios)
        before = False
        for cpus in range(1, 5):
            found = native(loops, ios, cpus, free, 0, lock_us)
            assert found.refused is None or not before, seed
            before = found.refused is None
            if before:
                assert all(at < found.used <= cpus for at in found.loops + found.ios), seed


def test_a_loop_that_has_no_time_to_wait_has_the_cpus_to_itself() -> None:
    for loops in ([(999, 1000)], [(500, 1000), (497, 1000)]):
        free: list[int | None] = [None] * len(loops)
        found = native(loops, [], 2, free, 0, 10)
        assert found.refused is None and found.used == (1 if len(loops) == 1 else 2)
    assert native([(999, 1000), (999, 1000)], [], 2, [None, None], 0, 10).refused == 0


@pytest.mark.parametrize("blocking, fits", [(25, True), (26, False)])
def test_a_section_may_wait_for_one_of_each_other_cpu(blocking: int, fits: bool) -> None:
    loops = [Loop("a", 50, 100, blocking), Loop("b", 60, 100)]
    assert (partition(loops, 2).refused is None) == fits


def test_what_first_fit_does_not_find() -> None:
    """4, 3, 3, 2, 2, 2 on two CPUs of 8: largest first leaves 1 and a loop of 2."""
    loops = [(c, 8) for c in (4, 3, 3, 2, 2, 2)]
    assert first_fit(loops, [], 2, [None] * 6, 0)[1] is not None
    found = native(loops, [], 2, [None] * 6, 0)
    assert found.refused is None
    assert sorted(sum(c for (c, _), at in zip(loops, found.loops, strict=True) if at == cpu)
                  for cpu in (0, 1)) == [8, 8]  # fmt: skip


def test_the_search_knows_what_is_bound_behind_an_empty_cpu() -> None:
    """3 bound to the second of two CPUs of 8, and 5, 4, 4: the 5 must join the 3."""
    found = native([(c, 8) for c in (3, 5, 4, 4)], [], 2, [1, None, None, None], 0)
    assert found.loops == (1, 1, 0, 0)


def test_where_the_search_gives_up_it_is_first_fit() -> None:
    """Two go to a CPU, and there are more ways of that than are tried."""
    loops, free = [(34, 100)] * 19, [None] * 19
    found = native(loops, [], 8, free, 0)
    assert (found.loops, found.refused) == first_fit(loops, [], 8, free, 0)
    assert found.refused == 16


def test_one_cpu_is_the_exact_test() -> None:
    assert native([(20, 100), (70, 100)], [], 1, [None, None], 0).refused is None
    assert native([(20, 100), (81, 100)], [], 1, [None, None], 0).refused == 0


def test_who_is_pinned_comes_first_and_where_it_must() -> None:
    found = native([(90, 100), (20, 100)], [], 2, [None, 0], 0)
    assert found.loops == (1, 0)
    assert native([(90, 100), (20, 100)], [], 2, [0, 0], 0).refused == 1
    with pytest.raises(ValueError, match="-4"):
        native([(1, 100)], [], 2, [2], 0)


def test_what_cannot_be_partitioned() -> None:
    with pytest.raises(ValueError, match="-4"):
        native([(1, 100)], [], 0, [None], 0)
    with pytest.raises(ValueError, match="-4"):
        native([(1, 100)], [], 17, [None], 0)
    with pytest.raises(ValueError, match="-4"):
        native([(0, 100)], [], 1, [None], 0)


def test_an_io_vcpu_alone_on_a_cpu_fits_whatever_it_takes() -> None:
    found = native([(95, 100)], [(50, 100)], 2, [None, None], 0)
    assert (found.loops, found.ios) == ((0,), (1,))
