"""Recursions that look at the stack themselves, where no guard would stop one: on AVR and ARMv6-M.

Functions of a sketch and its libraries that the analysis finds in a recursion are compiled once
more, as assembler text, and each looks at the stack pointer before anything else: is there room
down to the next that looks (code/looking.py)? If not, the program ends as with a guard. What is
known of the program, of registers and calls, stays as it was: registers are used that a function
finds free, or put back, and nothing is called.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from takt.admit import layout
from takt.admit.layout import Thread
from takt.build import nm
from takt.build.ninja import write_if_changed
from takt.code.elf import Program
from takt.code.stacks import Stacks
from takt.code.stacks_host import HostStacks

if TYPE_CHECKING:
    from takt.build.compile import Compiler

LIMITS = "takt_lowest_sps"  # by place; how low a stack pointer may be where a function looks
TOO_DEEP = "takt_too_deep"  # in switch.S of the ports
OPTIONS = ["-fno-ipa-ra"]  # callers of the same file would rely on registers that are used here
# r31:r30 = where the limit of the running thread is; r27:r26 = the limit; then the stack pointer.
AVR = f"""\
lds r30, takt_core + 1
ldi r31, 0
lsl r30
subi r30, lo8(-({LIMITS}))
sbci r31, hi8(-({LIMITS}))
lpm r26, Z+
lpm r27, Z
in r30, 0x3d
in r31, 0x3e
cp r30, r26
cpc r31, r27
brcc .+4
jmp {TOO_DEEP}"""
ARMV6M = f"""\
mov ip, r0
push {{r1}}
ldr r0, 8f
ldrb r0, [r0]
lsls r0, r0, #2
ldr r1, 9f
ldr r0, [r0, r1]
mov r1, sp
cmp r1, r0
pop {{r1}}
mov r0, ip
bhs 7f
bl {TOO_DEEP}
.balign 4
8: .word takt_core + 4
9: .word {LIMITS}
7:"""
LOOKS = {"avr": AVR, "m0": ARMV6M, "m0p": ARMV6M}  # by core
PLACES = {"avr": 8, "m0": 64, "m0p": 64}  # of threads, at most; the next one is main's
# While constructors run, main's place is the one that runs.
BOOT = {
    "avr": """\
.section .init5, "ax", %progbits
ldi r24, {place}
sts takt_core + 1, r24
.section .init7, "ax", %progbits
sts takt_core + 1, r1""",
    "arm": """\
.syntax unified
.section .text.takt_boot_looks, "ax", %progbits
.balign 4
.type takt_boot_looks, %function
.thumb_func
takt_boot_looks:
movs r0, #{place}
ldr r1, =takt_core + 4
strb r0, [r1]
bx lr
.pool
.size takt_boot_looks, . - takt_boot_looks
.section .text.takt_boot_looked, "ax", %progbits
.balign 4
.type takt_boot_looked, %function
.thumb_func
takt_boot_looked:
movs r0, #0
ldr r1, =takt_core + 4
strb r0, [r1]
bx lr
.pool
.size takt_boot_looked, . - takt_boot_looked
.section .preinit_array, "aw", %preinit_array
.word takt_boot_looks
.section .init_array, "aw", %init_array
.word takt_boot_looked""",
}


def table(core: str) -> list[str]:
    """Assembler text: limits by place, filled in when the program has been linked."""
    section, each = (".progmem.data", 2) if core == "avr" else (".rodata", 4)
    return [
        BOOT["avr" if core == "avr" else "arm"].format(place=PLACES[core]),
        f'.section {section}.{LIMITS}, "a", %progbits',
        ".balign 4",
        f".global {LIMITS}",
        f"{LIMITS}:",
        f".space {(PLACES[core] + 1) * each}",
    ]


Looking = dict[str, list[str]]  # by object, below the output folder: functions


def wanted(
    compiler: Compiler, objects: list[Path], threads: list[Thread], stacks: Stacks | HostStacks
) -> Looking:
    """Which functions of which objects are to look, by a program of these objects."""
    core, found = compiler.board.core, Looking()
    if core not in LOOKS or compiler.variant == "lto":
        return found
    names = layout.recursive(threads)
    if core == "avr" and isinstance(stacks, Stacks):  # on ARM a fault tells of constructors
        names |= {name for doubt in stacks.boot().doubts for name in doubt.functions}
    for one in objects if names else ():
        own = nm.names(compiler.target.tool("nm"), [one]).defined & names
        if own:
            found[str(one.relative_to(compiler.out))] = sorted(own)
    return found


def remembered(out: Path) -> Looking:
    """As the last build of the sketch had it."""
    try:
        return dict(json.loads(_memory(out).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def remember(out: Path, found: Looking) -> None:
    write_if_changed(_memory(out), json.dumps(found))


def _memory(out: Path) -> Path:
    return out / "obj" / "looking.json"


def inserting(core: str, functions: list[str], text: Path, into: Path) -> list[str]:
    """The command that has functions look, in assembler text."""
    look = LOOKS[core].replace("\n", r"\n\t")
    edits = [f"-e s/^{name}:$/&\\n\\t{look}/" for name in functions]
    return ["sed", "-n", *edits, "-e", f"w {into}", str(text)]


def limits(core: str, program: Program, threads: list[Thread], least: int) -> dict[int, int]:
    """Bytes of the table in the program, by address. Where the sketch says how large a stack is, it
    may be used to its end."""
    if LIMITS not in program.by_name:
        return {}
    table, size = program.by_name[LIMITS].address, program.architecture.pointer
    values = {t.place: t.stack + (t.stack_guard if t.stack_given else least) for t in threads}
    values[PLACES[core]] = program.by_name["__takt_isr_stack_start"].address + least
    return {
        table + size * place + byte: value >> 8 * byte & 0xFF
        for place, value in values.items()
        for byte in range(size)
    }
