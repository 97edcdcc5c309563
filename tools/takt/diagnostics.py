"""What compiler and linker say, turned into one message about the sketch."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from takt.errors import UserError
from takt.paths import shown

MESSAGE = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<kind>fatal error|error|warning): (?P<text>.*)$"
)
LOOP_NAMES = re.compile(r"takt_\w*?loop_(\d+)\b")
REDEFINED = re.compile(r"redefinition of '[^']*takt_\w*?(loop|periodic|task)_(\d+)\w*")
DEFINED_TWICE = re.compile(r"multiple definition of `[^']*takt_\w*?(loop|periodic|task)_(\d+)\w*")
ASSERTED = re.compile(r"static assertion failed: (.*)")
OVERFLOW = re.compile(r"region `(\w+)' overflowed by (\d+) bytes")
UNDEFINED = re.compile(
    r"^(?:.*?:)?(?:(?P<at>[^\s:(]+:\d+): )?undefined reference to `(?P<name>.*)'"
)
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
    """For a failed compilation. own: folders of the sketch; their messages are preferred."""
    text = without_ninja(output)
    if "No space left on device" in text:
        return disk_full()
    errors = [m for m in messages(text) if m.kind != "warning"]
    if not errors:
        return UserError("the compiler failed", detail=text)
    error = _in_sketch(text, errors[0], [str(folder) for folder in own])
    what, fix = _explained(errors[0].text)
    if len(errors) > 1 and what == errors[0].text:
        what += f" (and {len(errors) - 1} more, below)"
    return UserError(what, error.where, fix, detail=text)


def _in_sketch(text: str, error: Message, own: list[str]) -> Message:
    """The place in the sketch that an error in a header or macro goes back to."""
    if any(error.file.startswith(folder) for folder in own):
        return error
    place = re.compile(r"^(?:In file included from |\s+from )?([^\s:][^:\n]*):(\d+):(?:(\d+):)?")
    for line in text.splitlines():
        found = place.match(line)
        if found and any(found[1].startswith(folder) for folder in own):
            return Message(found[1], int(found[2]), int(found[3] or 0), "error", error.text)
    return error


def _explained(text: str) -> tuple[str, str]:
    """What and fix for a compiler error."""
    if m := REDEFINED.search(text):
        return (
            f"{m[1]} {m[2]} is defined twice",
            f"give every {m[1]} a number of its own, the first argument of {m[1]}(...)",
        )
    if m := ASSERTED.search(text):
        what, _, fix = m[1].strip('"').partition("; ")
        return what, fix
    if m := NO_HEADER.search(text):
        return (
            f"no header {m[1]}",
            "put its library in libraries/ beside the sketch, or name the folder with --library",
        )
    if "was not declared in this scope" in text or "has not been declared" in text:
        return text, "check the spelling, or include the library's header that declares it"
    return text, "correct the sketch at this place"


def link_error(output: str, regions: dict[str, int]) -> UserError:
    """For a failed link. regions: size of each memory of the link script."""
    text = without_ninja(output)
    if "No space left on device" in text:
        return disk_full()
    overflows = [(m[1], int(m[2])) for m in OVERFLOW.finditer(text)]
    if overflows:
        return _overflow(overflows[0], regions)
    if m := DEFINED_TWICE.search(text):
        return UserError(
            f"{m[1]} {m[2]} is defined twice",
            fix=f"give every {m[1]} a number of its own, the first argument of {m[1]}(...)",
        )
    for line in text.splitlines():
        if m := UNDEFINED.search(line):
            return _undefined(m["name"], m["at"] or "", text)
    return UserError("the linker failed", detail=text)


def _overflow(overflow: tuple[str, int], regions: dict[str, int]) -> UserError:
    region, excess = overflow
    memory = "flash" if "FLASH" in region.upper() else "RAM"
    size = regions.get(region)
    have = f" of {size} bytes" if size else ""
    fix = (
        "make arrays or stacks smaller; the largest are listed below"
        if memory == "RAM"
        else "use less code or constant data; the largest are listed below"
    )
    return UserError(f"the sketch needs {excess} bytes more than the {memory}{have} has", fix=fix)


def _undefined(name: str, where: str, text: str) -> UserError:
    function = name.removesuffix("()")
    if function == "setup":
        return UserError("the sketch has no setup()", fix="add: void setup() {} (it may be empty)")
    if function == "loop":
        return UserError(
            "the sketch has no loop", fix="add: void loop() {} or void loop(1, 20, 100) {}"
        )
    return UserError(
        f"{name} is declared but nowhere defined",
        shown(where) if where else "",
        "define it, or add the library that does",
        detail=text,
    )


def disk_full(path: str = "") -> UserError:
    return UserError("the disk is full", path, "free some space and repeat")
