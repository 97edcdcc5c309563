"""The site: pages of the repository that README.md leads to, and the reference of C and Arduino's
API from the headers, by Doxygen.

A page is a file of its own, named by where its document lies. Files that are no documents are
copied beside them, programs as text.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from takt import packages
from takt.errors import UserError
from takt.pages import headers, html, markdown
from takt.paths import COMMAND, ROOT, shown

FIRST = "README.md"
HEADERS = {"include/takt": "*.h", "arduino": "[A-Zp]*.h"}
INNER = {"known_pins.h", "pin_lines.h", "pins.h"}  # of arduino/: not for sketches
FILES = "files"
MARK = ".takt-site"  # a file by which a site is known that may be replaced
PICTURES = {".png", ".svg", ".jpg"}
DEFINED = {  # what the preprocessor is to make of names that say nothing to a reader
    "__attribute__(x)": "",
    "TAKT_TASK_NAME_(x)": "",
    "TAKT_INLINED": "inline",
    "TAKT_DYNAMIC": "1",
    "TAKT_PLACES": "32",
    "TAKT_STATIC_ASSERT_(...)": "",
    "_Static_assert(...)": "",
    "static_assert(...)": "",
    "__cplusplus": "201703",
}
STYLE = "div.contents img { max-width: 100%; height: auto; }\n"
SETTINGS = {
    "PROJECT_NAME": "Takt",
    "PROJECT_BRIEF": '"Real-time software for small computers"',
    "GENERATE_LATEX": "NO",
    "QUIET": "YES",
    "WARN_IF_UNDOCUMENTED": "NO",
    "WARN_IF_INCOMPLETE_DOC": "NO",
    "WARN_NO_PARAMDOC": "NO",
    "WARN_FORMAT": '"$file:$line: $text"',
    "WARN_LOGFILE": "warnings",
    "EXTRACT_ALL": "YES",
    "EXTRACT_STATIC": "YES",
    "OPTIMIZE_OUTPUT_FOR_C": "YES",
    "CASE_SENSE_NAMES": "YES",
    "EXCLUDE_SYMBOLS": "*_ *_H",
    "MACRO_EXPANSION": "YES",
    "EXPAND_ONLY_PREDEF": "YES",
    "SORT_BRIEF_DOCS": "NO",
    "SORT_MEMBER_DOCS": "NO",
    "VERBATIM_HEADERS": "NO",
    "SHOW_INCLUDE_FILES": "NO",
    "TYPEDEF_HIDES_STRUCT": "NO",
    "GENERATE_TREEVIEW": "YES",
    "DISABLE_INDEX": "NO",
    "HAVE_DOT": "NO",
    "CLASS_DIAGRAMS": "NO",
    "HTML_TIMESTAMP": "NO",
    "MAX_INITIALIZER_LINES": "1",
    "HTML_EXTRA_STYLESHEET": "more.css",
    "TOC_INCLUDE_HEADINGS": "0",
    "HTML_OUTPUT": ".",
}


@dataclass(frozen=True)
class Site:
    folder: Path
    pages: list[Path]  # documents, as they lie in the repository
    headers: list[Path]

    def as_dict(self) -> dict[str, object]:
        return {
            "folder": str(self.folder),
            "pages": [str(page) for page in self.pages],
            "headers": [str(header) for header in self.headers],
        }


def build(out: Path, root: Path = ROOT) -> Site:
    """Makes the site in a folder, whose former content goes if it is a site's."""
    if not (root / FIRST).is_file():
        fix = f"call {COMMAND} docs of a clone of the repository, which has them"
        raise UserError("the documents are no part of the package", shown(root), fix)
    require_replaceable(out)
    program = shutil.which("doxygen")
    if program is None:
        what = "doxygen, which makes the reference from the headers, is missing"
        raise UserError(what, fix=packages.command("doxygen"))
    pages, others = documents(root)
    require_links(pages)
    names = [
        path
        for folder, pattern in HEADERS.items()
        for path in sorted((root / folder).glob(pattern))
        if path.name not in INNER
    ]
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch).resolve() / "source"
        for file in pages:
            _put(source / file.relative_to(root), page(file, root))
        for file in names:
            _put(source / file.relative_to(root), headers.documented(file.read_text()))
        _require("Doxygen complains of {} places", _doxygen(program, source, Path(scratch)))
        made = Path(scratch) / "site"
        for file in others:
            _put(made / copied(file, root), file.read_bytes())
        _require("pages of the site have {} links that lead nowhere", list(html.broken(made)))
        _put(made / MARK, "This folder is replaced by `takt docs`.\n")
        _clear(out)
        shutil.copytree(made, out, dirs_exist_ok=True)
    return Site(out, [f.relative_to(root) for f in pages], [f.relative_to(root) for f in names])


def documents(root: Path) -> tuple[list[Path], list[Path]]:
    """Documents to which links lead from the first one, and those in docs/; other files that these
    lead to."""
    found = [root / FIRST, *sorted((root / "docs").rglob("*.md"))]
    others: set[Path] = set()
    for file in found:  # grows meanwhile
        for link in markdown.links(file):
            target = link.path
            if target.suffix != ".md":
                others |= {target} if target.is_file() else set()
            elif target.exists() and target not in found:
                found.append(target)
    return found, sorted(others)


def page(file: Path, root: Path) -> str:
    """A document for Doxygen: its headings with names, its links to pages of the site."""
    name = page_name(file, root)

    def target(said: str) -> str:
        link = markdown.Link(file, 0, said)
        if markdown.ELSEWHERE.match(said):
            return said
        if link.path.suffix != ".md":
            return str(copied(link.path, root))
        place = page_name(link.path, root)
        return f"{place}.html#{place}--{link.anchor}" if link.anchor else f"{place}.html"

    text = file.read_text()
    lines = markdown.retargeted(text, target).splitlines()
    for number, (level, anchor) in markdown.headings(text).items():
        label = name if level == 1 else f"{name}--{anchor}"
        if label != "index":  # which is the first page's own
            lines[number - 1] = f"{lines[number - 1]} {{#{label}}}"
    return "\n".join(lines) + "\n"


def page_name(file: Path, root: Path) -> str:
    place = file.relative_to(root)
    if place == Path(FIRST):
        return "index"
    parts = place.parent.parts if place.name == FIRST else place.with_suffix("").parts
    return "-".join(parts)


def copied(file: Path, root: Path) -> Path:
    """Where the site has a file that is no page."""
    place = Path(FILES) / file.relative_to(root)
    return place if place.suffix in PICTURES else place.with_name(f"{place.name}.txt")


def _doxygen(program: str, source: Path, scratch: Path) -> list[str]:
    """Makes the site in scratch/site. What it complains of, file and line first."""
    defined = [f'"{name}={value}"' for name, value in DEFINED.items()]
    settings = SETTINGS | {
        "OUTPUT_DIRECTORY": f'"{scratch / "site"}"',
        "INPUT": f'"{source}"',
        "STRIP_FROM_PATH": f'"{source}"',
        "STRIP_FROM_INC_PATH": f'"{source / "include"}" "{source / "arduino"}"',
        "RECURSIVE": "YES",
        "FILE_PATTERNS": "*.h *.md",
        "USE_MDFILE_AS_MAINPAGE": f'"{source / FIRST}"',
        "PREDEFINED": " ".join(defined),
    }
    _put(scratch / "Doxyfile", "".join(f"{name} = {value}\n" for name, value in settings.items()))
    _put(scratch / "more.css", STYLE)
    (scratch / "site").mkdir()
    done = subprocess.run(
        [program, "Doxyfile"], cwd=scratch, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise UserError("doxygen failed", program, detail=done.stdout + done.stderr)
    said = (scratch / "warnings").read_text().replace(f"{source}{os.sep}", "")
    return [line for line in said.splitlines() if re.match(r"\S+:\d+: ", line)]


def require_links(pages: Iterable[Path]) -> None:
    """Each link leads to a file, and to a heading that is there."""
    _require(
        "documents have {} links that lead nowhere",
        [
            f"{shown(file)}:{link.line}: {why}"
            for file in pages
            for link in markdown.links(file)
            if (why := markdown.why_broken(link))
        ],
    )


def _require(what: str, lines: list[str]) -> None:
    if lines:
        said = what.format(len(lines))
        raise UserError(said, fix="mend the lines above", detail="\n".join(lines))


def require_replaceable(out: Path) -> None:
    """Only a site that was made here, or an empty folder, is replaced."""
    if out.exists() and not out.is_dir():
        raise UserError("not a folder", shown(out), "name a folder", 2)
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        fix = "name a folder that is empty or not there yet, or remove this one"
        raise UserError(
            "this folder has other content than a site of takt docs", shown(out), fix, 2
        )


def _clear(out: Path) -> None:
    for path in out.iterdir() if out.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _put(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
