"""C declarations for cffi, parsed once: parsing takes longer than most of what is then called."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import cffi

from takt.paths import BUILD

FOLDER = BUILD / "host" / "declared"


def declared(text: str) -> Any:
    """The FFI of these declarations, whose dlopen() opens a library with them."""
    tag = hashlib.sha256(f"{cffi.__version__} {text}".encode()).hexdigest()[:16]
    name = f"takt_declared_{tag}"
    module = FOLDER / f"{name}.py"
    if not module.exists():
        _parse(text, name, module)
    spec = importlib.util.spec_from_file_location(name, module)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded.ffi


def _parse(text: str, name: str, module: Path) -> None:
    ffi = cffi.FFI()
    ffi.cdef(text)
    ffi.set_source(name, None)
    module.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=module.parent) as folder:
        made = Path(folder, module.name)
        with redirect_stdout(io.StringIO()):  # it says what it does
            ffi.emit_python_code(str(made))
        os.replace(made, module)
