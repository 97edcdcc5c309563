"""The table of `takt run`: what was promised, what happened, where the files are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from takt.outputs import verdict
from takt.scene import duration_text

if TYPE_CHECKING:
    from takt.run import Result


def _us(value: int | float | None) -> str:
    return "-" if value is None else duration_text(value)


def _span(least: int | None, most: int | None) -> str:
    """ "20 .. 20.003 ms": one unit for both."""
    if least is None or most is None:
        return "-"
    if least == most:
        return _us(least)
    unit, size = ("ms", 1e3) if most >= 1000 else ("us", 1)
    return f"{least / size:.5g} .. {most / size:.5g} {unit}"


def _bytes(count: int) -> str:
    return f"{count / 1024:.1f} KB" if count >= 10240 else f"{count} B"


def _loop_row(row: dict[str, Any]) -> list[RenderableType]:
    budget = "none"
    if row["budget_us"] is not None:
        budget = f"{_us(row['budget_us'])} / {_us(row['period_us'])}"
    late = Text(str(row["misses"]), style="bold red" if row["misses"] else "green")
    stack = "-" if row["stack_used"] is None else f"{row['stack_used']} of {row['stack_size']} B"
    return [
        Text(row["name"], style="bold"),
        budget,
        _span(row["cpu_us_min"], row["cpu_us_max"]),
        _us(row["background_us"]),
        str(row["exhausted"]),
        _us(row["response_max_us"]),
        _us(row["bound_us"]),
        late,
        stack,
    ]


def loops(rows: list[dict[str, Any]]) -> Table:
    """One line per loop."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("loop")
    for head in (
        "budget C / T",
        "used per period",
        "spare time",
        "used up",
        "longest\nresponse",
        "promised",
        "misses",
        "stack used",
    ):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(*_loop_row(row))
    return table


def world(summary: dict[str, dict[str, Any]]) -> Table:
    """One line per part."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for name, values in summary.items():
        words = ", ".join(f"{key.replace('_', ' ')} {_value(v)}" for key, v in values.items())
        table.add_row(Text(name, style="bold"), Text(words))
    return table


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key} {v:g}" for key, v in value.items())
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _admission(result: Result) -> Text:
    admission = result.build.admission
    good = admission is None or admission.verdict == "admitted"
    return Text(verdict(result), style="green" if good else "red")


def _memory(result: Result) -> str:
    board, build = result.build.board, result.build
    return (
        f"flash {_bytes(build.flash_bytes)} of {_bytes(board.flash.size)}, "
        f"RAM {_bytes(build.ram_bytes)} of {_bytes(board.ram.size)}, "
        f"kernel and interrupts {result.kernel_overhead_pct:.2f} % of the CPU"
    )


def render(result: Result) -> Group:
    """Everything `takt run` prints."""
    title = Text.assemble(
        (result.build.name, "bold"),
        f" on {result.build.board.name}, {duration_text(result.seconds * 1e6)} of virtual time",
    )
    parts: list[RenderableType] = [title, _admission(result), "", loops(result.threads()), ""]
    if result.world:
        parts += [world(result.world), ""]
    parts.append(_memory(result))
    if result.serial:
        lines = result.serial.splitlines()
        shown = "\n".join(lines[-6:])
        parts += [
            Text(f"Serial, last of {len(lines)} lines:", style="dim"),
            Padding(Text(shown), (0, 0, 0, 2)),
        ]
    parts += [Text(f"warning: {text}", style="yellow") for text in result.warnings]
    names = {
        "timeline_png": "picture",
        "timeline_html": "page",
        "perfetto": "Perfetto",
        "vcd": "signals",
    }
    files = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for key, path in result.files.items():
        files.add_row(Text(names[key], style="dim"), Text(path))
    return Group(*parts, "", files)


def show(result: Result, console: Console | None = None) -> None:
    """Prints the report."""
    (console or Console()).print(render(result), highlight=False)
