"""The kernel with files that have another text: what is built meanwhile has it.

It is compiled from a copy, as programs' kernels are; the project's files stay as they are.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest
from takt.build import kernel
from takt.paths import ROOT

FOLDERS = ("admission", "kernel", "port")  # headers of include/ are also part of sketches

Held = Callable[[], AbstractContextManager[None]]


def built_with(texts: Mapping[str, str], folder: Path) -> Held:
    """A context: while it is held what is built has these texts, each under its file's name."""
    assert all(file.partition("/")[0] in FOLDERS for file in texts)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name)
    for file, text in texts.items():
        (folder / file).write_text(text)
    changed = partial(kernel.compiled, root=folder, options=("-Wno-error",))

    @contextmanager
    def held() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernel, "compiled", changed)
            yield

    return held
