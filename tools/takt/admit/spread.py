"""Admission on several CPUs: who runs where (partition.py), and what each CPU then promises. What
the program does when it starts is the same code with the same figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from takt.admit.admission import Admission, Refusal, apart
from takt.admit.fixes import Case, duration
from takt.admit.partition import Partition, partition, with_waits
from takt.code.elf import Program

BEGIN, END = "__start_takt_pins", "__stop_takt_pins"
PIN_BYTES = 16  # struct takt_pin


def bound_to(program: Program) -> dict[int, int]:
    """CPUs that the program binds threads to (TAKT_ON_CPU), by the descriptor's address."""
    begin, end = program.by_name.get(BEGIN), program.by_name.get(END)
    if begin is None or end is None:
        return {}
    pins = range(begin.address, end.address, PIN_BYTES)
    return {program.data_at(at): program.read(at + 8, 1)[0] for at in pins}


def spread(
    verdict: Admission, cpus: int, pins: Mapping[str, int], critical_ns: int = 0
) -> Admission:
    """The verdict on so many CPUs. pins: by name of the loop or the I/O VCPU; critical_ns: longest
    that a CPU holds the kernel's lock, or a loop a mutex."""
    if verdict.case is None:
        return verdict
    case = verdict.case
    loops = tuple(sorted(case.loops, key=lambda loop: loop.period_us))
    who = [one.name for one in (*loops, *case.ios)]
    bound = [pins[name] % cpus if name in pins else None for name in who]
    found = partition(loops, cpus, case.ios, case.interrupts, case.costs, bound, critical_ns)
    waits = with_waits(case.loops, case.costs, found.used, critical_ns)
    waiting = replace(case, loops=waits[0], costs=waits[1])
    parts = [_part(waiting, found, cpu) for cpu in range(cpus)]
    natives = [part.native() for part in parts if part.loops]
    bounds: dict[str, int | None] = dict.fromkeys(verdict.bounds)
    for part in parts:
        native = part.native()
        ordered = sorted(part.loops, key=lambda loop: loop.period_us)
        bounds |= {loop.name: native.response(n) for n, loop in enumerate(ordered)}
    refusals = () if found.refused is None else (_refusal(case, found, who, cpus, bound),)
    return replace(
        verdict,
        admitted=found.refused is None,
        bounds=bounds,
        refusals=refusals,
        eq1=max((n.eq1() for n in natives), key=lambda b: b.lhs - b.rhs, default=verdict.eq1),
        hyperbolic=max(
            (n.hyperbolic() for n in natives),
            key=lambda b: b.lhs - b.rhs,
            default=verdict.hyperbolic,
        ),
        cpus=cpus,
        used=found.used,
        cpu_of=dict(zip(who, (*found.loops, *found.ios), strict=True)),
        parts=tuple(parts),
    )


def _part(case: Case, found: Partition, cpu: int) -> Case:
    """What one CPU has to do."""
    loops = sorted(case.loops, key=lambda loop: loop.period_us)
    mine = tuple(loops[index] for index in found.loops_on(cpu))
    return replace(case, loops=mine, ios=tuple(case.ios[index] for index in found.ios_on(cpu)))


def load(case: Case, names: Sequence[str]) -> float:
    """Of a CPU, by those who run there."""
    budgets = sum(t.budget_us / t.period_us for t in case.loops if t.name in names)
    return budgets + sum(io.numerator / io.denominator for io in case.ios if io.name in names)


def _refusal(
    case: Case, found: Partition, who: list[str], cpus: int, bound: list[int | None]
) -> Refusal:
    """Whom no CPU has room for, and what the CPUs have already."""
    index = found.refused or 0
    name, pin = who[index], bound[index]
    where = f"CPU {pin}, which it is bound to," if pin is not None else f"none of {cpus} CPUs"
    given = (*found.loops, *found.ios)
    taken = [
        load(case, [n for n, at in zip(who, given, strict=True) if at == cpu])
        for cpu in range(cpus)
    ]
    what = name
    loop = next((loop for loop in case.loops if loop.name == name), None)
    if loop is not None:
        what += f" ({duration(loop.budget_us)} in every {duration(loop.period_us)})"
    has = ", ".join(f"CPU {cpu} {share:.3f}" for cpu, share in enumerate(taken))
    text = f"{what} fits on {where}, wherever others are placed; taken before it: {has}"
    if pin is not None:
        text = text.replace(" fits on ", " does not fit on ").replace(", wherever", ", however")
    return Refusal(name, None, f"{text}; give it a smaller budget or a longer period")


def explain(verdict: Admission) -> str:
    """Who runs where."""
    case = verdict.case
    assert case is not None
    lines = [f"admitted on {verdict.cpus} CPUs, each by exact response-time analysis"]
    for cpu in range(verdict.cpus):
        names = [name for name, at in verdict.cpu_of.items() if at == cpu]
        share, _ = apart(load(case, names), 0)
        lines.append(f"CPU {cpu}: {share}  {', '.join(names) or 'nobody with a budget'}")
        if cpu >= verdict.used:
            lines[-1] = f"CPU {cpu}: sleeps; waiting for it would take more than there is"
    return "\n".join(lines)
