"""What compiler and linker say, turned into one message about the sketch."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from takt import boards
from takt.build import libraries
from takt.build.mistakes import constants, foreign, headings
from takt.build.mistakes import pipes as pipe_mistakes
from takt.code import owners
from takt.errors import UserError
from takt.paths import shown

MESSAGE = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<kind>fatal error|error|warning): (?P<text>.*)$"
)
REDEFINED = re.compile(
    r"redefinition of '[^']*\btakt_(?:(?P<loop>(?:budget|period)_of_|loop_)|"
    r"(?P<periodic>job_budget_|job_period_|periodic_of_)|(?P<task>task_of_|task_period_)|"
    r"(?P<pipe>(?:end|qos)_of_|pipe_))"
    r"(?P<id>\w+?)(?:_(?:body|job|step)\((?:int)?\))?'"
)
KINDS = ("loop", "periodic", "task", "pipe")
TWO_SHARES = re.compile(r"redefinition of '[^']*takt_vcpu_tasks'")
TWO_WATCHDOGS = re.compile(
    r"redefinition of '[^']*takt_(?:vcpu_watchdog|watchdog_period)'"
    r"|multiple definition of `takt_vcpu_watchdog'"
)
LINK_SCRIPT_SAYS = re.compile(r"takt: (?P<what>[^:\n]+): (?P<fix>[^\n]+)")  # board/tasks.ld
DEFINED_TWICE = re.compile(r"multiple definition of `takt_thread_(loop|periodic|task|pipe)_(\w+)'")
VECTOR_TWICE = re.compile(r"multiple definition of `__vector_(\d+)'")  # AVR's
FIRST = re.compile(r"([^\s:]+:\d+): first defined here")
ASSERTED = re.compile(r"static assertion failed: (.*)")
OVERFLOW = re.compile(r"region `(\w+)' overflowed by (\d+) bytes")
FLASH = ("FLASH", "text")  # as link scripts call it; else it is RAM
# What the Arduino layer asks of drivers, which not every board has.
# Start of a function's name -> what it needs, and the capability of boards that have it.
DRIVERS = {
    "takt_adc_": ("analog inputs", "adc"),
    "takt_pwm_": ("PWM", "pwm"),
    "takt_pin_events_": ("interrupts of pins", "edge"),
    "takt_gpio_": ("interrupts of pins", "edge"),
    "takt_i2c_": ("I2C", "i2c"),
    "takt_spi_": ("SPI", "spi"),
    "takt_uart_port1": ("a second serial port", ""),
    "takt_uart_in_ops": ("pipes of serial ports", "uart"),
    "takt_uart_out_ops": ("pipes of serial ports", "uart"),
    "takt_can_": ("CAN", "usb"),
    "can_": ("CAN", "usb"),
    "takt_usb_": ("USB", "usb"),
    "takt_watchdog_": ("a watchdog", "watchdog"),
    "takt_io_usb": ("USB", "usb"),
}
WATCHDOGS = "there are two watchdogs", "one watches all loops, jobs, handlers and pipes"
UNDEFINED = re.compile(r"^(?:(?P<at>[^(`]*:\d+): )?.*undefined reference to `(?P<name>.*)'")
LACKING = re.compile(r"#error \"\w+: this board has no (\w+)\"")
NO_HEADER = re.compile(r"(\S+): No such file or directory")


@dataclass(frozen=True)
class Message:
    file: str
    line: int
    column: int
    kind: str
    text: str

    @property
    def where(self) -> str:
        column = f":{self.column}" if self.column else ""
        return f"{shown(self.file)}:{self.line}{column}"


def messages(output: str) -> list[Message]:
    found = []
    for line in output.splitlines():
        if m := MESSAGE.match(line):
            column = int(m["column"] or 0)
            found.append(Message(m["file"], int(m["line"]), column, m["kind"], m["text"]))
    return found


def without_ninja(output: str) -> str:
    """The tools' own words: no progress, no command lines, no ninja summary."""
    lines = output.splitlines()
    kept, skip = [], False
    for line in lines:
        if line.startswith(("FAILED: ", "[", "ninja: ")):
            skip = line.startswith("FAILED: ")
            continue
        if skip:  # the command line follows FAILED:
            skip = False
            continue
        kept.append(line)
    return "\n".join(kept).strip()


def compile_error(output: str, own: Iterable[Path]) -> UserError:
    """For a failed compilation. own: the files of the sketch; a message is led back to them."""
    if "No space left on device" in output:
        return disk_full()
    text = without_ninja(output)
    errors = [m for m in messages(text) if m.kind != "warning"]
    if not errors:
        return UserError("the compiler failed", detail=text)
    own_files = {str(file) for file in own}
    if refused := constants.no_such(errors[0].text, text, own_files):
        return UserError(*refused)
    where = _in_sketch(text, errors[0], own_files)
    first = errors[0]
    at = f"{first.file}:{first.line}:{first.column}: {first.kind}: {first.text}"
    found = headings.explained(first.text, text, at, first.column)
    found = found or constants.explained(first.text, text, at, first.column)
    found = found or pipe_mistakes.constant(first.text, text, at)
    found = found or pipe_mistakes.explained(first.text)
    found = found or foreign.explained(first.text, text, at, first.column, first.file in own_files)
    what, fix = found or _explained(first.text)
    what, fix = pipe_mistakes.channel(what, text) or (what, fix)
    library = libraries.holder(Path(first.file)) if first.file not in own_files else ""
    if library and fix == libraries.PUT:
        what += f", which the library {library} asks for"
    if what != errors[0].text:
        return UserError(what, where, fix)  # the compiler's own words would only confuse
    if len(errors) > 1:
        what += f" (and {len(errors) - 1} more)"
    return UserError(what, where, fix, detail=text)


def _in_sketch(text: str, error: Message, own: set[str]) -> str:
    """The place in the sketch that an error in a header goes back to, else where it is."""
    if error.file in own:
        return error.where
    place = re.compile(r"^(?:In file included from |\s+from )?([^\s:][^:\n]*):(\d+)")
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{error.file}:{error.line}:"))
    # a template says just before where it is used, whatever was said before that
    used = [line for line in lines[:at][-3:][::-1] if line.endswith("required from here")]
    for line in used + lines:
        found = place.match(line)
        if found and found[1] in own:
            return f"{shown(found[1])}:{found[2]} ({error.where})"
    return error.where


def _explained(text: str) -> tuple[str, str]:
    """What and fix for a compiler error."""
    if m := REDEFINED.search(text):
        return _twice(next(kind for kind in KINDS if m[kind]), m["id"])
    if TWO_SHARES.search(text):
        return "tasksVcpu(C, T) stands there twice", "give all tasks together one share"
    if TWO_WATCHDOGS.search(text):
        return WATCHDOGS
    if m := ASSERTED.search(text):
        what = m[1].strip('"')
        return what, constants.asserted(what) or pipe_mistakes.asserted(what)
    if m := LACKING.search(text):
        return f"this board has no driver for {m[1]}", _have(m[1].lower())
    if (m := NO_HEADER.search(text)) and m[1].startswith(("avr/", "util/")):
        return f"no header {m[1]}: it is AVR's", "build for such a board: --board atmega324p or uno"
    if (m := NO_HEADER.search(text)) and m[1].startswith(("hardware/", "pico/")):
        return (
            f"no header {m[1]}: it is of the pico's SDK, and not among what Takt has of that",
            "docs/boards/pico.md says what there is, with --board pico",
        )
    if m := NO_HEADER.search(text):
        return f"no header {m[1]}", libraries.PUT
    if "was not declared in this scope" in text or "has not been declared" in text:
        return text, "check the spelling, or include the library's header that declares it"
    return text, "correct the sketch at this place"


def _twice(kind: str, name: str) -> tuple[str, str]:
    own = "name" if kind == "pipe" else "number"
    return (
        f"{kind} {name} is defined twice",
        f"give every {kind} a {own} of its own, the first argument of {kind}(...)",
    )


def _vector_twice(number: str, text: str, board: boards.Board) -> UserError:
    driver = board.raw.get("irq", {}).get(number)
    of = f" ({driver})" if driver else ""
    first = FIRST.search(text)
    return UserError(
        f"interrupt {number}{of} is Takt's own, and has a handler here, too",
        first[1] if first else "",
        f"do without this handler: what it is for is not to be had on {board.name}",
    )


def largest(nm: str, files: list[Path], ram: bool) -> str:
    """The largest symbols of a sketch in RAM or flash."""
    command = [nm, "-S", "-C", "--size-sort", "-r", *map(str, files)]
    listing = subprocess.run(command, capture_output=True, text=True).stdout
    rows = [line.split(None, 3) for line in listing.splitlines()]
    kinds = "bBdD" if ram else "tTrRwW"
    sized = [(int(r[1], 16), r[3]) for r in rows if len(r) == 4 and r[2] in kinds]
    return "\n".join(f"{size:9} bytes  {name}" for size, name in sorted(sized)[:-9:-1])


def by_owner(map_file: Path, memory: boards.Memory) -> str:
    """Whose the bytes are of a program that does not fit, from the map of the attempt."""
    inside = range(memory.origin, memory.origin + 16 * memory.size)
    found = [piece for piece in owners.pieces(map_file) if piece.address in inside]
    sums = Counter[str]()
    for piece in found:
        sums[piece.owner] += piece.size
    whose = ", ".join(f"{owner} {size}" for owner, size in sums.most_common())
    return f"by owner: {whose}"


def link_error(output: str, board: boards.Board, at_least: bool = False) -> UserError:
    """For a failed link. at_least: stacks have no size yet."""
    text = without_ninja(output)
    if "No space left on device" in text:
        return disk_full()
    overflows = [(m[1], int(m[2])) for m in OVERFLOW.finditer(text)]
    if overflows:
        return _overflow(overflows[0], board, at_least)
    if m := DEFINED_TWICE.search(text):
        what, fix = _twice(m[1], m[2])
        return UserError(what, fix=fix)
    if TWO_WATCHDOGS.search(text):
        what, fix = WATCHDOGS
        first = FIRST.search(text)
        return UserError(what, first[1] if first else "", fix)
    if m := VECTOR_TWICE.search(text):
        return _vector_twice(m[1], text, board)
    for line in text.splitlines():
        if m := UNDEFINED.search(line):
            return _undefined(m["name"], m["at"] or "", text)
    if m := LINK_SCRIPT_SAYS.search(text):
        return UserError(m["what"], fix=m["fix"])
    return UserError("the linker failed", detail=text)


def _overflow(overflow: tuple[str, int], board: boards.Board, at_least: bool) -> UserError:
    region, excess = overflow
    memory, size = ("flash", board.flash.size) if region in FLASH else ("RAM", board.ram.size)
    have = f" of {size} bytes"
    fix = (
        "make arrays or stacks smaller; the largest are listed above"
        if memory == "RAM"
        else "use less code or constant data; the largest are listed above"
    )
    if memory == "RAM" and "left_in_flash" in board.raw:
        fix += "; --flash leaves the sketch's code and constants in flash, where they are slower"
    bound = "at least " if at_least and memory == "RAM" else ""
    what = f"the sketch needs {bound}{excess} bytes more than the {memory}{have} has"
    return UserError(what, fix=fix)


def _undefined(name: str, where: str, text: str) -> UserError:
    function = name.removesuffix("()")
    if function == "setup":
        return UserError("the sketch has no setup()", fix="add: void setup() {} (it may be empty)")
    if function == "loop":
        return UserError(
            "the sketch has no loop", fix="add: void loop() {} or void loop(1, 20, 100) {}"
        )
    if function.startswith("takt_tpipe"):
        return UserError(
            "tpipe() needs threads made at run time, which this board does not have",
            shown(where) if where else "",
            "use --board pc, or define the pipe: void pipe(id, endpoint, qos) {}",
        )
    if (job := function.removeprefix("takt_periodic_of_")) != function:
        return UserError(
            f"there is no periodic({job}, C, T)",
            shown(where) if where else "",
            "define it, or use the name of one that is",
        )
    for prefix, (what, capability) in DRIVERS.items():
        if function.startswith(prefix):
            return UserError(
                f"this board has no driver for {what} ({function})", fix=_have(capability)
            )
    return UserError(
        f"{name} is declared but nowhere defined",
        shown(where) if where else "",
        "define it, or add the library that does",
        detail=text,
    )


def _have(capability: str) -> str:
    """The fix where a board lacks something."""
    have = boards.with_capability(capability)
    return f"use one that has: {', '.join(have)}" if have else "see: takt boards"


def disk_full(path: str = "") -> UserError:
    return UserError("the disk is full", path, "free some space and repeat")
