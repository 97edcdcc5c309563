"""The thread that feeds a watchdog (include/takt/watchdog.h): what it proves, and of which threads
it does not."""

from __future__ import annotations

from collections.abc import Sequence

from takt.admit.fixes import duration
from takt.admit.layout import Thread
from takt.admit.places import Where
from takt.errors import UserError

NAME = "watchdog"
VCPU = "takt_vcpu_watchdog"  # by which it is known


def _is_one(thread: Thread) -> bool:
    return thread.vcpu == VCPU


def require_longest(threads: Sequence[Thread], place: Where) -> None:
    """Raises unless it is the least urgent of those with a budget: while it runs none of these is
    owed any."""
    own = next(filter(_is_one, threads), None)
    others = [t for t in threads if t.period_us is not None and not _is_one(t)]
    if own is None or not others:
        return
    longest = max(others, key=lambda t: t.period_us or 0)
    own_us, other_us = own.period_us or 0, longest.period_us or 0
    if own_us < other_us:
        raise UserError(
            f"the watchdog's T, {duration(own_us)}, is shorter than that of {longest.name}, "
            f"{duration(other_us)}: it would be fed while budget is owed to that",
            place(NAME),
            f"make it {duration(other_us)} or longer, or that of {longest.name} shorter",
        )


def assumed(threads: Sequence[Thread]) -> list[str]:
    """Which threads it does not watch."""
    free = [t.name for t in threads if t.budget_us is None and t.share is None]
    if not free or not any(map(_is_one, threads)):
        return []
    verb = "has" if len(free) == 1 else "have"
    return [f"watchdog: it does not watch {', '.join(free)}, which {verb} no budget"]
