"""What the build reports of a linked program: its threads and the memory it takes."""

from __future__ import annotations

from dataclasses import dataclass

from takt.boards import Board
from takt.elf import Program
from takt.errors import UserError
from takt.stacks import Need, Stacks


@dataclass(frozen=True)
class Thread:
    name: str
    place: int
    budget_us: int | None
    period_us: int | None
    stack_size: int
    stack_need: int
    entry: int
    stack: int = 0  # lowest address
    chain: tuple[str, ...] = ()  # the calls that take the stack
    doubts: tuple[str, ...] = ()  # why stack_need is no bound; empty: it is


def threads(program: Program, stacks: Stacks) -> list[Thread]:
    """In order of place."""
    result = []
    for d in program.threads():
        need: Need = stacks.thread(d)
        size = d.stack_end - d.stack
        facts = (d.name, d.place, d.budget_us, d.period_us, size, need.bytes, d.entry, d.stack)
        result.append(Thread(*facts, tuple(need.chain), tuple(need.doubts)))
    return result


def check_stacks(found: list[Thread], where: str) -> list[str]:
    """Warnings for stacks whose need is not certain; raises for one that is too small for sure."""
    warnings = []
    for thread in found:
        if thread.stack_size < thread.stack_need and not thread.doubts:
            raise UserError(
                f"{thread.name} has {thread.stack_size} bytes of stack and needs "
                f"{thread.stack_need}",
                where,
                "leave the size out, so that the build finds it, or give at least that much",
            )
        for doubt in thread.doubts:
            warnings.append(
                f"stack of {thread.name} is a guess ({thread.stack_size} bytes): {doubt}; "
                "bound it by a fourth argument, loop(id, C, T, stack bytes)"
            )
    return warnings


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


def check_interrupt_stack(size: int, need: Need, where: str) -> list[str]:
    """A warning if the need is not certain; raises if the stack is too small."""
    doubts = [f"stack of the interrupts is a guess: {doubt}" for doubt in need.doubts]
    if size and need.bytes > size and not doubts:
        raise UserError(
            f"interrupts nested in each other need {need.bytes} bytes of stack, the board has "
            f"{size}; deepest is {', '.join(need.chain)}",
            where,
            "do less in functions given to attachInterrupt()",
        )
    return doubts
