"""Threads created at run time: who they are, what admission says with them, and a trace in which
nobody's number changes.

A new thread moves those from its place on one up (kernel/change/create.c), also in the trace, from
its event on. Here each thread keeps a number: a linked thread its first place, a new one the next
after all, in order of creation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from takt.admit import admission
from takt.admit.admit_library import FRAGMENTS, Loop
from takt.admit.layout import Thread
from takt.code import structs
from takt.code.structs import POINTER, TABLE
from takt.result.trace import Kind, Trace

if TYPE_CHECKING:
    from takt.admit.admission import Admission
    from takt.admit.fixes import Case
    from takt.admit.pipes import Pipe
    from takt.build.build import Build
    from takt.code.elf import Program

DESCRIPTOR = tuple((n, POINTER) for n in ("entry", "arg", "stack", "stack_end", "vcpu", "name"))
VCPU = (("budget", "u32"), ("period", "u32"))
NO_THREAD = (Kind.ISR, Kind.ARRIVE, Kind.TAKEN, Kind.OVERFLOW)  # whose place is something else's
NO_THREAD += (Kind.TASK, Kind.TASK_END, Kind.TASK_MISSED)


@dataclass(frozen=True)
class Settled:
    """A run as if all threads had been there from the start."""

    trace: Trace
    build: Build
    cpu_of: Mapping[int, int]  # by number, empty for one CPU


def settle(
    machine: Any,
    program: Program,
    build: Build,
    trace: Trace,
    of: Sequence[int],
    pipes: Mapping[int, Pipe],
) -> Settled:
    """of: CPUs by place at the end, empty for one; pipes: those that tpipe() has made,
    by their threads' descriptors."""
    linked = len(build.threads)
    trace, order = renumbered(trace, linked)
    cpus = dict(zip(order, of, strict=False))
    if len(order) == linked:
        return Settled(trace, build, cpus)
    memory = structs.Running(machine, program.architecture)
    table = machine.symbol(TABLE)
    wide = program.architecture.pointer
    at = {number: memory.data_at(table + wide * place) for place, number in enumerate(order)}
    names = {descriptor: pipe.name for descriptor, pipe in pipes.items()}
    new = [_thread(memory, number, at[number], names) for number in range(linked, len(order))]
    budgets = {
        t.name: _budget(memory, structs.read(memory, at[t.place], DESCRIPTOR)["vcpu"])
        for t in build.threads
        if t.budget_us
    }
    blocking_us = admission.critical_us(build.board.costs)
    verdict = build.admission and _judged(build.admission, new, budgets, cpus, blocking_us)
    old = [
        replace(t, budget_us=budgets[t.name][0], period_us=budgets[t.name][1])
        if t.name in budgets
        else t
        for t in build.threads
    ]
    kept = [_as_asked(pipe) for pipe in build.pipes]
    now = replace(build, threads=[*old, *new], admission=verdict, pipes=kept)
    return Settled(trace, now, cpus)


def _as_asked(pipe: Pipe) -> Pipe:
    """What a pipe is promised whoever comes later: the latency that it asks for."""
    if pipe.bounds is None:
        return pipe
    return replace(pipe, bounds=replace(pipe.bounds, delay_us=pipe.asked.qos.latency // 1000))


def renumbered(trace: Trace, linked: int) -> tuple[Trace, tuple[int, ...]]:
    """The trace with numbers for places, and the numbers by place at its end."""
    order, begins = list(range(linked)), trace.of(Kind.CREATE).tolist()
    if not begins:
        return trace, tuple(order)
    places, of_thread = trace.place.copy(), ~np.isin(trace.kind, NO_THREAD)
    for begin, end in zip(begins, [*begins[1:], len(places)], strict=True):
        order.insert(int(trace.place[begin]), len(order))
        later = slice(begin, end)
        mine = of_thread[later] & (trace.place[later] < len(order))
        places[later][mine] = np.array(order)[trace.place[later][mine]]
    return replace(trace, place=places), tuple(order)


def _thread(memory: structs.Running, number: int, at: int, names: dict[int, str]) -> Thread:
    told = structs.read(memory, at, DESCRIPTOR)
    own = memory.text(told["name"]) if told["name"] else "thread"
    name = names.get(at, f"{own} #{number}")
    c, t = _budget(memory, told["vcpu"]) if told["vcpu"] else (None, None)
    size = told["stack_end"] - told["stack"]
    return Thread(name, number, c, t, size, 0, told["entry"], told["stack"])


def _budget(memory: structs.Running, vcpu: int) -> tuple[int, int]:
    found = structs.read(memory, vcpu, VCPU)
    return found["budget"], found["period"]


def _judged(
    before: Admission,
    new: Sequence[Thread],
    budgets: dict[str, tuple[int, int]],
    cpus: dict[int, int],
    blocking_us: int,
) -> Admission:
    """With the new ones, and with the budgets that the others have at the end."""
    cases = before.parts or ((before.case,) if before.case else ())
    bounds, loops, parts = dict(before.bounds), [], []
    for cpu, case in enumerate(cases):
        mine = [t for t in new if t.budget_us and cpus.get(t.place, 0) == cpu]
        now = _with(case, mine, budgets, blocking_us * before.cpus)
        if now.loops:
            found = admission.check(now.loops, now.interrupts, now.costs, now.ios)
            bounds |= found.bounds
        loops += now.loops
        parts.append(now)
    taken = sum(loop.budget_us / loop.period_us for loop in loops)
    shares = sum(io.numerator / io.denominator for io in before.case.ios) if before.case else 0
    of = dict(before.cpu_of) | {t.name: cpus[t.place] for t in new if before.cpus > 1}
    total = round(taken + shares, 6)
    several = tuple(parts) if before.parts else ()
    return replace(before, bounds=bounds, u_total=total, cpu_of=of, parts=several)


def _with(
    case: Case, new: Sequence[Thread], budgets: dict[str, tuple[int, int]], blocking_us: int
) -> Case:
    loops = [
        replace(loop, budget_us=budgets[loop.name][0], period_us=budgets[loop.name][1])
        for loop in case.loops
    ]
    loops += [
        Loop(t.name, t.budget_us, t.period_us, blocking_us, 0, FRAGMENTS)
        for t in new
        if t.budget_us and t.period_us
    ]
    return replace(case, loops=tuple(loops))
