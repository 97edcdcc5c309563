"""Markdown: which links and headings a document has, and in which lines.

A heading's anchor is what the usual viewers of repositories make of its words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HEADING = re.compile(r"^(#{1,6}) +(.*?)(?: +#+)? *$")
FENCE = re.compile(r"^ *(```+|~~~+)")
CODE = re.compile(r"(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"(?<=\]\()<?([^)\s>]+)>?(?=[)\s])")
ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


@dataclass(frozen=True)
class Link:
    file: Path
    line: int
    target: str

    @property
    def path(self) -> Path:
        """The file it names: its own for a link within the document."""
        name = self.target.partition("#")[0]
        return (self.file.parent / name).resolve() if name else self.file

    @property
    def anchor(self) -> str:
        return self.target.partition("#")[2]


def prose(text: str) -> list[str]:
    """The lines, with blanks for what is code in them."""
    lines, fence = [], ""
    for line in text.splitlines():
        found = FENCE.match(line)
        code = bool(fence or found)
        if fence and found and found[1].startswith(fence):
            fence = ""
        elif not fence and found:
            fence = found[1]
        lines.append("" if code else line)
    blanked = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), "\n".join(lines))
    return blanked.split("\n")


def links(file: Path) -> list[Link]:
    """Those that lead to files."""
    return [
        Link(file, number, target)
        for number, line in enumerate(prose(file.read_text()), 1)
        for target in LINK.findall(line)
        if not ELSEWHERE.match(target)
    ]


def headings(text: str) -> dict[int, tuple[int, str]]:
    """By line: the level, and the anchor."""
    lines, found = text.splitlines(), {}
    times: Counter[str] = Counter()
    for number, line in enumerate(prose(text), 1):
        if heading := HEADING.match(line):
            words = HEADING.sub(r"\2", lines[number - 1])
            anchor = _anchor(words)
            again = f"-{times[anchor]}" if times[anchor] else ""
            times[anchor] += 1
            found[number] = len(heading[1]), anchor + again
    return found


def _anchor(words: str) -> str:
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", words).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def anchors(file: Path) -> set[str]:
    return {anchor for _, anchor in headings(file.read_text()).values()}


def why_broken(link: Link) -> str:
    """What is wrong with a link, or nothing."""
    if not link.path.exists():
        return f"{link.target}: there is no such file"
    if link.anchor and link.path.suffix == ".md" and link.anchor not in anchors(link.path):
        return f"{link.target}: {link.path.name} has no such heading"
    return ""


def retargeted(text: str, target: Callable[[str], str]) -> str:
    """The document with other targets of its links; line by line the same otherwise."""
    lines = text.splitlines()
    for number, blanked in enumerate(prose(text)):
        for found in reversed(list(LINK.finditer(blanked))):
            line = lines[number]
            lines[number] = line[: found.start(1)] + target(found[1]) + line[found.end(1) :]
    return "\n".join(lines) + "\n"
