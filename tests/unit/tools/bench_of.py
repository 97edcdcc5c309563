"""A world on a machine without firmware, and what comes of it."""

from __future__ import annotations

from types import SimpleNamespace

from fake_machine import FakeMachine
from takt.world.bench import Bench
from takt.world.world import load

PINS = {f"GP{n}": n for n in range(30)} | {"A0": 26, "A1": 27, "LED_BUILTIN": 25}
NS, US, MS, S = 0.125, 125, 125_000, 125_000_000  # cycles


def bench_of(folder, text, edges=()):
    """Not yet run. edges: what the board does, (cycle, pin, level)."""
    (folder / "world.toml").write_text(text)
    machine = FakeMachine(edges)
    return Bench(machine, load(folder, SimpleNamespace(pins=PINS)), machine.hz)


def run(folder, text, until, edges=()):
    """The bench at the end of a run."""
    bench = bench_of(folder, text, edges)
    assert bench.run(until) is None
    bench.finish()
    return bench


def driven(bench, pin):
    """(cycle, level) that the world has driven a pin to, in order."""
    found = [(at, level) for at, where, level in bench.machine.driven if where == pin]
    return sorted(found, key=lambda one: one[0])
