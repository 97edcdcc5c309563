"""Runs a program on the kernel and on the oracle and says where they part."""

from __future__ import annotations

from dataclasses import replace

from kernel_library import Run, run_kernel
from oracle_server import Simulation
from programs import Program, tidy

LATENCY_MAX = 0xFFFFFF  # in a trace event


def run_oracle(program: Program) -> Simulation:
    """The oracle's run."""
    simulation = Simulation(
        [t.fresh() for t in program.threads],
        list(program.interrupts),
        program.ceilings,
        program.capacity,
        [line.fresh() for line in program.lines],
        program.start_cost,
        program.piece,
    )
    simulation.run(program.until)
    return simulation


def run_program(program: Program) -> Run:
    """The kernel's run."""
    return run_kernel(program)


def difference(program: Program) -> str | None:
    """None when kernel and oracle agree to the microsecond."""
    kernel, oracle = run_program(program), run_oracle(program)
    if kernel.stop not in ("time", "asleep"):
        return f"kernel stopped: {kernel.stop}: {kernel.fatal}"
    ours = tidy(kernel.segments, program.until)
    theirs = tidy(oracle.segments, program.until)
    for a, b in zip(ours, theirs, strict=False):
        if a != b:
            return f"kernel {a}, oracle {b}"
    if len(ours) != len(theirs):
        return f"kernel has {len(ours)} segments, oracle {len(theirs)}"
    return _state_difference(kernel, oracle)


def _state_difference(kernel: Run, oracle: Simulation) -> str | None:
    deliveries = [replace(d, latency=min(d.latency, LATENCY_MAX)) for d in oracle.deliveries]
    if kernel.deliveries != deliveries:
        return f"deliveries {kernel.deliveries}, oracle {oracle.deliveries}"
    if kernel.merged != [line.merged for line in oracle.lines]:
        return f"merged {kernel.merged}"
    if kernel.refused != oracle.refused:
        return f"refused {kernel.refused} changes, oracle {oracle.refused}"
    for place, t in enumerate(oracle.threads):
        if kernel.timeouts[place] != t.timeouts:
            return f"place {place}: {kernel.timeouts[place]} time-outs, oracle {t.timeouts}"
        if t.server and kernel.starved[place] != t.server.starved:
            return f"place {place}: starved {kernel.starved[place]}, oracle {t.server.starved}"
        # What the running thread used last has not been taken from its server yet.
        settled = place not in (kernel.current, oracle.current[0])
        if t.server and settled and not _same(kernel.servers[place], t.server.held(), oracle.now):
            return f"place {place}: {kernel.servers[place]}, oracle {t.server.held()}"
    return None


def _same(ours: list[list[int]], theirs: list[list[int]], now: int) -> bool:
    """Dates a longest period ago and older are all alike: the kernel moves them up to there. So are
    those of no budget at all (of an I/O VCPU)."""
    oldest = now - (1 << 28)
    ours, theirs = ([[max(d, oldest) if n else 0, n] for d, n in x] for x in (ours, theirs))
    return ours == theirs
