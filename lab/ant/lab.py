"""AnT's measurements (Figures 9 to 12, Table 3) on Takt's release structure and on those it was
chosen among; on the host (cases N=..) and on a board (..-stm32f051)."""

from __future__ import annotations

from typing import Any

from takt import boards

from . import host, plots, target

BOARD = "stm32f051"
BOARDS = ("stm32f051", "sim")  # sim: the host alone
HOST_N = (1, 2, 4, 8, 16, 31, 100, 1000, 10000)
COUNTED_N = (1, 31, 100, 1000, 10000)
BOARD_N = (1, 2, 4, 8, 16, 31)
SETS = ("lcm", "primes", "random")
KERNEL, SETS_WHEEL, ROWS, ANT, ART = (
    *("takt-kernel", "takt-sets", "bitmap-rows", "ant-table", "art-linux-queue"),
)
BASELINES = tuple(name for name in host.NAMES if not name.startswith("takt-"))
PLACES = 32  # as many threads as the kernel's form is for
MHZ = 400  # of the paper's Pentium II
SLACK = 1.2
Row = dict[str, Any]


def takt(n: int) -> str:
    """Which form is ours for N tasks."""
    return KERNEL if n < PLACES else SETS_WHEEL


def row(
    case: str, metric: str, value: float, unit: str, paper: float | None, goal: float | None
) -> Row:
    fields = ("case", "metric", "value", "unit", "paper", "goal")
    goal = None if goal is None else round(goal, 2)
    return dict(zip(fields, (case, metric, round(value, 2), unit, paper, goal), strict=True))


def ours_first(
    values: dict[str, float], n: int, label: str, metric: str, unit: str, of_rows: bool = False
) -> list[Row]:
    """Ours as case `label`, with the goal from the others of the same run; the others by name.
    of_rows: not above the bitmap rows; else 1.2 times the best."""
    best = min(values[name] for name in BASELINES if name in values)
    goal = values[ROWS] if of_rows else SLACK * best
    mine = takt(n)
    rows = [row(label, metric, values[mine], unit, None, goal)]
    others = (name for name in host.NAMES if name in values and name != mine)
    return rows + [
        row(f"{name}-{label}", metric, values[name], unit, None, None) for name in others
    ]


def _config(board: boards.Board) -> Row:
    told = {
        "host": host.compiler(),
        "takt": f"N < {PLACES}: rings of sets, as in the kernel (takt-kernel); beyond: a wheel of "
        "sets (takt-sets)",
        "cycles": "host: rdtsc, medians of the means of batches, an empty measurement taken off; "
        "board: cycles at no wait states",
        "instructions": "callgrind" if host.has_callgrind() else "not counted: no valgrind here",
    }
    if board.name != "sim":
        told["board"] = f"{board.name}, arm-none-eabi-gcc -Os"
    return told


def _figure(board: boards.Board, what: str, kind: int) -> Row:
    """Cycles and instructions for N tasks released together."""
    program, metric = host.compiled(), f"{what}_cycles"
    of_rows = what == "wait"
    rows: list[Row] = []
    for n in HOST_N:
        found = host.run(program, what, n)
        values = {name: value for (name, _, _), value in found.items()}
        rows += ours_first(values, n, f"N={n}", metric, "cycles", of_rows)
    for n in COUNTED_N if host.has_callgrind() else ():
        names = [name for name in host.NAMES if name != KERNEL or n < PLACES]
        values = {name: host.instructions(program, name, what, n) for name in names}
        rows += ours_first(values, n, f"N={n}", f"{what}_instructions", "instructions", of_rows)
    if board.name != "sim":
        measured = target.measure(board, 0)
        for n in BOARD_N:
            values = {s: v for (k, s, case), v in measured.items() if k == kind and case == n}
            rows += ours_first(values, n, f"N={n}-{board.name}", metric, "cycles", of_rows)
    return {"config": _config(board), "rows": rows}


def fig9(board: boards.Board, options: Row) -> Row:
    """Release of N tasks that are due at the same tick: cycles."""
    return _figure(board, "release", target.RELEASE)


def fig10(board: boards.Board, options: Row) -> Row:
    """Wait of the last of N tasks: cycles."""
    return _figure(board, "wait", target.WAIT)


def fig11_12(board: boards.Board, options: Row) -> Row:
    """100 tasks of period 100: how many are released at a tick."""
    found = host.run(host.compiled(), "spread")
    at = {
        (name, how): [int(found[name, how, f"releases_at_{t}"]) for t in range(100)]
        for name, how, metric in found
        if metric == "releases_per_tick_max"
    }
    mine = found[SETS_WHEEL, "placed", "releases_per_tick_max"]
    least = found[SETS_WHEEL, "placed", "releases_per_tick_min"]
    random = found[ART, "registered-at-random", "releases_per_tick_max"]
    rows = [
        row("takt", "releases_per_tick_max", mine, "releases", 4, 1),
        row("takt", "releases_per_tick_min", least, "releases", 3, 1),
        row(f"{ART}-registered-at-random", "releases_per_tick_max", random, "releases", None, None),
    ]
    config = _config(board) | {
        "paper": "3 or 4 (Figure 11), although 100 tasks in 100 entries must average 1",
        "takt at": at[SETS_WHEEL, "placed"],
        "art-linux at": at[ART, "registered-at-random"],
    }
    return {"config": config, "rows": rows}


PAPER_US = {  # Table 3
    "takt": {"max": 1.50, "avg": 1.15, "min": 0.95},
    ART: {"max": 2.42, "avg": 0.66, "min": 0.43},
}


def table3(board: boards.Board, options: Row) -> Row:
    """100 tasks of period 100: cycles of the release at each of the ticks."""
    found = host.run(host.compiled(), "spread")
    rows: list[Row] = []
    for which in ("max", "avg", "min"):
        for name, how, metric in found:
            if metric != f"release_{which}":
                continue
            value, mine = found[name, how, metric], name == SETS_WHEEL
            best = min(found[s, "placed", metric] for s in BASELINES if s != ART)
            paper = PAPER_US["takt" if mine else name] if mine or name == ART else {}
            cycles = round(paper[which] * MHZ) if paper else None
            case = f"{'takt' if mine else name}-{which}"
            goal = max(SLACK * best, 0) if mine else None
            rows.append(row(case, "release_cycles", value, "cycles", cycles, goal))
    return {"config": _config(board) | {"paper": f"us of {MHZ} MHz as cycles"}, "rows": rows}


def mixed(board: boards.Board, options: Row) -> Row:
    """Mixed periods: cycles per job, release and wait."""
    program = host.compiled()
    rows: list[Row] = []
    for name in SETS:
        found = host.run(program, "mixed", name)
        for metric, unit in (("cycles_per_job", "cycles"), ("table_bytes", "bytes")):
            values = {s: value for (s, _, what), value in found.items() if what == metric}
            lines = ours_first(values, 100, name, metric, unit)
            if metric == "table_bytes":
                lines = [line | {"goal": None} for line in lines]
            rows += lines
    if board.name != "sim":
        measured = target.measure(board, 0)
        for name in SETS:
            case = ord(name[0])
            values = {s: v for (k, s, c), v in measured.items() if k == target.MIXED and c == case}
            rows += ours_first(values, 31, f"{name}-{board.name}", "cycles_per_job", "cycles")
    config = _config(board) | {
        "lcm": "100 tasks, periods of {2..1000} that divide 1000",
        "primes": "100 tasks, periods of the primes 7 to 41",
        "random": "100 tasks, periods 10 to 1000 at random",
        "on the board": "31 tasks of the same sets",
        "missing": "the table of the least common multiple, or of all rows, does not fit",
    }
    return {"config": config, "rows": rows}


LABS = {
    "ant.fig9": fig9,
    "ant.fig10": fig10,
    "ant.fig11-12": fig11_12,
    "ant.table3": table3,
    "ant.mixed": mixed,
}
PLOTS = {
    "ant.fig9": plots.lines,
    "ant.fig10": plots.lines,
    "ant.fig11-12": plots.spread,
    "ant.mixed": plots.bars,
}
