"""Admission of a program on a board: verdict, bounds, and the smallest change that would help.

Only the kernel's exact test decides (kernel/admit.c); this module feeds it and words its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

from takt.admit_library import (
    FRAGMENTS,
    MARGIN_US,
    PERIOD_MAX,
    Bound,
    Costs,
    Interrupt,
    IoVcpu,
    Loop,
    NativeSet,
)
from takt.errors import UserError

ENOSPACE = -8


class BudgetedThread(Protocol):
    """What is needed of a thread; budget and period are None when it has none."""

    name: str
    budget_us: int | None
    period_us: int | None


@dataclass(frozen=True)
class Refusal:
    """Why a loop does not fit and what would mend it."""

    loop: str
    response_us: int | None
    text: str


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

    @property
    def verdict(self) -> str:
        """admitted or refused."""
        return "admitted" if self.admitted else "refused"

    def bound_us(self, name: str) -> int | None:
        """Longest time until a loop has its budget; None: no bound, or no budget."""
        return self.bounds.get(name)

    def as_dict(self) -> dict[str, object]:
        """The JSON object "admission"."""
        return {
            "verdict": self.verdict,
            "u_total": self.u_total,
            "eq1": vars(self.eq1),
            "hyperbolic": vars(self.hyperbolic),
            "exact": {"holds": self.admitted},
        }

    def explain(self) -> str:
        """A line or more for people."""
        if not self.admitted:
            return "\n".join(refusal.text for refusal in self.refusals)
        text = f"admitted: {self.u_total:.3f} of the CPU, exact response-time analysis holds"
        if not self.eq1.holds:
            text += (
                f" (Eq. 1 fails: {self.eq1.lhs:.3f} > {self.eq1.rhs:.3f}; it is only sufficient)"
            )
        return text

    def require(self, where: str = "") -> None:
        """Raises UserError unless admitted."""
        if not self.admitted:
            what, _, fix = self.refusals[0].text.partition("; ")
            refused = UserError(what, where=where, fix=fix)
            refused.facts = {"admission": self.as_dict()}
            raise refused


def duration(us: int) -> str:
    """1 ms and more in ms, less in us, without rounding."""
    if us < 1000:
        return f"{us} us"
    return f"{us // 1000}.{us % 1000:03d}".rstrip("0").rstrip(".") + " ms"


@dataclass(frozen=True)
class _Case:
    """A program to be judged; the loops may come in any order."""

    loops: tuple[Loop, ...]
    interrupts: tuple[Interrupt, ...]
    ios: tuple[IoVcpu, ...]
    costs: Costs

    def native(self) -> NativeSet:
        ordered = sorted(self.loops, key=lambda loop: loop.period_us)
        return NativeSet(ordered, self.interrupts, self.ios, self.costs)

    def fits(self) -> bool:
        return self.native().exact()[0] == 0

    def change(self, index: int, **values: int) -> _Case:
        loops = list(self.loops)
        loops[index] = replace(loops[index], **values)
        return replace(self, loops=tuple(loops))


def _boundary(good: int, bad: int, fits: Callable[[int], bool]) -> int:
    """The last value that fits between one that does and one that does not."""
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good


def _rounded(value: int, up: bool, fits: Callable[[int], bool]) -> int:
    """To 10 us if that still fits: easier to type."""
    step = 10 if value >= 1000 else 1
    nice = -(-value // step) * step if up else value // step * step
    return nice if nice > 0 and fits(nice) else value


def _less_budget(case: _Case, index: int) -> tuple[Fraction, str] | None:
    loop = case.loops[index]

    def fits(budget: int) -> bool:
        return case.change(index, budget_us=budget).fits()

    if loop.budget_us <= 1 or not fits(1):
        return None
    budget = _rounded(_boundary(1, loop.budget_us, fits), False, fits)
    relative = Fraction(loop.budget_us - budget, loop.budget_us)
    return (
        relative,
        f"give {loop.name} at most {duration(budget)} in every {duration(loop.period_us)}",
    )


def _longer_period(case: _Case, index: int) -> tuple[Fraction, str] | None:
    loop = case.loops[index]

    def fits(period: int) -> bool:
        return case.change(index, period_us=period).fits()

    if loop.period_us >= PERIOD_MAX or not fits(PERIOD_MAX):
        return None
    period = _rounded(_boundary(PERIOD_MAX, loop.period_us, fits), True, fits)
    relative = Fraction(period - loop.period_us, loop.period_us)
    return (
        relative,
        f"give {loop.name} its {duration(loop.budget_us)} only every {duration(period)}",
    )


def _all_less(case: _Case) -> str:
    """When no single change helps: all budgets scaled alike."""

    def fits(percent: int) -> bool:
        loops = (replace(t, budget_us=max(1, t.budget_us * percent // 100)) for t in case.loops)
        return replace(case, loops=tuple(loops)).fits()

    if not fits(0):
        return "interrupts, I/O and the kernel itself leave too little time for any budget"
    percent = _boundary(0, 100, fits)
    return (
        f"no change of one loop suffices; with all budgets at {percent} % of what they are it fits"
    )


def smallest_fix(case: _Case, refused: int) -> str:
    """The change of one C or T that is relatively smallest, and that of the refused loop itself."""
    found: dict[int, tuple[Fraction, str]] = {}
    for index in range(len(case.loops)):
        ways = (_less_budget(case, index), _longer_period(case, index))
        found.update({index: min(way for way in ways if way)} if any(ways) else {})
    if not found:
        return _all_less(case)
    best = min(found.values(), key=lambda way: way[0])
    own = found.get(refused)
    return best[1] + (f", or {own[1]}" if own and own[1] != best[1] else "")


def _refusal(case: _Case, index: int, response: int | None, fix: str) -> Refusal:
    loop = case.loops[index]
    what = f"{loop.name} ({duration(loop.budget_us)} in every {duration(loop.period_us)})"
    if response is None:
        what += f" never gets its budget, and its deadline is {duration(loop.period_us)}"
    else:
        what += (
            f" responds within {duration(response)} but its deadline is {duration(loop.period_us)}"
        )
    return Refusal(loop.name, response, f"{what}; {fix}")


def _reject_nonsense(case: _Case) -> None:
    """Raises what kernel/admit.c could only call invalid."""
    if not case.loops:
        raise UserError("no loop has a budget: there is nothing to admit", fix="define a loop")
    for loop in case.loops:
        if not 0 < loop.budget_us <= loop.period_us <= PERIOD_MAX:
            raise UserError(
                f"{loop.name} has a budget of {loop.budget_us} us in every {loop.period_us} us",
                fix=f"choose 0 < C <= T <= {duration(PERIOD_MAX)}",
            )
    code = case.native().validate()
    if code == ENOSPACE:
        raise UserError("too many loops or I/O VCPUs to admit", fix="at most 32 loops, 8 I/O VCPUs")
    if code != 0:
        raise UserError("an interrupt rate or I/O utilisation is out of range")


def _as_costs(costs: Costs | Mapping[str, int] | None) -> tuple[Costs, int]:
    """The board's costs and the longest time in us it keeps interrupts off."""
    if isinstance(costs, Costs):
        return costs, 0
    table = costs or {}
    critical_us = -(-int(table.get("critical", 0)) // 1000)
    return Costs(int(table.get("switch", 0)), int(table.get("alarm", 0)), MARGIN_US), critical_us


def _as_loops(threads: Iterable[BudgetedThread], critical_us: int) -> tuple[Loop, ...]:
    loops = []
    for t in threads:
        if t.budget_us is None or t.period_us is None:
            continue  # background band: no guarantee, no demand
        loop = t if isinstance(t, Loop) else Loop(t.name, t.budget_us, t.period_us, 0, 0, FRAGMENTS)
        loops.append(replace(loop, blocking_us=loop.blocking_us + critical_us))
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
    board, critical_us = _as_costs(costs)
    case = _Case(_as_loops(threads, critical_us), tuple(interrupts), tuple(ios), board)
    _reject_nonsense(case)
    native = case.native()
    bounds = [native.response(place) for place in range(len(case.loops))]
    late = [
        index
        for index, (loop, bound) in enumerate(zip(case.loops, bounds, strict=True))
        if bound is None or bound > loop.period_us
    ]
    fix = smallest_fix(case, late[0]) if late else ""
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
    )
