"""What admission says of a linked program, and what that rests on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from takt.admit import admission, blocking, spread
from takt.admit.events import Interrupts
from takt.admit.fixes import duration
from takt.admit.layout import Thread
from takt.admit.locks import Locks
from takt.admit.pipes import Pipes
from takt.admit.places import Where
from takt.boards import Board
from takt.code import left
from takt.code.elf import Program
from takt.errors import UserError

REFERENCE = "takt_periodic_reference"  # clock, kernel/job/reference.c
RECEIVES = "takt_uart_open_linked"  # of the source that is bytes which a port receives
HOLDS = "noInterrupts"  # handlers, arduino/irq_switch.cpp
WATCHDOG = "takt_vcpu_watchdog"  # of the thread that feeds it, include/takt/watchdog.h
IN_INTERRUPT = "takt_attach_in_interrupt"  # arduino/attach_in_interrupt.cpp, attach_param_isr.cpp


def judge(
    threads: list[Thread],
    board: Board,
    program: Program,
    pins: Interrupts,
    pipes: Pipes,
    found: Locks,
    cpus: int = 1,
) -> admission.Admission | None:
    """What admission says; None when no thread has a budget, so that nothing is promised."""
    budgeted = [thread for thread in threads if thread.budget_us is not None]
    if not budgeted:
        return None
    sources = _interrupts(board, program) + pins.tops() + pipes.interrupts()
    background = sum(t.budget_us is None and t.share is None for t in threads)
    costs = admission.Costs(*(int(board.costs.get(name, 0)) for name in ("switch", "alarm")))
    others_us = costs.wakes_us(background)
    loops = [
        replace(
            _with_waits(thread, found, others_us),
            by_reference=thread.periodic and REFERENCE in program.by_name,
        )
        for thread in budgeted
    ]
    verdict = admission.check(loops, sources, board.costs, pins.ios())
    verdict = _with_unknown(verdict, blocking.unknown(found.held, budgeted))
    if pipes.asked:
        verdict = _with_more(verdict, " (pipes are judged after that)")
    most = int(board.raw.get("cpus", 1))
    if most == 1 or (cpus == 1 and verdict.admitted):
        return verdict
    bound = spread.bound_to(program)
    places = program.descriptors()
    names = {t.name: bound[places[t.place]] for t in threads if places[t.place] in bound}
    critical_ns = int(board.costs.get("critical", 0))
    on_one = verdict
    if cpus > 1 and (verdict := spread.spread(on_one, cpus, names, critical_ns)).admitted:
        return verdict
    tried = (spread.spread(on_one, n, names, critical_ns) for n in range(2, most + 1) if n != cpus)
    enough = next((found.cpus for found in tried if found.admitted), None)
    more = f", or run it on {enough} CPUs: --cpus {enough}"
    return _with_more(verdict, more) if enough else verdict


def _with_waits(thread: Thread, found: Locks, others_us: int) -> admission.Loop:
    """A loop with what sections and wake-ups of others may take from it."""
    assert thread.budget_us is not None and thread.period_us is not None
    waits = found.waits(thread.place)
    blocking_us = waits.us + others_us
    times = (thread.budget_us, thread.period_us, blocking_us, 0, admission.FRAGMENTS)
    return admission.Loop(thread.name, *times, waits.longest)


def _with_unknown(
    verdict: admission.Admission, unknown: list[tuple[blocking.Held, Thread]]
) -> admission.Admission:
    """Refused for sections whose length must be stated."""
    if not unknown:
        return verdict
    found = [
        admission.Refusal(
            late.name,
            None,
            f"{held.thread} holds {late.name} up in the section {held.lock}, and how long cannot "
            f"be found out: {held.why}; {held.fix}",
            held.where,
        )
        for held, late in unknown
    ]
    return replace(verdict, admitted=False, refusals=(*found, *verdict.refusals))


def _with_more(verdict: admission.Admission, more: str) -> admission.Admission:
    """Refusals whose fixes say more."""
    refusals = tuple(replace(one, text=one.text + more) for one in verdict.refusals)
    return replace(verdict, refusals=refusals)


def require_watched(threads: list[Thread], place: Where) -> None:
    """Raises unless the thread that feeds the watchdog is the least urgent of those with a budget:
    while it runs none of these is owed any."""
    own = next((t.period_us or 0 for t in threads if t.vcpu == WATCHDOG), None)
    others = [t for t in threads if t.period_us is not None and t.vcpu != WATCHDOG]
    longest = max(others, key=lambda t: t.period_us or 0, default=None)
    if own is None or longest is None or own >= (longest.period_us or 0):
        return
    least = duration(longest.period_us or 0)
    raise UserError(
        f"the watchdog's T, {duration(own)}, is shorter than that of {longest.name}, {least}: "
        "it would be fed while budget is owed to that",
        place("watchdog"),
        f"make it {least} or longer, or that of {longest.name} shorter",
    )


def _unwatched(threads: list[Thread]) -> list[str]:
    """What is said of threads that the watchdog does not watch."""
    free = [t.name for t in threads if t.budget_us is None and t.share is None]
    if not free or all(t.vcpu != WATCHDOG for t in threads):
        return []
    verb = "has" if len(free) == 1 else "have"
    return [f"watchdog: it does not watch {', '.join(free)}, which {verb} no budget"]


def _interrupts(board: Board, program: Program) -> list[admission.Interrupt]:
    """The board's sources whose driver is part of the program."""
    return [
        admission.Interrupt(one["name"], one["cost_ns"], one["separation_us"])
        for one in _sources(board, program)
    ]


def _sources(board: Board, program: Program) -> list[dict[str, Any]]:
    known = board.raw.get("interrupts", [])
    return [one for one in known if one["needs"] in program.by_name]


def _pipes_alone_receive(board: Board, program: Program, pipes: Pipes) -> bool:
    """Whether serial ports are read by pipes only, which tell how much comes at most."""
    ports = board.raw.get("serial", {}).get("ports", ())
    opened = any(port["name"] in program.by_name for port in ports)  # by Arduino's objects
    return not opened and any(end.line and not end.output for end in pipes.ends)


def assumed(
    threads: list[Thread],
    verdict: admission.Admission | None,
    board: Board,
    program: Program,
    pins: Interrupts,
    unseen: bool,
    pipes: Pipes,
) -> list[str]:
    """What the proof takes for granted, a line each; where nothing is promised, what follows from
    that. unseen: the sketch has sections under a Mutex, and the board's code is not analysed."""
    if verdict is None:
        alone = any(name.startswith(IN_INTERRUPT) for name in program.by_name)
        return ["attachInterrupt(): handlers run in the interrupt, as nothing has a budget"] * alone
    lines = pins.assumed()
    for one in _sources(board, program):
        if one["needs"] == RECEIVES and _pipes_alone_receive(board, program, pipes):
            continue
        often = f"{one['cost_ns'] / 1000:g} us at most every {one['separation_us'] / 1000:g} ms"
        beyond = one.get("beyond")
        name = one["name"]
        lines.append(f"{name}: {often}; {beyond}" if beyond else f"counted: {name}, {often}")
    lines += pipes.assumed() + left.assumed(program, board)
    lines += _unwatched(threads)
    if HOLDS in program.by_name and pins.handlers:
        lines.append("noInterrupts(): while it waits for a handler events wait beyond their bounds")
    if unseen:
        longest = admission.critical_us(board.costs)
        lines.append(f"sections under a Mutex are assumed shorter than {longest} us")
    return lines
