"""What the build reports of a linked program: its threads and the memory it takes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from takt.admit import shares
from takt.admit.places import Where
from takt.admit.shares import Share
from takt.boards import Board
from takt.code.deepest import ANY, AT_RUN_TIME, CAUGHT, Doubt, Need
from takt.code.elf import Descriptor, Program
from takt.code.facts import SKETCHS
from takt.code.stacks import Stacks
from takt.code.stacks_host import HostStacks
from takt.errors import UserError

MOST_THREADS = "takt_most_threads"  # whose address is how many the kernel has room for
SPACES = re.compile(r"\b(?:\w+::)+(?=\w+::\w)")  # of names, but the last
NAME_SHOWN = 32  # a handler may be a lambda, whose name is its text


@dataclass(frozen=True)
class Thread:
    """A thread of the program. A bottom half has a share instead of budget and period."""

    name: str
    place: int
    budget_us: int | None
    period_us: int | None
    stack_size: int
    stack_need: int
    entry: int
    stack: int = 0  # lowest address
    chain: tuple[str, ...] = ()  # the calls that take the stack
    stack_calls: int = 0  # of stack_need: what the chain takes
    doubts: tuple[Doubt, ...] = ()  # why stack_need is no bound; empty: it is
    share: Share | None = None
    handler: bool = False  # calls functions given to attachInterruptVcpu() or attachInterrupt()
    vcpu: str = ""  # its symbol
    sketch_s: bool = False  # a loop or a handler of a sketch; else of a C program
    periodic: bool = False  # calls a job once per period
    stack_guard: int = 0  # of stack_size and stack_need: the end that is not for use
    guarded: bool = False  # a stack that overflows is noticed at once
    jump: int = 0  # bytes at a time by which it may overflow beyond its guard
    stack_given: bool = True  # its size, by the program: else it is the build's


def _names(found: list[Descriptor]) -> list[str]:
    """What threads are called: each name once."""
    result: list[str] = []
    for d in found:
        name = " ".join(d.name.split())
        if len(name) > NAME_SHOWN:
            name = name[: NAME_SHOWN - 3] + "..."
        name = f"bottom half of {name}" if d.share else name
        nth = 1 + sum(other.rsplit(" #", 1)[0] == name for other in result)
        result.append(name if nth == 1 else f"{name} #{nth}")
    return result


def threads(program: Program, stacks: Stacks | HostStacks) -> list[Thread]:
    """In order of place."""
    found = program.threads()
    symbols = {s.address: s.name for s in program.symbols if s.kind == "OBJECT"}
    guarded = stacks.guarded([d.stack for d in found])
    result = []
    for d, name, guard in zip(found, _names(found), guarded, strict=True):
        need: Need = stacks.thread(d)
        size = d.stack_end - d.stack
        facts = (name, d.place, d.budget_us, d.period_us, size, need.bytes, d.entry, d.stack)
        calls = (tuple(need.chain), need.calls)
        share = shares.of(program, d.vcpu, d.share) if d.share else None
        kind = stacks.facts.entry(d.entry)
        handles, own, job = kind == "handler", kind in SKETCHS, kind == "job"
        vcpu = symbols.get(d.vcpu, "")
        jump = need.step if guard and stacks.jumps(need, d.stack) else 0
        more = (own, job, stacks.guard, guard, jump)
        result.append(Thread(*facts, *calls, tuple(need.doubts), share, handles, vcpu, *more))
    return result


def check_count(program: Program, board: Board, place: Where, main: str) -> None:
    """Raises unless takt_start() takes so many threads."""
    most = program.by_name.get(MOST_THREADS)
    if most is None:  # the kernel is not there
        return
    found = [t for t in program.threads() if t.place >= most.address]
    if found:
        what = f"{most.address + len(found)} threads, and {board.name} has room for {most.address}"
        fix = (
            "let some loops do the work of several; jobs, handlers, pipes and all tasks "
            "together are threads, too"
        )
        raise UserError(what, place(found[0].name), fix)
    if not program.threads():
        raise UserError("no thread to run", main, "define one with TAKT_THREAD()")


def _too_small(found: list[Thread], where: str, traced: bool) -> UserError:
    what = "; ".join(
        f"{t.name} has {t.stack_size - t.stack_guard} bytes of stack and needs "
        f"{t.stack_need - t.stack_guard}"
        for t in found
    )
    fix = "give at least that much"
    if all(t.sketch_s for t in found):
        fix = f"leave the size out, so that the build finds it, or {fix}"
    elif traced:
        fix += "; the trace takes part of it: see what is flashed with --no-trace"
    return UserError(what, where, fix)


def check_stacks(
    found: list[Thread], board: Board, place: Where, main: str, traced: bool
) -> list[str]:
    """Warnings for stacks whose need is not certain; raises for those too small for sure, and for
    recursions that nothing would stop."""
    small = [t for t in found if t.stack_size < t.stack_need and not t.doubts]
    if small:
        raise _too_small(small, main, traced)
    for t in found:
        if not t.stack_given and (t.jump or not t.guarded):
            why = f"no guard of {board.name} would stop it" if not t.guarded else _beyond(t)
            stack = f"the stack of {t.name}"
            doubts = [doubt for doubt in t.doubts if doubt.kind != CAUGHT]
            _require_bounded(doubts, stack, why, place(t.name), _given(t.name))
    return [
        f"stack of {t.name} is a guess ({t.stack_size - t.stack_guard} bytes): {_briefly(t.doubts)}"
        + (f"; {_beyond(t)}" if t.jump else "")
        + (f"; give it a size: {given}" if (given := _given(t.name)) else "")
        for t in found
        if t.doubts
    ]


def _briefly(doubts: Sequence[Doubt]) -> str:
    """One of them, names without all that they lie within, and how many others there are."""
    told = min((SPACES.sub("", doubt) for doubt in doubts), key=len)
    return f"{told} and {len(doubts) - 1} more" if len(doubts) > 1 else told


def recursive(found: list[Thread]) -> set[str]:
    """Functions of recursions that nothing would stop unless they looked for room themselves."""
    return {
        name
        for t in found
        if not t.stack_given
        for doubt in t.doubts
        if t.jump or not t.guarded or doubt.kind == CAUGHT
        for name in doubt.functions
    }


def has_recursion(found: list[Thread]) -> bool:
    return any(doubt.functions for t in found for doubt in t.doubts)


def _given(thread: str) -> str:
    """How a sketch says how large a thread's stack is; empty: it cannot."""
    if thread == "loop":
        return "SET_LOOP_TASK_STACK_SIZE(bytes)"
    return "loop(id, C, T, bytes)" if thread.startswith("loop ") else ""


def _beyond(t: Thread) -> str:
    size = "any size" if t.jump >= ANY else f"{t.jump} bytes"
    return f"a frame of {size} may pass its guard of {t.stack_guard}"


def _require_bounded(doubts: Sequence[Doubt], stack: str, why: str, where: str, given: str) -> None:
    for doubt in doubts:
        fix = "end the recursion by a loop"
        if doubt.kind == AT_RUN_TIME:
            fix = "give the array a constant size"
        fix += f", or give a stack that is enough: {given}" if given else ""
        raise UserError(f"{stack} has no bound: {doubt}; {why}", where, fix)


def memory(program: Program, board: Board) -> tuple[int, int]:
    """Bytes of flash and of RAM taken, the stacks of threads included."""
    flash = sum(len(data) for _, _, data in program.segments)
    low, high = board.ram.origin, board.ram.origin + board.ram.size
    ram = sum(s.size for s in program.sections if low <= s.address < high)
    return flash, ram


def interrupt_stack(program: Program) -> int:
    """Bytes of the stack that main and the handlers share; 0: the link script does not say."""
    start = program.by_name.get("__takt_isr_stack_start")
    end = program.by_name.get("__takt_isr_stack_end")
    return end.address - start.address if start and end else 0


def check_interrupt_stack(
    size: int, need: Need, board: Board, caught: bool, where: str
) -> list[str]:
    """A warning if the need is not certain; raises if the stack is too small, or may be at any
    size and nothing catches it."""
    if not caught:
        why = f"no guard of {board.name} would stop it"
        sure = [doubt for doubt in need.doubts if doubt.kind != CAUGHT]
        _require_bounded(sure, "the stack of the interrupts", why, where, False)
    doubts = [f"stack of the interrupts is a guess: {doubt}" for doubt in need.doubts]
    if size and need.bytes > size and not doubts:
        raise UserError(
            f"interrupts nested in each other need {need.bytes} bytes of stack, the board has "
            f"{size}; deepest is {', '.join(need.chain)}",
            where,
            "do less in functions given to attachInterrupt()",
        )
    return doubts
