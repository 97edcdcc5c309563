"""Writes and runs the ninja file of a sketch build."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Progress = Callable[[str, int, int], None]  # what, done, of
STATUS = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")


def escape(path: Path | str) -> str:
    """A path as ninja reads it."""
    return re.sub(r"([$ :])", r"$\1", str(path))


@dataclass
class NinjaFile:
    """Build statements, each with its own command."""

    lines: list[str] = field(default_factory=list)
    compiled: list[dict[str, Any]] = field(default_factory=list)  # as compile_commands.json has it

    def __post_init__(self) -> None:
        self.lines += [
            "ninja_required_version = 1.8",
            "rule compile",  # what the compiler says of an object lies beside it
            "  command = words=$$($cmd 2>&1); done=$$?; "
            """{ [ -z "$$words" ] || printf '%s\\n' "$$words"; } | tee $said >&2; exit $$done""",
            "  depfile = $dep",
            "  deps = gcc",
            "  description = $text",
            "rule run",
            "  command = $cmd",
            "  description = $text",
        ]

    def add(
        self, output: Path, inputs: list[Path | str], command: list[str], text: str, dep: str = ""
    ) -> None:
        """output from inputs by command; dep: a dependency file the compiler writes."""
        rule = "compile" if dep else "run"
        needs = " ".join(escape(path) for path in inputs)
        self.lines.append(f"build {escape(output)}: {rule} {needs}")
        self.lines.append(f"  cmd = {shlex.join(command).replace('$', '$$')}")
        if dep:
            entry = {"file": str(inputs[0]), "output": str(output), "arguments": command}
            self.compiled.append({"directory": str(output.parent), **entry})
        self.lines.append(f"  text = {text.replace('$', '$$')}")
        if dep:
            self.lines.append(f"  dep = {dep.replace('$', '$$')}")
            self.lines.append(f"  said = {shlex.quote(f'{output}.said').replace('$', '$$')}")

    def write_commands(self, path: Path, tabs: list[Path], merged: Path) -> None:
        """How each source is compiled, for editors: a tab as what the tabs become, but read by
        itself."""
        found = list(self.compiled)
        for entry in (one for one in self.compiled if one["file"] == str(merged)):
            at = entry["arguments"].index(str(merged))
            before, after = entry["arguments"][:at], entry["arguments"][at + 1 :]
            for tab in tabs:
                words = [*before, "-include", "Arduino.h", "-x", "c++", str(tab), *after]
                found.append({**entry, "file": str(tab), "arguments": words})
        write_if_changed(path, json.dumps(found, indent=1) + "\n")

    def write(self, path: Path) -> None:
        """Only when changed, so that nothing is rebuilt for its sake."""
        write_if_changed(path, "\n".join(self.lines) + "\n")


def write_if_changed(path: Path, text: str) -> None:
    """So that nothing is built anew for a file that is as it was."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def run(folder: Path, targets: Sequence[Path | str], progress: Progress | None) -> tuple[bool, str]:
    """Builds targets; True if all went well, and what was said."""
    command = ["ninja", "-C", str(folder), *(str(target) for target in targets)]
    environment = os.environ | {"NINJA_STATUS": "[%f/%t] ", "LC_ALL": "C"}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    output: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        status = STATUS.match(line)
        if status and progress:
            progress(status[3], int(status[1]), int(status[2]))
        output.append(line)
    return process.wait() == 0, "".join(output)


def run_for(folder: Path, file: Path, progress: Progress | None) -> tuple[bool, str]:
    """The same for one file, which is made anew if it is not as it was left last time: ninja looks
    at times only, and would take one that has been damaged since."""
    known = file.with_name(f"{file.name}.sum")
    if file.exists() and not (known.exists() and known.read_text() == _sum(file)):
        file.unlink()
    well, said = run(folder, [file], progress)
    if well:
        known.write_text(_sum(file))
    return well, said


def _sum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
