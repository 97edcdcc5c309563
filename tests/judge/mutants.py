"""The kernel with lines changed: a judge that does not notice is none.

What is changed is compiled from a copy, as programs' kernels are; the project's files stay as they
are.
"""

from __future__ import annotations

import functools
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from takt.build import kernel
from takt.paths import ROOT

FOLDERS = ("admission", "kernel", "port")  # headers of include/ are also part of sketches


@dataclass(frozen=True)
class Change:
    """In a file, what matches exactly once becomes another text."""

    file: str
    pattern: str
    text: str


@dataclass(frozen=True)
class Mutant:
    name: str
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        return self.name


def apply(mutant: Mutant, folder: Path) -> None:
    """Copies what kernels are made of and changes it there."""
    assert all(change.file.partition("/")[0] in FOLDERS for change in mutant.changes)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name)
    for change in mutant.changes:
        path = folder / change.file
        text, count = re.subn(change.pattern, lambda _, to=change: to.text, path.read_text())
        assert count == 1, f"{mutant}: {count} matches of {change.pattern} in {change.file}"
        path.write_text(text)


Held = Callable[[], AbstractContextManager[None]]


def built_wrong(mutant: Mutant, folder: Path) -> Held:
    """A context: while it is held what is built has the change."""
    apply(mutant, folder)
    changed = functools.partial(kernel.compiled, root=folder, options=("-Wno-error",))

    @contextmanager
    def held() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernel, "compiled", changed)
            yield

    return held
