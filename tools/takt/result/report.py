"""The table of `takt run`: what was promised, what happened, where the files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from takt.durations import bound_text, duration_text, span_text
from takt.paths import shown
from takt.result import pipe_tables, world_tables
from takt.result.fitting import Fitted
from takt.result.outputs import load_saved

if TYPE_CHECKING:
    from takt.result.result import Result

SERIAL_LINES = 6
FILES = {
    "timeline_png": "picture",
    "timeline_html": "page",
    "perfetto": "Perfetto",
    "vcd": "VCD",
    "serial": "Serial",
}


def _us(value: int | float | None) -> str:
    return "-" if value is None else duration_text(value)


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)


def _bound(value: int | None) -> str:
    return "-" if value is None else bound_text(value)


def _span(least: int | None, most: int | None) -> str:
    return "-" if least is None or most is None else span_text(least, most)


def _bytes(count: int) -> str:
    return f"{count / 1024:.1f} KB" if count >= 10240 else f"{count} B"


def _stack(used: int, size: int) -> str:
    return f"{used} of {size} B"


def _loop_row(row: dict[str, Any]) -> list[RenderableType]:
    own, io = (row["budget_us"], row["period_us"]), (row["io_c_us"], row["io_t_us"])
    c_us, t_us = io if own[0] is None else own
    budget = "none" if c_us is None else f"{_us(c_us)} / {_us(t_us)}"
    more = row["cpu_us"] if c_us is None else 0  # without a budget all is spare time
    spare = None if row["background_us"] is None else row["background_us"] + more
    late = Text(_count(row["misses"]), style="bold red" if row["misses"] else "green")
    for_use = row["stack_size"] - row["stack_guard"]
    stack = "-" if row["stack_used"] is None else _stack(row["stack_used"], for_use)
    name = row["name"] + (f" (CPU {row['cpu']})" if "cpu" in row else "")
    return [
        Text(name, style="bold"),
        budget,
        _span(row["cpu_us_min"], row["cpu_us_max"]),
        _us(spare),
        _count(row["exhausted"]),
        _us(row["response_max_us"]),
        _bound(row["bound_us"]),
        late,
        stack,
    ]


def _plain_table(header: bool = False) -> Table:
    return Table(
        box=None, pad_edge=False, show_header=header, header_style="dim", padding=(0, 2, 0, 0)
    )


def loops(rows: list[dict[str, Any]], interrupts: dict[str, int] | None) -> Table:
    """One line per loop, and the stack of the interrupts."""
    table = _plain_table(header=True)
    table.add_column("\nloop")
    for head in (
        "budget C / T",
        "CPU used\nper period",
        "in spare\ntime",
        "budget\nused up",
        "longest\nresponse",
        "bound",
        "misses",
        "stack used",
    ):
        words = head if "\n" in head else f"\n{head}"
        table.add_column(words, justify="right")
    for row in rows:
        table.add_row(*_loop_row(row))
    if interrupts:
        stack = _stack(interrupts["used"], interrupts["size"])
        table.add_row(Text("interrupts", style="dim"), *[""] * 7, stack)
    return table


def events(rows: list[dict[str, Any]]) -> Table:
    """One line per handler of interrupts."""
    table = _plain_table(header=True)
    table.add_column("\ninterrupts for")
    heads = ("\nevents", "\nmerged", "handler called after\nleast, mean, most", "99 % within",
             "bound", "Equation 3", "late")  # fmt: skip
    for head in heads:
        table.add_column(head if "\n" in head else f"\n{head}", justify="right")
    for row in rows:
        times = [_us(row[key]) for key in ("min_us", "mean_us", "max_us")]
        table.add_row(
            Text(row["handler"], style="bold"),
            str(row["events"]),
            str(row["merged"]),
            ", ".join(times) if row["delivered"] else _us(row["max_us"]),
            _us(row["p99_us"]),
            _bound(row["bound_safe_us"]),
            _bound(row["bound_paper_us"]),
            _none_is_well(row["late"], "bold red"),
        )
    return table


def jobs(rows: list[dict[str, Any]]) -> Table:
    """One line per periodic thread."""
    heads = ("every", "releases", "finished", "has its C\nwithin", "release to\nend, most", "late",
             "overruns", "terminated")  # fmt: skip
    table = _released("jobs of", heads)
    for row in rows:
        table.add_row(
            *_releases(row),
            _bound(row["bound_us"]),
            _us(row["response_max_us"]),
            _none_is_well(row["late"], "bold red"),
            _none_is_well(row["overruns"], "bold yellow"),
            str(row["terminated"]),
        )
    return table


def tasks(rows: list[dict[str, Any]]) -> Table:
    """One line per task."""
    heads = ("every", "releases", "finished", "release to\nstart, most", "release to\nend, most",
             "missed")  # fmt: skip
    table = _released("task", heads)
    for row in rows:
        table.add_row(
            *_releases(row),
            _us(row["start_max_us"]),
            _us(row["response_max_us"]),
            _none_is_well(row["missed"], "bold red"),
        )
    return table


def tasks_alone(rows: list[dict[str, Any]], span_us: float) -> Table:
    """One line per task of a program without threads, as the machine saw them."""
    heads = ("every", "releases", "finished", "CPU used\nper start", "of the CPU", "missed")
    table = _released("task", heads)
    for row in rows:
        table.add_row(
            *_releases(row),
            _span(row["cpu_us_min"], row["cpu_us_max"]),
            f"{100 * row['cpu_us'] / span_us:.2f} %",
            _none_is_well(row["missed"], "bold red"),
        )
    return table


def _released(first: str, heads: tuple[str, ...]) -> Table:
    """Of what is released again and again; headings of one line or two, `first` to the left."""
    table = _plain_table(header=True)
    table.add_column(f"\n{first}")
    for head in heads:
        table.add_column(head if "\n" in head else f"\n{head}", justify="right")
    return table


def _releases(row: dict[str, Any]) -> tuple[Text | str, ...]:
    """Its first columns."""
    name = Text(row["name"], style="bold")
    return name, _us(row["period_us"]), str(row["releases"]), str(row["finished"])


def _none_is_well(count: int, otherwise: str) -> Text:
    return Text(str(count), style=otherwise if count else "green")


def _serial(text: str) -> list[RenderableType]:
    lines = text.splitlines()
    if not lines:
        return []
    more = len(lines) - SERIAL_LINES
    were = "line before them is" if more == 1 else "lines before them are"
    part = f", its last {SERIAL_LINES} lines; {more} {were} in serial.txt" if more > 0 else ""
    tail = Text("\n".join(lines[-SERIAL_LINES:]))
    return [Text(f"Serial{part}:", style="dim"), Padding(tail, (0, 0, 0, 2)), ""]


def _tasks(result: dict[str, Any]) -> Table:
    if result["tasks"][0].get("cpu_us") is None:
        return tasks(result["tasks"])
    return tasks_alone(result["tasks"], result["virtual_s"] * 1e6)


def _later(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What may have been late."""
    return [row for key in ("events", "pipes", "jobs") for row in result.get(key, [])]


def render(saved: dict[str, Any]) -> Group:
    """Everything `takt run` prints, from what Result.saved() holds."""
    result = saved["result"]
    admission = result["admission"]
    refused = admission is not None and admission["verdict"] != "admitted"
    missed = any(row["misses"] for row in result["threads"]) or bool(saved.get("failures"))
    missed = missed or any(row["late"] for row in _later(result))
    overran = any(row["overruns"] for row in result.get("jobs", []))
    missed = missed or any(row["lost"] for row in result.get("pipes", []))
    title = f" on {result['board']}, {duration_text(result['virtual_s'] * 1e6)} of virtual time"
    title += ", then interrupted" if result.get("interrupted") else ""
    broken = f": promise not kept: {saved['broken']}" if saved.get("broken") else ""
    for one in saved.get("failures", []):
        broken += f"{';' if broken else ':'} {one}"
    memory = (
        f"flash {_bytes(result['flash_bytes'])} of {_bytes(saved['flash_size'])}, "
        f"RAM {_bytes(result['ram_bytes'])} of {_bytes(saved['ram_size'])}\n"
    )
    if (overhead := result["kernel_overhead_pct"]) is None:
        memory += "no trace: nothing of time was measured"
    else:
        nested = len(result.get("tasks", [])) > 1 and bool(result["threads"])
        what = "kernel, interrupts and tasks on top of tasks" if nested else "kernel and interrupts"
        memory += f"{what} {overhead:.2f} % of the CPU"
    for waits in result.get("flash_waits", []):
        took = duration_text(waits["us"])
        memory += f"\n{waits['name']} waited {took} for {waits['words']} words of flash"
    if overhead is not None and result.get("cpu_seen_by") == "kernel":
        memory += "\nwhat loops used of the CPU is the kernel's own count: no machine saw it"
    if (timing := result.get("timing", "cycles")) != "cycles":
        memory += f"\ntime is {timing}, not that of the chip"
    files = _plain_table()
    files.add_column()
    files.add_column(overflow="fold")
    names = [*FILES, *sorted(result["files"].keys() - FILES)]
    for key in [name for name in names if name in result["files"]]:
        files.add_row(Text(FILES.get(key, key), style="dim"), Text(shown(result["files"][key])))
    style = "red" if refused or missed else "yellow" if overran else "green"
    parts: list[RenderableType] = [
        Text.assemble((result["sketch"], "bold"), title, (broken, "bold red")),
        Text(saved["verdict"], style=style),
        *map(Text, saved.get("costs_of", [])),
        "",
    ]
    if result["threads"]:
        parts += [Fitted(loops(result["threads"], result.get("interrupt_stack"))), ""]
    elif stack := result.get("interrupt_stack"):
        memory += f"\nstack of main and interrupts: {_stack(stack['used'], stack['size'])}"
    if result.get("events", []):
        parts += [Fitted(events(result["events"])), ""]
    if result.get("pipes", []):
        parts += [Fitted(pipe_tables.seen(result["pipes"], _plain_table(header=True))), ""]
    if result.get("jobs", []):
        parts += [Fitted(jobs(result["jobs"])), ""]
    if result.get("tasks", []):
        parts += [Fitted(_tasks(result)), ""]
    if result["world"]:
        parts += [world_tables.facts(result["world"], _plain_table()), ""]
    parts += world_tables.pictures(result.get("pictures", {}))
    return Group(*parts, *_serial(result["serial"]), Text(memory), "", files)


def show(result: Result, console: Console | None = None) -> None:
    """Prints the report of a run."""
    (console or Console()).print(render(result.saved()), highlight=False)


def show_saved(folder: Path, console: Console) -> None:
    """Prints the report of the last run whose files are in a folder."""
    console.print(render(load_saved(folder)), highlight=False)
