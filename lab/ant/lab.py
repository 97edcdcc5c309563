"""AnT's measurements (Figures 9 to 12, Table 3) on Takt's release structure and on those it is
compared with, on the host (cases N=..) and on a board (..-stm32f051); the kernel itself there."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

from takt import boards
from takt.cli.labs.lab import by_case

from . import host, intervals, kernel, plots, target

BOARD = "stm32f051"
BOARDS = {
    **dict.fromkeys(("ant.fig9", "ant.fig10", "ant.fig11-12"), ("stm32f051", "sim")),
    **dict.fromkeys(("ant.table3", "ant.mixed"), ("stm32f051", "sim")),
    "ant.fig2-3": ("stm32f051",),
    "ant.kernel": ("stm32f051",),
}  # sim: the host alone
OPTIONS = ("account",)
HOST_N = (1, 2, 4, 8, 16, 31, 64, 100, 1000, 10000)
COUNTED_N = (1, 31, 100, 1000, 10000)
BOARD_N = (1, 2, 4, 8, 16, 31)
KERNEL_N = (1, 2, 4, 8, 12)
TOLD_N = (1, 12)  # by function
SETS = ("lcm", "primes", "random")
TAKT, ROWS, ART = "takt", "bitmap-rows", "art-linux-queue"
COLD = "cold"
BASELINES = tuple(name for name in host.NAMES if name != TAKT)
HUNDRED = 100
MHZ = 400  # of the paper's Pentium II
SLACK = 1.2
TOLD = 1  # cycles: what the host's clock, which goes in steps of 26, can tell apart in a batch
Row = dict[str, Any]


def row(
    case: str, metric: str, value: float, unit: str, paper: float | None, goal: float | None
) -> Row:
    fields = ("case", "metric", "value", "unit", "paper", "goal")
    goal = None if goal is None else round(goal, 2)
    return dict(zip(fields, (case, metric, round(value, 2), unit, paper, goal), strict=True))


def ours_first(
    values: dict[str, float], label: str, metric: str, unit: str, of_rows: bool = False
) -> list[Row]:
    """Ours as case `label`, with the goal from the others of the same run; the others by name.
    of_rows: not above the bitmap rows, as far as the clock can tell; else 1.2 times the best."""
    best = min(values[name] for name in BASELINES if name in values)
    on_host = unit == "cycles" and label.rpartition("-")[2] != BOARD
    goal = values[ROWS] + TOLD * on_host if of_rows else SLACK * best
    rows = [row(label, metric, values[TAKT], unit, None, goal)]
    others = (name for name in BASELINES if name in values)
    return rows + [
        row(f"{name}-{label}", metric, values[name], unit, None, None) for name in others
    ]


def _config(board: boards.Board) -> Row:
    told = {
        "host": host.compiler(),
        "cold": "1 MB is read before each release, as in the paper; an empty call after that is "
        "taken off",
        "takt": f"kernel/job/releases.c; for more than {host.PLACES} tasks compiled with sets of "
        "several words (wide/takt/set.h)",
        "cycles": "host: rdtsc; all structures take turns, a batch each, medians of the batches' "
        f"means, an empty call of the same turn taken off, median of {host.PROCESSES} processes; "
        "board: cycles at no wait states",
        "instructions": "callgrind" if host.has_callgrind() else "not counted: no valgrind here",
    }
    if board.name != "sim":
        told["board"] = f"{board.name}, arm-none-eabi-gcc -Os"
    return told


def _counted(n: int, what: str, of: int | str, metric: str) -> list[Row]:
    """Instructions by structure, and branches that a simple predictor gets wrong."""
    if not host.has_callgrind():
        return []
    program = host.compiled(n)
    counts = {name: host.counts(program, name, what, of) for name in host.NAMES}
    found = {name: count for name, count in counts.items() if count}
    values = {name: count.instructions for name, count in found.items()}
    case = f"N={of}" if isinstance(of, int) else of
    rows = ours_first(values, case, metric, "instructions", what == "wait")
    missed = {name: count.mispredicted for name, count in found.items()}
    told = ours_first(missed, case, metric.replace("instructions", "mispredicted"), "branches")
    return rows + [line | {"goal": None} for line in told if what == "mixed"]


def _figure(board: boards.Board, what: str, kind: int) -> Row:
    """Cycles and instructions for N tasks released together."""
    metric = f"{what}_cycles"
    of_rows = what == "wait"
    rows: list[Row] = []
    for n, cold in product(HOST_N, ((), (COLD,))):
        found = host.repeated(host.compiled(n), *cold, "figure", n)
        values = {name: value for (name, _, measured), value in found.items() if measured == metric}
        case = "-".join((f"N={n}", *cold))
        rows += ours_first(values, case, metric, "cycles", of_rows)
    for n in COUNTED_N if what == "release" else COUNTED_N[::2]:
        rows += _counted(n, what, n, f"{what}_instructions")
    if board.name != "sim":
        measured = target.measure(board, 0)
        for n in BOARD_N:
            values = {s: v for (k, s, case), v in measured.items() if k == kind and case == n}
            rows += ours_first(values, f"N={n}-{board.name}", metric, "cycles", of_rows)
    return {"config": _config(board), "rows": rows}


def fig9(board: boards.Board, options: Row) -> Row:
    """Release of N tasks that are due at the same tick: cycles."""
    return _figure(board, "release", target.RELEASE)


def fig10(board: boards.Board, options: Row) -> Row:
    """Leaving the ready set, the structure's part of the wait, of the last of N tasks: cycles."""
    return _figure(board, "wait", target.WAIT)


def fig11_12(board: boards.Board, options: Row) -> Row:
    """100 tasks of period 100: how many are released at a tick."""
    found = host.run(host.compiled(HUNDRED), "spread")
    at = {
        (name, how): [int(found[name, how, f"releases_at_{t}"]) for t in range(HUNDRED)]
        for name, how, metric in found
        if metric == "releases_per_tick_max"
    }
    mine = found[TAKT, "placed", "releases_per_tick_max"]
    least = found[TAKT, "placed", "releases_per_tick_min"]
    random = found[ART, "registered-at-random", "releases_per_tick_max"]
    rows = [
        row("takt", "releases_per_tick_max", mine, "releases", 4, 1),
        row("takt", "releases_per_tick_min", least, "releases", 3, 1),
        row(f"{ART}-registered-at-random", "releases_per_tick_max", random, "releases", None, None),
    ]
    config = _config(board) | {
        "paper": "3 or 4 (Figure 11), although 100 tasks in 100 entries must average 1",
        "takt at": at[TAKT, "placed"],
        "art-linux at": at[ART, "registered-at-random"],
    }
    return {"config": config, "rows": rows}


PAPER_US = {  # Table 3
    "ant-table": {"max": 1.50, "avg": 1.15, "min": 0.95},
    ART: {"max": 2.42, "avg": 0.66, "min": 0.43},
}


def table3(board: boards.Board, options: Row) -> Row:
    """100 tasks of period 100: cycles of the release at each of the ticks."""
    rows: list[Row] = []
    for cold in ((), (COLD,)):
        found = host.repeated(host.compiled(HUNDRED), *cold, "spread")
        for which in ("max", "avg", "min"):
            metric = f"release_{which}"
            values = {name: v for (name, _, measured), v in found.items() if measured == metric}
            lines = ours_first(values, "-".join((which, *cold)), "release_cycles", "cycles")
            for line, name in zip(lines, values, strict=True):
                paper = PAPER_US.get(name, {}).get(which) if cold else None
                line["paper"] = paper and round(paper * MHZ)
            rows += lines
    rows += _counted(HUNDRED, "spread", "avg", "release_instructions")
    return {"config": _config(board) | {"paper": f"us of {MHZ} MHz as cycles"}, "rows": rows}


def mixed(board: boards.Board, options: Row) -> Row:
    """Mixed periods: cycles per job, release and wait."""
    program = host.compiled(HUNDRED)
    rows: list[Row] = []
    for name in SETS:
        found = host.repeated(program, "mixed", name)
        for metric, unit in (("cycles_per_job", "cycles"), ("table_bytes", "bytes")):
            values = {s: value for (s, _, what), value in found.items() if what == metric}
            lines = ours_first(values, name, metric, unit)
            if metric == "table_bytes":
                lines = [line | {"goal": None} for line in lines]
            rows += lines
        rows += _counted(HUNDRED, "mixed", name, "instructions_per_job")
    if board.name != "sim":
        measured = target.measure(board, 0)
        for name in SETS:
            case = ord(name[0])
            values = {s: v for (k, s, c), v in measured.items() if k == target.MIXED and c == case}
            rows += ours_first(values, f"{name}-{board.name}", "cycles_per_job", "cycles")
    config = _config(board) | {
        "of runs of the same work": "the shortest of 8, in turns",
        "lcm": "100 tasks, periods of {2..1000} that divide 1000",
        "primes": "100 tasks, periods of the primes 7 to 41",
        "random": "100 tasks, periods 10 to 1000 at random",
        "on the board": "31 tasks of the same sets",
        "missing": "the table of the least common multiple, or of all rows, does not fit",
    }
    return {"config": config, "rows": rows}


def of_kernel(board: boards.Board, options: Row) -> Row:
    """The kernel itself: N jobs released at once, from the alarm's handler on; the end of a job."""
    rows: list[Row] = []
    account: list[str] = []
    for wait_states, n in product((0, 1), KERNEL_N):
        found = kernel.measure(board, n, wait_states)
        case = f"N={n}-{board.name}" + (f"-ws{wait_states}" if wait_states else "")
        values = {
            "handler_cycles": found.release.entry + found.release.handler,
            "release_cycles": found.release.ready,
            "first_job_cycles": found.release.begun[0],
            "wait_cycles": max(found.release.waits()),
            "idle_cycles": found.release.waits()[-1],
            "cycles_per_job": found.busy / n,
        }
        rows += [row(case, metric, value, "cycles", None, None) for metric, value in values.items()]
        rows.append(row(case, "alarms", 1 + len(found.others), "", None, None))
        if n in TOLD_N and not wait_states:
            account += [f"{case}, cycles by function: {', '.join(kernel.PHASES)}"]
            account += [
                "  " + "".join(f"{cycles or '':7}" for cycles in told) + f"  {name}"
                for name, told in kernel.account(found)
            ]
    config = {
        "program": "N periodic threads whose jobs are empty, released at the same instant",
        "handler_cycles": "from sleep to the return of the alarm's handler",
        "release_cycles": "from the first instruction of the alarm's handler until all N are ready",
        "first_job_cycles": "from there to the first instruction of the first job",
        "wait_cycles": "longest from the end of a job to the next one's beginning, or to sleep",
        "idle_cycles": "from the end of the last to sleep",
        "cycles_per_job": "all cycles awake in a period, through N",
        "alarms": "in a period",
        "board": f"{board.name}, arm-none-eabi-gcc -Os, no trace; ws1: one wait state",
    }
    return {"config": config, "rows": rows, "account": account}


CASE = re.compile(
    r"^(?:(?P<who>.+?)-)?(?P<what>N=\d+|lcm|primes|random|max|avg|min)(?P<on>-\w+(?:-ws1)?)?$"
)


def by_structure(row: Row) -> tuple[str, str, str]:
    """A table for each metric and machine, a line for each structure."""
    found = CASE.match(row["case"])
    assert found
    where = (found["on"] or "-host")[1:].replace(COLD, "host, cold")
    return f"`{row['metric']}`, {where}:", found["who"] or TAKT, found["what"]


def by_jobs(row: Row) -> tuple[str, str, str]:
    """A table for each wait state, a column for each N."""
    jobs, _, where = row["case"].partition("-")
    return f"{where}:", f"`{row['metric']}`", jobs


def on_host(row: Row) -> bool:
    """Whether a figure hangs on the host: its clock, or what its compiler makes."""
    counted = ("bytes", "releases")
    return (
        BOARD not in row["case"] and not row["case"].startswith("T=") and row["unit"] not in counted
    )


LABS = {
    "ant.fig2-3": intervals.measure,
    "ant.fig9": fig9,
    "ant.fig10": fig10,
    "ant.fig11-12": fig11_12,
    "ant.table3": table3,
    "ant.mixed": mixed,
    "ant.kernel": of_kernel,
}
TABLES = {
    **dict.fromkeys(LABS, by_structure),
    **dict.fromkeys(("ant.fig2-3", "ant.fig11-12"), by_case),
    "ant.kernel": by_jobs,
}
VARIES = on_host
PLOTS = {
    "ant.fig2-3": plots.intervals,
    "ant.fig9": plots.lines,
    "ant.fig10": plots.lines,
    "ant.fig11-12": plots.spread,
    "ant.mixed": plots.bars,
}
