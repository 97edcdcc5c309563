"""Where a program was when it stopped: function, file and line, and the chain of calls that led
there, in words. The firmware says an address at most; all else comes from what the machine holds
and from the program's debug information.
"""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.code import vectors
from takt.code.architecture import AVR
from takt.code.elf import Program
from takt.code.source_names import SourceNames
from takt.code.unwind import Call, Registers, Unwinder
from takt.paths import ROOT, shown
from takt.result import nowhere

if TYPE_CHECKING:
    from takt.admit.layout import Thread
    from takt.boards import Board
    from takt.build.build import Build

FRAME_WORDS = 8  # r0-r3, r12, lr, pc, xpsr: what an exception puts on a stack of a Cortex-M
PC_IN_FRAME, XPSR_IN_FRAME, LR_IN_FRAME = 6, 7, 5
THUMB_STATE, ALIGNED = 1 << 24, 1 << 9
NOT_XPSR = 0x00F00000  # bits that are 0 in it
HANDLER = 0x1FF  # xpsr: the number of the exception
PSP = 18  # of Machine.register()
TOLD = re.compile(r"(?:hard fault at|pc=|at pc) ?0x([0-9a-f]+)")
PC_REGISTERS = re.compile(r"\b(r\w\w|r\d)=([0-9a-f]{16})\b")  # port/x86_64/fault.c
DWARF_X86 = (
    "rax",
    "rdx",
    "rcx",
    "rbx",
    "rsi",
    "rdi",
    "rbp",
    "rsp",
    *(f"r{n}" for n in range(8, 16)),
)
GDB_X86 = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", *(f"r{n}" for n in range(8, 16)))
RIP = 16  # of gdb
AVR_SP = 33
ISR_STACK = "__takt_isr_stack_start"
SENTINEL_BYTES = 4  # the kernel's own word at the end of a stack
BODY = re.compile(r"^takt_(loop|periodic|task|pipe)(?:_of)?_(\w+?)_(?:body|job|step)\(.*\)$")
CLONE = re.compile(r" \[clone .*\]$")
OURS = tuple(
    f"{ROOT / folder}/" for folder in ("arduino", "admission", "kernel", "port", "drivers", "board")
)
UNFED = (
    "budget was owed all that time: look for interrupts that are off, a handler or a section that "
    "does not end, interrupts more often than takt check counts"
)
INNERMOST = tuple(f"{ROOT / folder}/" for folder in ("admission", "kernel", "port"))


@dataclass(frozen=True)
class Step:
    """A function in the chain, from the inside."""

    function: str
    file: str
    line: int
    sure: bool

    @property
    def where(self) -> str:
        return f"{shown(Path(self.file))}:{self.line}" if self.file else ""

    def as_dict(self) -> dict[str, object]:
        place = {"file": shown(Path(self.file)) if self.file else "", "line": self.line}
        return {"function": self.function, **place, "sure": self.sure}


@dataclass(frozen=True)
class StopPlace:
    steps: list[Step]
    interrupt: bool = False  # in a handler, on the stack of the interrupts
    stack_pointer: int = 0
    lost: bool = False  # what called the function, by telling of the fault
    nowhere: int | None = None  # an address that was called, where there is no code

    @property
    def who(self) -> str:
        """Beside the thread, which may run setup(), or be interrupted."""
        if any(step.function == "setup()" for step in self.steps):
            return " in setup()"
        return " in an interrupt" if self.interrupt else ""

    @property
    def own(self) -> Step | None:
        """The innermost one that is not Takt's."""
        return next((s for s in self.steps if s.file and not s.file.startswith(OURS)), None)

    def reason(self, board: Board, told: str, fix: str) -> tuple[str, str]:
        """And a fix: those told, unless something was called that is no code."""
        if self.nowhere is None:
            return told, UNFED if told.startswith("the watchdog reset") else fix
        return nowhere.told(self.nowhere, board.flash.origin)

    def lines(self) -> list[str]:
        """The chain, a line each."""
        wide = max((len(step.function) for step in self.steps), default=0)
        found = []
        for nth, step in enumerate(self.steps):
            how = "called by" if nth or self.nowhere is not None else "in"
            doubt = "" if step.sure else "  (a guess: found in the stack)"
            found.append(f"  {how:9} {step.function:{wide}}  {step.where}{doubt}".rstrip())
        if self.steps and self.lost:
            found.append("  (what called it is not known: telling of the fault took its stack)")
        return found


@dataclass(frozen=True)
class Begin:
    """Where a chain begins. fault: the CPU's, not found by the kernel."""

    pc: int
    registers: Registers
    fault: bool
    interrupt: bool = False
    lost: bool = False


def find(
    machine: Any, build: Build, program: Program, addr2line: str, said: str, place: int | None
) -> StopPlace:
    """said: what has been told of the stop, the console's text included; place: of the thread that
    ran, if the kernel has said so."""
    begin = {"thumb": _of_cortex, "avr": _of_avr, "host": _of_host}[program.architecture.name]
    found = begin(machine, build, program, said)
    if found is None:
        return StopPlace([])
    found = replace(found, lost=found.lost or found.interrupt)
    unwinder = Unwinder(program, machine.read, _stacks(machine, build))
    registers = {} if found.lost else found.registers  # what its stack held is written over
    chain = list(unwinder.chain(found.pc, registers))
    if not found.fault and place is not None and place < len(build.threads):
        chain += _on_its_stack(unwinder, chain[-1], machine, build.threads[place])
    steps = list(_steps(program, addr2line, build.source_names, chain))
    if not found.fault:  # the kernel's way to its end is of no interest
        while steps and (not steps[0].file or steps[0].file.startswith(INNERMOST)):
            steps.pop(0)
    gone = found.pc if found.fault and not _is_code(program, found.pc) else None
    if gone is not None:
        steps = steps[1:]
    sp = found.registers.get(unwinder.machine.sp, 0) | program.architecture.data
    return StopPlace(_kept(steps), found.interrupt, sp, found.lost, gone)


def _is_code(program: Program, at: int) -> bool:
    if program.architecture is AVR:
        return at != 0 and program.function_at(at) is not None
    inside = any(at - s.address in range(s.size) for s in vectors.sections(program))
    return program.function_at(at) is not None and not inside


def _on_its_stack(unwinder: Unwinder, last: Call, machine: Any, thread: Thread) -> list[Call]:
    """Where a port leaves the thread's stack before it tells of an error (AVR): what called the
    last function there, sought from where the stack has been used."""
    if unwinder.machine.word != 2:
        return []
    stack = machine.read(thread.stack, thread.stack_size)[SENTINEL_BYTES:]
    used = len(stack.lstrip(stack[:1]))
    below = thread.stack + thread.stack_size - used - 1
    registers = {unwinder.machine.sp: below - unwinder.program.architecture.data}
    return [replace(call, sure=False) for call in unwinder.chain(last.pc - 2, registers)][1:]


def _stacks(machine: Any, build: Build) -> list[range]:
    found = [range(t.stack, t.stack + t.stack_size) for t in build.threads]
    if build.isr_stack_size:
        lowest = machine.symbol(ISR_STACK)
        found.append(range(lowest, lowest + build.isr_stack_size))
    return found


def _of_cortex(machine: Any, build: Build, program: Program, said: str) -> Begin | None:
    told = TOLD.findall(said)
    pc = int(told[-1], 16) & ~1 if told else None
    if pc is None and "null pointer" not in said:
        return Begin(machine.pc, {n: machine.register(n) for n in range(16)}, False)
    at = _frame(machine, build, program, pc)
    if at is None:
        psp = _psp(machine)  # 0 until the first thread runs
        return None if pc is None else Begin(pc, {}, True, interrupt=bool(psp), lost=True)
    words = struct.unpack("<8I", machine.read(at, 4 * FRAME_WORDS))
    above = at + 4 * FRAME_WORDS + (4 if words[XPSR_IN_FRAME] & ALIGNED else 0)
    registers = {0: words[0], 1: words[1], 2: words[2], 3: words[3], 12: words[4]}
    registers |= {13: above, 14: words[LR_IN_FRAME]}
    return Begin(words[PC_IN_FRAME], registers, True, bool(words[XPSR_IN_FRAME] & HANDLER))


def _psp(machine: Any) -> int:
    return int(machine.psp() if hasattr(machine, "psp") else machine.register(PSP))


def _frame(machine: Any, build: Build, program: Program, pc: int | None) -> int | None:
    """Where the exception that stopped the program put its registers: at the threads' stack
    pointer or, of a handler, somewhere in the interrupts' stack, whose pointer is set anew."""

    def is_one(at: int) -> bool:
        words = struct.unpack("<8I", machine.read(at, 4 * FRAME_WORDS))
        if pc is not None:  # after a jump to an even address, or to none, the state is not Thumb
            return words[PC_IN_FRAME] & ~1 == pc and not words[XPSR_IN_FRAME] & NOT_XPSR
        there = program.function_at(words[PC_IN_FRAME])
        return bool(there) and bool(words[XPSR_IN_FRAME] & THUMB_STATE)

    psp = _psp(machine)
    stacks = _stacks(machine, build)
    if psp and any(psp in stack for stack in stacks) and is_one(psp):
        return psp
    if pc is None or not build.isr_stack_size:
        return None
    return next((at for at in stacks[-1][::4] if is_one(at)), None)


def watch_restart(machine: Any, program: Program) -> None:
    """An AVR that comes to address 0 begins anew: from its first instruction on, that is a stop."""
    if program.architecture is AVR:
        machine.step()
        machine.break_at(0)


def _of_avr(machine: Any, _build: Build, _program: Program, said: str) -> Begin:
    registers = {n: machine.register(n) for n in range(32)}
    fault = bool(TOLD.search(said)) or machine.pc == 0
    return Begin(machine.pc, registers | {32: machine.register(AVR_SP)}, fault)


def _of_host(machine: Any, _build: Build, _program: Program, said: str) -> Begin | None:
    told = dict(PC_REGISTERS.findall(said.rpartition("takt: exception")[2]))
    if "rip" in told and "takt: exception" in said:
        registers = {n: int(told[name], 16) for n, name in enumerate(DWARF_X86) if name in told}
        return Begin(int(told["rip"], 16), registers, True)
    if not hasattr(machine, "register"):  # sim: the host's own
        at = TOLD.findall(said)
        return Begin(int(at[-1], 16), {}, True) if at else None
    numbers = {name: n for n, name in enumerate(GDB_X86)}
    registers = {n: machine.register(numbers[name]) for n, name in enumerate(DWARF_X86)}
    return Begin(machine.register(RIP), registers, False)


def _steps(
    program: Program, addr2line: str, names: SourceNames | None, chain: list[Call]
) -> Iterator[Step]:
    """Functions, what is inlined in others as well. A caller is asked about by its call."""
    asked = [call.pc - (1 if nth else 0) for nth, call in enumerate(chain)]
    command = [addr2line, "-a", "-f", "-i", "-C", "-e", str(program.path), *map(hex, asked)]
    try:
        said = subprocess.run(command, capture_output=True, text=True, errors="replace").stdout
    except OSError:
        return
    nth = -1
    lines = iter(said.splitlines())
    for line in lines:
        if line.startswith("0x"):
            nth += 1
            continue
        file, _, number = next(lines, "").partition(" (")[0].rpartition(":")
        file = str(names.file(file)) if names else file
        known = file and Path(file).exists()  # not that of a C library, which is elsewhere
        digits = re.match(r"\d+", number)
        yield Step(
            _called(line) if line != "??" else _symbol(program, asked[nth]),
            file if known else "",
            int(digits[0]) if digits and known else 0,
            chain[nth].sure,
        )


def _called(function: str) -> str:
    """As the user calls it: what loop(1, C, T) and the like define has a name of their macro's, and
    copies that the compiler has made have one of its own."""
    return BODY.sub(r"\1 \2", CLONE.sub("", function))


def _symbol(program: Program, at: int) -> str:
    function = program.function_at(at)
    return function.name if function else hex(at)


def _kept(steps: list[Step]) -> list[Step]:
    """Nothing of Takt's that is outside what the user has written."""
    own = [n for n, s in enumerate(steps) if s.file and not s.file.startswith(OURS)]
    kept = steps[: own[-1] + 1] if own else steps
    pairs = zip([None, *kept], kept, strict=False)  # a job's body is inlined in what calls it
    return [s for inner, s in pairs if inner is None or inner.function != s.function]
