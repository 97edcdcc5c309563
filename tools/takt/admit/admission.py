"""Admission of a program on a board: verdict, bounds, and the smallest change that would help.

Only the kernel's exact test decides (admission/admit.c); this module feeds it and words its answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

from takt.admit import fixes
from takt.admit.admit_library import (
    FRAGMENTS,
    MARGIN_US,
    PERIOD_MAX,
    Bound,
    Costs,
    Interrupt,
    IoVcpu,
    Loop,
)
from takt.admit.fixes import Case, duration
from takt.admit.places import Where
from takt.errors import UserError

ENOSPACE = -8


class BudgetedThread(Protocol):
    """What is needed of a thread; budget and period are None when it has none."""

    name: str
    budget_us: int | None
    period_us: int | None


class Placed(Protocol):
    """The same, by place."""

    name: str
    place: int


def apart(one: float, other: float, places: int = 3) -> tuple[str, str]:
    """Two numbers, with as many digits as show which is larger."""
    while places < 12 and one != other and f"{one:.{places}f}" == f"{other:.{places}f}":
        places += 1
    return f"{one:.{places}f}", f"{other:.{places}f}"


@dataclass(frozen=True)
class Refusal:
    """Why a loop does not fit and what would mend it."""

    loop: str
    response_us: int | None
    text: str
    where: str = ""  # if not the loop's place


@dataclass(frozen=True)
class Admission:
    """What admission says of a program; loops in order of place."""

    admitted: bool
    u_total: float
    eq1: Bound
    hyperbolic: Bound
    loops: tuple[Loop, ...]
    bounds: dict[str, int | None]
    refusals: tuple[Refusal, ...] = field(default=())
    case: Case | None = field(default=None, repr=False)  # what was judged
    cpus: int = 1  # on so many (spread.py), and then:
    used: int = 1  # of them; others sleep
    cpu_of: Mapping[str, int | None] = field(default_factory=dict)  # by name of loop or I/O VCPU
    parts: tuple[Case, ...] = field(default=(), repr=False)  # what each CPU has to do

    @property
    def verdict(self) -> str:
        """admitted or refused."""
        return "admitted" if self.admitted else "refused"

    def case_for(self, *names: str) -> Case:
        """What runs beside these loops or I/O VCPUs: all, or on their CPUs."""
        assert self.case is not None
        mine = sorted({cpu for name in names if (cpu := self.cpu_of.get(name)) is not None})
        if not self.parts or not mine:
            return self.case
        loops = tuple(loop for cpu in mine for loop in self.parts[cpu].loops)
        ios = tuple(io for cpu in mine for io in self.parts[cpu].ios)
        return replace(self.parts[mine[0]], loops=loops, ios=ios)

    def bound_us(self, name: str) -> int | None:
        """Longest time until a loop has its budget; None: no bound, or no budget."""
        return self.bounds.get(name)

    def blocking_us(self, threads: Iterable[Placed]) -> dict[int, int]:
        """How long loops may be held up, by place."""
        waits = {loop.name: loop.blocking_us for loop in self.loops}
        return {t.place: waits[t.name] for t in threads if t.name in waits}

    def as_dict(self) -> dict[str, object]:
        """The JSON object "admission"."""
        found: dict[str, object] = {
            "verdict": self.verdict,
            "u_total": self.u_total,
            "eq1": vars(self.eq1),
            "hyperbolic": vars(self.hyperbolic),
            "exact": {"holds": self.admitted},
        }
        return found if self.cpus == 1 else found | {"cpus": self.cpus, "cpu_of": self.cpu_of}

    def explain(self) -> str:
        """A line or more for people."""
        if not self.admitted:
            return "\n".join(refusal.text for refusal in self.refusals)
        if self.cpus > 1:
            from takt.admit.spread import explain

            return explain(self)
        text = f"admitted: {self.u_total:.3f} of the CPU, exact response-time analysis holds"
        if not self.eq1.holds:
            left, right = apart(self.eq1.lhs, self.eq1.rhs)
            text += f" (Eq. 1 fails: {left} > {right}; it is only sufficient)"
        return text

    def require(self, where: Where = lambda _: "") -> None:
        """Raises UserError unless admitted."""
        if not self.admitted:
            first = self.refusals[0]
            what, _, fix = first.text.partition("; ")
            refused = UserError(what, first.where or where(first.loop), fix)
            refused.facts = {"admission": self.as_dict()}
            raise refused


def _interrupts_take(case: Case, index: int) -> str:
    """What I/O VCPUs take of a loop's period, and how that adds up."""
    if not case.ios:
        return ""
    loop = case.loops[index]
    period = loop.period_us
    others = [t for t in case.loops[:index] if t.period_us <= period]
    budgets = loop.budget_us + sum(-(-period // t.period_us) * t.budget_us for t in others)
    parts, taken = [], Fraction()
    for io in case.ios:
        share = Fraction(io.numerator, io.denominator)
        most = (2 - share) * share * period
        c_us, t_us = io.c_and_t
        parts.append(f"{io.name} ({duration(c_us)} in every {duration(t_us)})")
        taken += most
    took = duration(-int(-taken // 1))
    verb = f"can take up to {took} of any {duration(period)}"
    text = f": {' and '.join(parts)} {verb}"
    if budgets + taken > period:
        who = "that of the loops before it and its own" if others else "its own"
        total = duration(-int(-(budgets + taken) // 1))
        text += f", and with {who}, {duration(budgets)}, that makes {total}"
    return text


def _refusal(case: Case, index: int, response: int | None, fix: str) -> Refusal:
    loop = case.loops[index]
    what = f"{loop.name} ({duration(loop.budget_us)} in every {duration(loop.period_us)})"
    if response is None:
        what += f" never gets its budget, and its deadline is {duration(loop.shortest_us)}"
    else:
        what += f" responds within {duration(response)} but its deadline is "
        what += duration(loop.shortest_us)
    if loop.by_reference:
        what += ", as the clock of takt_periodic_reference() may be 1 % faster"
    if loop.held_up:
        what += (
            f", with {duration(loop.blocking_us)} for sections of other loops, the longest "
            f"{duration(loop.held_up.us or 0)}, of {loop.held_up.thread}, {loop.held_up.lock} "
            f"({loop.held_up.where})"
        )
    what += _interrupts_take(case, index)
    return Refusal(loop.name, response, f"{what}; {fix}")


def _reject_nonsense(case: Case) -> None:
    """Raises what admission/admit.c could only call invalid."""
    if not case.loops:
        raise UserError("no loop has a budget: there is nothing to admit", fix="define a loop")
    for loop in case.loops:
        if not 0 < loop.budget_us <= loop.shortest_us <= loop.period_us <= PERIOD_MAX:
            raise UserError(
                f"{loop.name} has a budget of {loop.budget_us} us in every {loop.period_us} us",
                fix=f"choose 0 < C <= T <= {duration(PERIOD_MAX)}",
            )
    code = case.native().validate()
    if code == ENOSPACE:
        raise UserError(
            "too many loops or I/O VCPUs to admit", fix="at most 64 loops, 16 I/O VCPUs"
        )
    if code != 0:
        raise UserError("an interrupt, an I/O utilisation or a cost of the board is out of range")


def critical_us(costs: Mapping[str, int]) -> int:
    """The longest time that a board keeps interrupts off, of its costs in ns."""
    return -(-int(costs.get("critical", 0)) // 1000)


def _as_costs(costs: Costs | Mapping[str, int] | None) -> tuple[Costs, int]:
    """The board's costs and the longest time in us it keeps interrupts off."""
    if isinstance(costs, Costs):
        return costs, 0
    table = costs or {}
    margin_us = -(-int(table.get("margin", MARGIN_US * 1000)) // 1000)
    board = Costs(int(table.get("switch", 0)), int(table.get("alarm", 0)), margin_us)
    return board, critical_us(table)


def _as_loops(threads: Iterable[BudgetedThread], blocking_us: int) -> tuple[Loop, ...]:
    loops = []
    for t in threads:
        if t.budget_us is None or t.period_us is None:
            continue  # background band: no guarantee, no demand
        loop = t if isinstance(t, Loop) else Loop(t.name, t.budget_us, t.period_us, 0, 0, FRAGMENTS)
        loops.append(replace(loop, blocking_us=loop.blocking_us + blocking_us))
    return tuple(sorted(loops, key=lambda loop: loop.period_us))


def check(
    threads: Iterable[BudgetedThread],
    interrupts: Sequence[Interrupt] = (),
    costs: Costs | Mapping[str, int] | None = None,
    ios: Sequence[IoVcpu] = (),
) -> Admission:
    """Judges a program.

    threads: by place or in order of definition; those without a budget are left out. A board's
    costs are given in ns: switch, alarm, critical (longest time with interrupts off).
    """
    board, blocking_us = _as_costs(costs)
    case = Case(_as_loops(threads, blocking_us), tuple(interrupts), tuple(ios), board)
    _reject_nonsense(case)
    native = case.native()
    bounds = [native.response(place) for place in range(len(case.loops))]
    late = [
        index
        for index, (loop, bound) in enumerate(zip(case.loops, bounds, strict=True))
        if bound is None or bound > loop.shortest_us
    ]
    fix = fixes.smallest(case, late[0]) if late else ""
    total = sum((Fraction(t.budget_us, t.period_us) for t in case.loops), Fraction())
    total += sum((Fraction(v.numerator, v.denominator) for v in ios), Fraction())
    return Admission(
        admitted=not late,
        u_total=round(float(total), 6),
        eq1=native.eq1(),
        hyperbolic=native.hyperbolic(),
        loops=case.loops,
        bounds={loop.name: bound for loop, bound in zip(case.loops, bounds, strict=True)},
        refusals=tuple(_refusal(case, index, bounds[index], fix) for index in late),
        case=case,
    )
