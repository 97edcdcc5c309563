"""The smallest change that makes a refused program fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from takt.admit.admit_library import PERIOD_MAX, Costs, Interrupt, IoVcpu, Loop, NativeSet
from takt.admit.shares import fraction

PLAIN = "loop"  # what the thread of an ordinary loop() is called


def duration(us: int) -> str:
    """1 ms and more in ms, less in us, without rounding."""
    if us < 1000:
        return f"{us} us"
    return f"{us // 1000}.{us % 1000:03d}".rstrip("0").rstrip(".") + " ms"


@dataclass(frozen=True)
class Case:
    """A program to be judged; the loops may come in any order."""

    loops: tuple[Loop, ...]
    interrupts: tuple[Interrupt, ...]
    ios: tuple[IoVcpu, ...]
    costs: Costs

    def native(self) -> NativeSet:
        """What the kernel's code judges."""
        ordered = sorted(self.loops, key=lambda loop: loop.period_us)
        return NativeSet(ordered, self.interrupts, self.ios, self.costs)

    def fits(self) -> bool:
        """Whether the exact test admits it."""
        return self.native().exact()[0] == 0

    def change(self, index: int, **values: int) -> Case:
        """With another budget or period."""
        loops = list(self.loops)
        loops[index] = replace(loops[index], **values)
        return replace(self, loops=tuple(loops))

    def share(self, index: int, c_us: int) -> Case:
        """With another share of an I/O VCPU."""
        ios = list(self.ios)
        t_us = ios[index].c_and_t[1]
        numerator, denominator = fraction(c_us, t_us)
        ios[index] = replace(
            ios[index], numerator=numerator, denominator=denominator, stated_us=(c_us, t_us)
        )
        return replace(self, ios=tuple(ios))


PIPE = "pipe "  # threads whose budget and period follow from what is asked for
Way = tuple[Fraction, str]  # how much it changes, relatively; in words


def boundary(good: int, bad: int, fits: Callable[[int], bool]) -> int:
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


def _given(name: str, budget_us: int, period_us: int, verb: str) -> str:
    """What is to be written; an ordinary loop() has no figures yet."""
    text = f"give {name} {verb} {duration(period_us)}"
    if name != PLAIN:
        return text
    return f"{text}: write void loop(1, {budget_us / 1000:g}, {period_us / 1000:g})"


def _less_budget(case: Case, index: int) -> Way | None:
    loop = case.loops[index]

    def fits(budget: int) -> bool:
        return case.change(index, budget_us=budget).fits()

    if loop.budget_us <= 1 or loop.name.startswith(PIPE) or not fits(1):
        return None
    budget = _rounded(boundary(1, loop.budget_us, fits), False, fits)
    relative = Fraction(loop.budget_us - budget, loop.budget_us)
    return (
        relative,
        _given(loop.name, budget, loop.period_us, f"at most {duration(budget)} in every"),
    )


def _longer_period(case: Case, index: int) -> Way | None:
    loop = case.loops[index]

    def fits(period: int) -> bool:
        return case.change(index, period_us=period).fits()

    if loop.period_us >= PERIOD_MAX or loop.name.startswith(PIPE) or not fits(PERIOD_MAX):
        return None
    period = _rounded(boundary(PERIOD_MAX, loop.period_us, fits), True, fits)
    relative = Fraction(period - loop.period_us, loop.period_us)
    return (
        relative,
        _given(loop.name, loop.budget_us, period, f"its {duration(loop.budget_us)} only every"),
    )


def _shorter_section(case: Case, index: int) -> Way | None:
    """Of the section that holds the refused loop up most."""
    loop = case.loops[index]
    held = loop.held_up
    if held is None or not held.us:
        return None
    longest = held.us

    def fits(us: int) -> bool:
        return case.change(index, blocking_us=loop.blocking_us - longest + us).fits()

    if not fits(0):
        return None
    us = _rounded(boundary(0, longest, fits), False, fits)
    text = f"make the section of {held.thread} {held.lock} take at most {duration(us)}"
    return Fraction(longest - us, longest), text


def _less_share(case: Case, index: int) -> Way | None:
    c_us, t_us = case.ios[index].c_and_t

    def fits(share: int) -> bool:
        return case.share(index, share).fits()

    if c_us <= 1 or not fits(1):
        return None
    share = _rounded(boundary(1, c_us, fits), False, fits)
    text = f"give {case.ios[index].name} at most {duration(share)} in every {duration(t_us)}"
    return Fraction(c_us - share, c_us), text


def _all_less(case: Case) -> str:
    """When no single change helps: all budgets scaled alike."""

    def fits(percent: int) -> bool:
        loops = (replace(t, budget_us=max(1, t.budget_us * percent // 100)) for t in case.loops)
        return replace(case, loops=tuple(loops)).fits()

    if not fits(0):
        return "interrupts, I/O and the kernel itself leave too little time for any budget"
    percent = boundary(0, 100, fits)
    return (
        f"no change of one loop suffices; with all budgets at {percent} % of what they are it fits"
    )


def smallest(case: Case, refused: int) -> str:
    """The change of one C, T or share that is relatively smallest; also that of the refused loop
    itself, and of the share of interrupts."""
    found: dict[int, Way] = {}
    for index in range(len(case.loops)):
        ways = (_less_budget(case, index), _longer_period(case, index))
        found.update({index: min(way for way in ways if way)} if any(ways) else {})
    shares = [way for index in range(len(case.ios)) if (way := _less_share(case, index))]
    section = _shorter_section(case, refused)
    sections = [section] if section else []
    if not found and not shares and not sections:
        return _all_less(case)
    best = min((*found.values(), *shares, *sections), key=lambda way: way[0])
    also = [found[refused]] if refused in found else []
    texts = dict.fromkeys(text for _, text in (best, *also, *shares, *sections))
    return ", or ".join(texts)
