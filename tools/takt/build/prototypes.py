"""Prototypes for the functions of a sketch, found by universal-ctags and inserted before the first
function, as Arduino does.

The text is looked at after conditionals are decided but before macros are expanded, so a header
such as `void loop(1, 20, 100)` is no function to ctags and gets none. Nor do functions in classes
and namespaces, those with default arguments or a deduced type, and those in extern "C" blocks.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from takt import packages
from takt.build.sketch import line_directive
from takt.errors import UserError

# With this many arguments or more these are headers of real-time loops, not functions.
MACRO_ARGUMENTS = {"loop": 2, "periodic": 2, "task": 2}

NAMES = ("__not_in_flash_func", "__time_critical_func")  # macros of a function's name
MARKER = re.compile(r'\s*# (\d+) "((?:[^"\\]|\\.)*)"')
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)
EXTERN_BLOCK = re.compile(r'extern\s*"C"\s*\{')


@dataclass(frozen=True)
class Line:
    """A line of the sketch that conditionals leave in."""

    file: str
    number: int
    text: str


@dataclass(frozen=True)
class Prototype:
    file: str
    line: int
    text: str


def add(merged: str, preprocessed: str, files: set[str], scratch: Path) -> str:
    """Inserts the prototypes into the merged sketch. preprocessed is the same text with headers
    included and conditionals decided (-E -fdirectives-only); files are the sketch's own."""
    active = active_lines(preprocessed, files)
    text = "\n".join(line.text for line in active) + "\n"
    tags = [tag for tag in _tags(text, scratch) if "scope" not in tag]
    if not tags:
        return merged
    first = active[_statement_start(text, int(tags[0]["line"])) - 1]
    return _insert(merged, prototypes(active, text, tags), first)


def active_lines(preprocessed: str, files: set[str]) -> list[Line]:
    """The lines that come from the sketch's own files."""
    result = []
    file, number = "", 0
    for text in preprocessed.split("\n"):
        marker = MARKER.match(text)
        if marker:
            number = int(marker[1])
            file = marker[2].replace('\\"', '"').replace("\\\\", "\\")
            continue
        if file in files:
            result.append(Line(file, number, text))
        number += 1
    return result


def prototypes(active: list[Line], text: str, tags: list[dict[str, str]]) -> list[Prototype]:
    """One for every tag that can have one, without repetition."""
    in_blocks = _lines_in_extern_blocks(text)
    found: dict[str, Prototype] = {}
    for tag in tags:
        number = int(tag["line"])
        line = active[number - 1]
        declaration = None if number in in_blocks else _declaration(tag, line.text)
        if declaration:
            found.setdefault(declaration, Prototype(line.file, line.number, declaration))
    return list(found.values())


def _tags(text: str, scratch: Path) -> list[dict[str, str]]:
    """Functions as universal-ctags sees them, in order: its fields by name."""
    program = next((p for p in ("ctags-universal", "ctags") if shutil.which(p)), None)
    if program is None:
        raise UserError("universal-ctags is not installed", fix=packages.command("universal-ctags"))
    scratch.write_text(text, encoding="utf-8")
    command = [program, "--options=NONE", "-f", "-", "--language-force=C++", "--sort=no"]
    command += [part for name in NAMES for part in ("-D", f"{name}(f)=f")]
    command += ["--kinds-C++=f", "--fields=+nSKZte", "--fields-C++=+{template}{properties}"]
    done = subprocess.run(
        [*command, str(scratch)], capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        raise UserError("ctags failed", fix=packages.command("universal-ctags"), detail=done.stderr)
    result = []
    for row in done.stdout.splitlines():
        head, _, rest = row.partition(';"\t')
        fields = dict(field.partition(":")[::2] for field in rest.split("\t"))
        result.append(fields | {"name": head.split("\t")[0]})
    return result


def _declaration(tag: dict[str, str], source: str) -> str | None:
    """The prototype of a function, or None where none should be made."""
    name, signature = tag["name"], tag.get("signature", "()")
    kind, _, type_ = tag.get("typeref", "").partition(":")
    if not type_ or type_.split()[-1] == "auto" or name.startswith("operator"):
        return None
    if "=" in signature or "(" in type_:
        return None
    if name in MACRO_ARGUMENTS and signature.count(",") + 1 >= MACRO_ARGUMENTS[name]:
        return None
    properties = tag.get("properties", "").split(",")
    if "constexpr" in properties or "consteval" in properties:
        return None
    words = [f"template {tag['template']}"] if "template" in tag else []
    if re.search(r'extern\s*"C"', source):
        words.append('extern "C"')
    words += [word for word in ("static", "inline") if word in properties]
    words.append(type_ if kind == "typename" else f"{kind} {type_}")
    return f"{' '.join(words)} {name}{signature};"


def _without_comments(text: str) -> str:
    """Comments and the contents of strings blanked, lines kept."""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        lines = "\n" * found.count("\n")
        return f"{found[0]}{found[-1]}" if found[0] in "\"'" else lines or " "

    return NOT_CODE.sub(blank, text)


def _statement_start(text: str, line: int) -> int:
    """The line on which the declaration that reaches `line` starts."""
    lines = _without_comments(text).split("\n")
    start = line
    while start > 1:
        before = lines[start - 2].strip()
        if not before or before[-1] in ";}{" or before.startswith("#"):
            break
        start -= 1
    return start


def _lines_in_extern_blocks(text: str) -> set[int]:
    # Strings must stay, for "C" is one.
    code = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    result: set[int] = set()
    for block in EXTERN_BLOCK.finditer(code):
        depth, end = 1, block.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        result.update(range(code.count("\n", 0, block.start()) + 1, code.count("\n", 0, end) + 2))
    return result


def _insert(merged: str, found: list[Prototype], before: Line) -> str:
    """Puts the prototypes before a line of the sketch."""
    added = "".join(line_directive(p.line, p.file) + p.text + "\n" for p in found)
    opening = line_directive(1, before.file)
    start = merged.index(opening) + len(opening)
    for _ in range(before.number - 1):
        start = merged.index("\n", start) + 1
    directive = line_directive(before.number, before.file)
    return merged[:start] + added + directive + merged[start:]
