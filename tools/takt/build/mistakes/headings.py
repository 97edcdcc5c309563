"""Mistakes in how a loop, a job, a task or a pipe begins: void forgotten, an id that is none,
another number of arguments, a policy that is none."""

from __future__ import annotations

import re

from takt.build.mistakes.foreign import MEANT, NAME, PARAMETER, arguments_of, excerpt

FORGOTTEN = "expected constructor, destructor, or type conversion before ';'"
NOT_KNOWN = re.compile(r"expected constructor.* before '\(' token$")
AT_FILE_SCOPE = re.compile(r"(watchdog|tasksVcpu)\s*\(.*")
DECLARED_VOID = re.compile(r"variable or field '\w+' declared void")
IDENTIFIED = re.compile(r"\b(loop|periodic|task|pipe)\s*\(")
NO_ID = re.compile(
    r'pasting "takt_\w+_" and "(.+)" does not give|expected initializer before .* token$'
)
ID = re.compile(r"\w+")
POLICY = re.compile(r"\btakt::overrun::Policy\b")
INCLUDE = "write #include <Takt.h> above it"
POLICIES = "write TERMINATE, SKIP, CONTINUE, or NOTIFY(semaphore)"


def explained(text: str, output: str, where: str, column: int) -> tuple[str, str] | None:
    """What and fix for an error about such a line; None: it is not. output: all the compiler says;
    where: how the error's line begins."""
    line = excerpt(output, where)
    if NO_ID.match(text) and (found := _no_id(line, column, text.startswith("pasting"))):
        return found
    at = column - 1
    if NOT_KNOWN.match(text) and (called := AT_FILE_SCOPE.match(line)):
        return f"{called[1]}() is of Takt.h, which is not included", INCLUDE
    place = next((found for found in NAME.finditer(line) if at in found.span()), None)  # GCC 5: end
    if place is None:
        return None
    name, given = place[1], arguments_of(line[place.end() :])
    meant, counts = MEANT[name]
    call = f"{name}({', '.join(given)})"
    if text.startswith(FORGOTTEN) and not line[: place.start()].strip():
        kind = "int" if name == "task" and len(given) == max(counts) else "void"
        return f"{kind} is missing before {call}", f"write {kind} {call}"
    if name == "periodic" and len(given) == max(counts) and _about(text, given[3]):
        return f"{call}: {given[3]} is no policy", POLICIES
    if not DECLARED_VOID.match(text) or PARAMETER.match(given[0]):
        return None
    if len(given) not in counts:
        return f"{call} is not {meant}", f"write void {meant}"
    return f"{call} is of Takt.h, which is not included", INCLUDE


def _about(text: str, policy: str) -> bool:
    return POLICY.search(text) is not None or f"'{policy}'" in text


def _no_id(line: str, column: int, pasted: bool) -> tuple[str, str] | None:
    """For an error about the first argument, of which names are made."""
    place = next(
        (found for found in IDENTIFIED.finditer(line) if found.start() == column - 1), None
    )
    if place is None:
        return None
    name, given = place[1], arguments_of(line[place.end() :])
    if PARAMETER.match(given[0]):
        return None
    what = f"{name}({given[0]}, ...): {given[0]} is no id"
    if ID.fullmatch(given[0]):
        if not pasted:
            return None
        what = f"{name}({given[0]}, ...): what the macro {given[0]} stands for is no id"
    return what, f"an id is a number from 0 on, or a name: {name}(1, ...)"
