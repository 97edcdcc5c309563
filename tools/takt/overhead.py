"""What the kernel itself took of the processor.

Counted: interrupt handlers (alarms among them), the time between the end of a budget and the next
thread, and for every switch what a switch costs on the board. The last is a figure of the board,
measured once; the others are of this run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from takt.stats import Stats


def overhead_pct(stats: Stats, costs: Mapping[str, Any]) -> float:
    """Percent of the measured span."""
    if stats.span_us <= 0:
        return 0.0
    switches_us = stats.switches * float(costs.get("switch", 0)) / 1000
    taken = stats.isr_us + stats.kernel_us + switches_us
    return round(100 * taken / stats.span_us, 4)
