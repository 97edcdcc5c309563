"""Waves: where their edges are."""

from __future__ import annotations

import itertools

import pytest
from takt.machine.wave import Random, Square, level_at, next_edge


@pytest.mark.parametrize("half", [1, 3, 62.5, 2083.3333])
def test_edges_of_a_square_wave_never_drift(half):
    wave = Square(100, half)
    assert [wave.edge(n) for n in range(5)] == [100 + int(n * half + 0.5) for n in range(5)]
    for number in (0, 1, 2, 999, 1_000_000):
        at = wave.edge(number)
        assert wave.edges_until(at) == number + 1
        assert wave.edges_until(at - 1) == number
        assert level_at(wave, at) == 1 - number % 2
        assert next_edge(wave, at) == wave.edge(number + 1)
    assert wave.edges_until(99) == 0 and level_at(wave, 99) == 0 and next_edge(wave, 0) == 100


@pytest.mark.parametrize(("stop", "edges"), [(99, 0), (100, 0), (110, 2), (115, 2), (130, 4)])
def test_a_square_wave_stops_low(stop, edges):
    wave = Square(100, 10, stop)
    assert wave.edges_until(10_000) == edges
    assert level_at(wave, 10_000) == 0
    assert next_edge(wave, wave.edge(max(edges - 1, 0)) if edges else 99) is None


def test_random_edges_keep_their_distances_and_repeat():
    wave, again = Random(1000, 5, 20, 42, 9000), Random(1000, 5, 20, 42, 9000)
    edges = [wave.edge(n) for n in range(500)]
    gaps = {b - a for a, b in itertools.pairwise(edges)}
    assert min(gaps) == 5 and max(gaps) == 20
    assert again.edges_until(5000) == sum(edge <= 5000 for edge in edges)
    assert wave.edges_until(10**6) == wave.edges_until(9000)
    assert Random(1000, 5, 20, 43).edge(400) != edges[400]
