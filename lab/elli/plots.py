"""The pictures of this lab."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from takt.cli.labs import drawing as lab_drawing
from takt.cli.labs.drawing import PAPER, TAKT, bars, heading, key, value
from takt.result.pictures.panel import GRID

from .figures import MHZ

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

SOURCE = "Ell-i: Lopez Guadarrama's thesis. Takt in virtual time, the same in every run."
sheet = partial(lab_drawing.sheet, SOURCE)
OTHERS = ("Ell-i (thesis)", "ChibiOS/RT (thesis)", "CoOS (thesis)")
OF_OTHERS = {  # Tables 9 to 11
    "wait_switch_us": (6.02, 3.19, 9.29),
    "signal_switch_us": (5.95, 4.79, 10.83),
    "kernel_flash_bytes": (1232, 950, 1942),
    "kernel_ram_bytes": (52, 80, 668),
}
WHOLE = {"Ell-i (thesis), in up to three parts": 6.02, "ChibiOS/RT (thesis), in one": 3.19}
PROGRAMS = {"threads": "threads", "mutex": "with a mutex", "budgets": "with budgets"}


def switch(outcome: Outcome) -> Figure:
    """Table 9: us of both directions at 48 MHz, which takes one wait state."""
    figure, panels = sheet(
        "Semaphore wait and signal with a switch of threads (Table 9)",
        "At 48 MHz, where this chip's flash takes one wait state; longest of all rounds.",
        2,
        3.8,
    )
    cases = {
        "max-ws1": "Takt, threads",
        "max-lto-ws1": "Takt, threads, --lto",
        "max-mutex-ws1": "Takt, with a mutex",
    }
    titles = {"wait_switch_us": "wait and switch, us", "signal_switch_us": "signal and switch, us"}
    for axes, (metric, title) in zip(panels, titles.items(), strict=True):
        ours = [value(outcome, case, metric) for case in cases]
        colours = [TAKT] * len(ours) + [PAPER] * len(OTHERS)
        names = [*cases.values(), *OTHERS]
        bars(axes, names, [*ours, *OF_OTHERS[metric]], colours, "{:.2f}")
        heading(axes, title)
        if axes is not panels[0]:
            axes.set_yticklabels([])
    return figure


def size(metric: str, title: str, outcome: Outcome) -> Figure:
    """Tables 10 and 11: bytes of the kernel."""
    figure, (axes,) = sheet(
        title,
        "Takt by what the program has: threads, a handler that signals, a mutex, time, budgets.",
        1,
        3.8,
    )
    rows = [row for row in outcome.rows if row["metric"] == metric]
    names = [f"Takt, {row['case'].replace('threads+', 'threads and ')}" for row in rows]
    colours = [TAKT] * len(rows) + [PAPER] * len(OTHERS)
    values = [row["value"] for row in rows]
    bars(axes, [*names, *OTHERS], [*values, *OF_OTHERS[metric]], colours)
    axes.set_xlabel("bytes", fontsize=9)
    return figure


def blocking(outcome: Outcome) -> Figure:
    """Figure 15: where interrupts are off while a thread waits and another goes on."""
    figure, (axes,) = sheet(
        "Interrupts off during a wait with a switch of threads (Figure 15)",
        "Dark: interrupts off. Cycles from the call to the other thread. Of the thesis's two the "
        "whole is known, and in how many parts interrupts are off, not where.",
        1,
        3.8,
    )
    waits = outcome.config["waits"]
    names = [f"Takt, {PROGRAMS[case]}" for case in waits]
    for at, found in enumerate(waits.values()):
        off = [(begin, length) for begin, length in found["off"]]
        axes.barh(at, found["cycles"], 0.5, color=TAKT, alpha=0.25, label=None if at else "wait")
        axes.broken_barh(off, (at - 0.25, 0.5), color=TAKT, label=None if at else "interrupts off")
        said = f"{found['cycles']} cycles, off for at most {max(n for _, n in off)}"
        axes.annotate(said, (found["cycles"], at), xytext=(5, 0), textcoords="offset points",
                      va="center", fontsize=9)  # fmt: skip
    for at, (name, us) in enumerate(WHOLE.items(), len(waits)):
        axes.barh(at, us * MHZ, 0.5, color="none", edgecolor=PAPER, linestyle="--")
        axes.annotate(f"{us * MHZ:.0f} cycles", (us * MHZ, at), xytext=(5, 0),
                      textcoords="offset points", va="center", fontsize=9)  # fmt: skip
        names.append(name)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.35)
    axes.set_xlabel("cycles", fontsize=9)
    axes.grid(axis="x", color=GRID, linewidth=0.7)
    key(axes, loc="lower right")
    return figure


PLOTS = {
    "elli.switch": switch,
    "elli.flash": partial(size, "kernel_flash_bytes", "Flash of the kernel (Table 10)"),
    "elli.ram": partial(size, "kernel_ram_bytes", "RAM of the kernel, no stacks (Table 11)"),
    "elli.interrupts-off": blocking,
}
