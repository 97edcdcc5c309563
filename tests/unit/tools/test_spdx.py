"""Each source says under which licence it is; run as a program, it writes the lines that lack."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
C = (".c", ".h", ".cpp", ".S", ".ld")
HASH = (".py", ".cmake")
NAMES = ("takt", "Containerfile", "CMakeLists.txt")  # with # as well
# Sketches begin with what they do, and lines of theirs are named in documents.
SKETCHES = ("examples/", "lab/", "docs/")
LINE = re.compile(r"^(?:/\*|#) SPDX-License-Identifier: MIT(?: \*/)?$", re.MULTILINE)


def sources() -> list[Path]:
    ask = ["git", "-C", str(ROOT), "ls-files"]
    names = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.splitlines()
    kinds = (*C, *HASH)
    return [
        ROOT / name
        for name in names
        if (Path(name).suffix in kinds or Path(name).name in NAMES)
        and not (name.startswith(SKETCHES) and Path(name).suffix in C)
        and (ROOT / name).is_file()
    ]


def lacks(file: Path) -> bool:
    head = "\n".join(file.read_text(encoding="utf-8").splitlines()[:2])
    return not LINE.search(head) and bool(head)


def with_line(file: Path) -> str:
    """In C in the first line of the comment there is, so that no line moves."""
    text = file.read_text(encoding="utf-8")
    if file.suffix in C:
        if text.startswith("/*\n"):
            return text.replace("/*\n", "/* SPDX-License-Identifier: MIT\n", 1)
        return f"/* SPDX-License-Identifier: MIT */\n{text}"
    first, newline, rest = text.partition("\n") if text.startswith("#!") else ("", "", text)
    return f"{first}{newline}# SPDX-License-Identifier: MIT\n{rest}"


def test_the_licence_is_the_one_that_sources_name() -> None:
    assert (ROOT / "LICENSE").read_text().startswith("MIT License\n")


def test_each_source_names_its_licence() -> None:
    found = sources()
    assert len(found) > 1000
    assert [str(file.relative_to(ROOT)) for file in found if lacks(file)] == []


if __name__ == "__main__":
    for source in sources():
        if lacks(source):
            source.write_text(with_line(source), encoding="utf-8")
