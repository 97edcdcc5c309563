"""Headers as Doxygen reads them: our comments stand above what they are about, or behind it, and
are plain ones. Line by line the text stays the same, so what Doxygen says of a line is of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/)|(?P<line>//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')"""
    r"""|(?P<directive>^[ \t]*\#(?:\\\n|(?!/\*)[^\n])*)|(?P<brace>[{};])|(?P<other>.)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
OPENS_SCOPE = re.compile(r"\b(?:struct|union|enum|class|namespace|extern)\b")
MARKUP = re.compile(r"<(?=[A-Za-z_/])|(?<=[^\s&])>(?=\w)|[@\\#](?=\w)")
SENTENCE = re.compile(r"(?<![^\w][A-Z])\.(?=\s+[\s*]*[^\s*])")
DRAWN = re.compile(r"^\s*\*(?= {3,}\S)")  # a line of a drawing, a table, a program
FUNCTION = re.compile(r"\b(\w+)\s*\(")


def documented(text: str) -> str:
    """The header with comments for Doxygen."""
    return _with_followers("".join(_converted(text)))


def _converted(text: str) -> Iterator[str]:
    scopes: list[bool] = []  # of the braces that are open: may declarations stand inside?
    since = ""  # code since the last brace or semicolon
    line = ""  # code of the line so far
    for token in TOKEN.finditer(text):
        kind, part = token.lastgroup, token[0]
        if kind == "comment":
            if all(scopes) and part.strip("/*\n "):
                yield _opened(part, not text[: token.start()].strip(), bool(line.strip()))
            else:
                yield part
            line = line if "\n" not in part else ""
            continue
        if part == "{":
            scopes.append(bool(OPENS_SCOPE.search(since)) and not since.rstrip().endswith(")"))
        elif part == "}" and scopes:
            scopes.pop()
        since = "" if kind == "brace" else since + (part if kind == "other" else "")
        line = "" if part.endswith("\n") else line + part
        yield part


def _opened(comment: str, first: bool, behind: bool) -> str:
    """Its first sentence is the brief one."""
    lines = comment[2:-2].split("\n")
    file = first and not lines[0]
    drawn = [bool(DRAWN.match(line)) for line in lines]
    for number, line in enumerate(lines):
        lines[number] = DRAWN.sub("  ", line) if drawn[number] else _escaped(line)
    for number, (one, following) in enumerate(pairwise([*drawn, False])):
        if one != following:
            lines[number] += " @endverbatim" if one else " @verbatim"
    words = "\n".join(lines)
    start = re.search(r"[^\s*]", words)
    assert start
    before, brief = words[: start.start()], words[start.start() :]
    brief = SENTENCE.sub(". @details", brief, count=1)
    return f"/**{' @file' if file else '<' if behind else ''}{before}@brief {brief}*/"


def _escaped(line: str) -> str:
    """Words in angle brackets are no markup."""
    return MARKUP.sub(lambda found: {"<": "&lt;", ">": "&gt;"}.get(found[0], "\\" + found[0]), line)


def _with_followers(text: str) -> str:
    """Functions that stand one below the other have the comment of the first one."""
    lines = text.split("\n")
    described = ""  # the function whose comment may be another's, too
    inside = False
    for number, line in enumerate(lines):
        starts = not line.startswith((" ", "/", "#", "}", "{")) and line != ""
        if not line or line.startswith(("#", "}")):
            described = ""
        elif inside or "/**" in line:
            inside = "*/" not in line
            described = "?"
        elif starts and (found := FUNCTION.search(line)):
            if described not in ("", "?", found[1]):
                lines[number] = f"/** @copydoc {described} */ {line}"
            elif described:
                described = found[1] if _is_declaration(lines, number) else ""
    return "\n".join(lines)


def _is_declaration(lines: list[str], number: int) -> bool:
    """Does what begins there end with a semicolon before anything is opened?"""
    rest = "\n".join(lines[number : number + 8])
    end = re.search(r"[;{]", rest)
    return end is not None and end[0] == ";"
