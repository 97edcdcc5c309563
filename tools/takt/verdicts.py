"""What admission says of a linked program, and what that rests on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from takt import admission, spread
from takt.boards import Board
from takt.elf import Program
from takt.events import Interrupts
from takt.layout import Thread
from takt.pipes import Pipes


def judge(
    threads: list[Thread],
    board: Board,
    program: Program,
    pins: Interrupts,
    pipes: Pipes,
    cpus: int = 1,
) -> admission.Admission | None:
    """What admission says; None when no thread has a budget, so that nothing is promised."""
    budgeted = [thread for thread in threads if thread.budget_us is not None]
    if not budgeted:
        return None
    sources = _interrupts(board, program) + pins.tops() + pipes.interrupts()
    verdict = admission.check(budgeted, sources, board.costs, pins.ios())
    if pipes.asked:
        verdict = _with_more(verdict, " (pipes are judged after that)")
    most = int(board.raw.get("cpus", 1))
    if most == 1 or (cpus == 1 and verdict.admitted):
        return verdict
    bound = spread.bound_to(program)
    places = program.descriptors()
    names = {t.name: bound[places[t.place]] for t in threads if places[t.place] in bound}
    critical_ns = int(board.costs.get("critical", 0))
    if cpus > 1:
        return spread.spread(verdict, cpus, names, critical_ns)
    tried = (spread.spread(verdict, n, names, critical_ns) for n in range(2, most + 1))
    enough = next((found.cpus for found in tried if found.admitted), None)
    more = f", or run it on {enough} CPUs: --cpus {enough}"
    return _with_more(verdict, more) if enough else verdict


def _with_more(verdict: admission.Admission, more: str) -> admission.Admission:
    """Refusals whose fixes say more."""
    refusals = tuple(replace(one, text=one.text + more) for one in verdict.refusals)
    return replace(verdict, refusals=refusals)


def _interrupts(board: Board, program: Program) -> list[admission.Interrupt]:
    """The board's sources whose driver is part of the program."""
    return [
        admission.Interrupt(one["name"], one["cost_ns"], one["separation_us"])
        for one in _sources(board, program)
    ]


def _sources(board: Board, program: Program) -> list[dict[str, Any]]:
    known = board.raw.get("interrupts", [])
    return [one for one in known if one["needs"] in program.by_name]


def assumed(
    board: Board, program: Program, pins: Interrupts, locks: bool, pipes: Pipes
) -> list[str]:
    """What the proof takes for granted, a line each. locks: the sketch has sections under a
    Mutex."""
    lines = pins.assumed()
    for one in _sources(board, program):
        often = f"{one['cost_ns'] / 1000:g} us at most every {one['separation_us'] / 1000:g} ms"
        beyond = one.get("beyond")
        name = one["name"]
        lines.append(f"{name}: {often}; {beyond}" if beyond else f"counted: {name}, {often}")
    lines += pipes.assumed()
    if locks:
        longest = admission.critical_us(board.costs)
        lines.append(f"sections under a Mutex are assumed shorter than {longest} us")
    return lines
