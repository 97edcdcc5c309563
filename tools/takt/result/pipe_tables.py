"""Pipes as tables: what is proved of them (takt check), and what became of it (takt run)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from takt.admit.fixes import duration

if TYPE_CHECKING:
    from rich.table import Table

    from takt.admit.pipes import Pipe

TITLE = "pipes: from the device to the handler, for output the other way"
EXPLAINED = (
    "pipes: C, T and the bound of latency, from the device to the handler, are safe beside all "
    "that is admitted. The paper's T is L / lambda, with which a buffer overflows when one read "
    "comes early and the next one late; its latency is Equation 2, 3 T of the endpoint + T."
)


def count(packets: float, each: int) -> str:
    """So many packets: bytes, if they are no more than that."""
    return f"{packets:,.0f}{' B' if each == 1 else ''}"


def proved(pipes: Sequence[Pipe]) -> Table:
    """One line per pipe: what was asked, what follows, bounds; the paper's values beside them."""
    from rich.table import Table

    table = Table()
    table.add_column("\npipe")
    table.add_column("\ndevice")
    for heading in ("asked\nper s", "\nC / T", "paper's\nT", "waits in\nbuffer", "latency\nbound",
                    "paper's\nlatency", "latency\nasked"):  # fmt: skip
        table.add_column(heading, justify="right", no_wrap=True)
    for pipe in pipes:
        asked, bounds = pipe.asked, pipe.bounds
        each = asked.end.attrs.max_pktsz
        table.add_row(
            pipe.name,
            asked.end.name,
            count(asked.qos.packets_per_s(asked.end.attrs), each),
            f"{_us(asked.thread.budget_us)} / {_us(asked.thread.period_us)}",
            _us(pipe.derived.paper_us if pipe.derived else None),
            f"{bounds.peak if bounds else '-'} / {asked.slots}",
            _us(bounds.delay_us) if bounds else "-",
            _us(bounds.paper_us) if bounds else "-",
            _us(asked.qos.latency // 1000),
        )
    return table


def refusals(pipes: Sequence[Pipe]) -> list[str]:
    """What is wrong where, once, if several pipes of an endpoint are refused for the same."""
    found: dict[str, list[Pipe]] = {}
    for pipe in pipes:
        if pipe.refusal:
            found.setdefault(pipe.refusal.removeprefix(f"{pipe.name}: "), []).append(pipe)
    return [_refused(text, *of) for text, of in found.items()]


def _refused(text: str, first: Pipe, *others: Pipe) -> str:
    too = f" (and {', '.join(pipe.name for pipe in others)})" if others else ""
    return f"{first.where}: {first.name}{too}: {text}"


def _us(value: int | None) -> str:
    return "-" if value is None else duration(value)


def seen(rows: Sequence[dict[str, Any]], table: Table) -> Table:
    """What became of them in a run, added to a table without columns."""
    from rich.text import Text

    table.add_column("\npipe")
    for head in ("C / T", "packets\nhandled", "in a second\nleast .. most", "asked\nper s",
                 "latency\nmost", "\nbound", "\nlost", "\nlate"):  # fmt: skip
        table.add_column(head if "\n" in head else f"\n{head}", justify="right", no_wrap=True)
    for row in rows:
        each = row["packet_bytes"]
        seconds = "-"
        if row["per_s_min"] is not None:
            seconds = f"{count(row['per_s_min'], 0)} .. {count(row['per_s_max'], each)}"
        table.add_row(
            Text(row["name"], style="bold"),
            f"{_us(row['budget_us'])} / {_us(row['period_us'])}",
            count(row["handled"], each),
            seconds,
            count(row["rate_per_s"], each),
            _us(row["latency_max_us"]),
            _us(row["latency_bound_us"]),
            *(Text(str(n), style="bold red" if n else "green") for n in (row["lost"], row["late"])),
        )
    return table
