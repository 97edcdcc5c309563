"""Functions of other people that a macro of Takt, as loop(id, C, T) is, takes for its own."""

from __future__ import annotations

import re

MEANT = {  # macro -> how it is written, and with how many arguments
    "loop": ("loop(id, C, T)", (3, 4)),
    "periodic": ("periodic(id, C, T)", (3, 4)),
    "task": ("task(id, T)", (2, 3)),
}
NAME = re.compile(rf"\b({'|'.join(MEANT)})\s*\(")
TYPES = r"void|bool|char|byte|short|int|long|unsigned|signed|float|double|u?int\d+_t|String|word"
PARAMETER = re.compile(rf"(?:{TYPES})\b|[A-Za-z_][\w:]*(?:<.*>)?[\s*&]+\w|\.\.\.")
INSIDE = re.compile(r"\btakt_(loop|periodic_of|task_of)_\w+_(body|job|step)\b")


def excerpt(output: str, where: str) -> str:
    """The line that the compiler shows for the error that begins like this; GCC 5 numbers none."""
    lines = iter(output.splitlines())
    for line in lines:
        if line.startswith(where):
            break
    shown = next(lines, "")
    return re.sub(r"^ *\d+ \| |^ ", "", shown)


def arguments_of(text: str) -> list[str]:
    """Those up to the bracket that closes."""
    depth, found = 0, [""]
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            break
        if sign == "," and depth == 0:
            found.append("")
        else:
            found[-1] += sign
    return [argument.strip() for argument in found]


def explained(
    text: str, output: str, where: str, column: int, in_sketch: bool
) -> tuple[str, str] | None:
    """What and fix for an error about such a function; None: it is not. in_sketch: the error is in
    a file of the sketch, which the user can change."""
    line = excerpt(output, where)
    places = list(NAME.finditer(line))
    for found in [place for place in places if place.start() == column - 1] or places:
        name, before = found[1], line[: found.start()].rstrip()
        arguments = arguments_of(line[found.end() :])
        meant, counts = MEANT[name]
        called = before.endswith((".", "->")) or bool(INSIDE.search(text) and "declared" in text)
        declared = before.endswith("::") or bool(PARAMETER.match(arguments[0]))
        if len(arguments) in counts and (called or declared):
            what = f"{name}({', '.join(arguments)}) is taken for {meant}"
            return what, _fix(name, called, in_sketch)
    return None


def _fix(name: str, called: bool, in_sketch: bool) -> str:
    if called:
        return f"for a function of a library write (object.{name})(...), or ({name})(...)"
    if in_sketch:
        return (
            f"a function of your own is ({name})(...) where it is declared and where it is called"
        )
    if name != "loop":
        return "include this header before <Takt.h>"
    return (
        'write #pragma push_macro("loop") and #undef loop before the header is included, '
        'and #pragma pop_macro("loop") after it'
    )
