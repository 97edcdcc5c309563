"""Finds, or builds, the C library of the virtual platform and opens it."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import cffi

from takt.paths import ROOT

HEADER = ROOT / "platform" / "include" / "takt_platform.h"
LIBRARY = "libtakt_platform.so"
NEVER = 2**64 - 1  # cycles


class PlatformError(Exception):
    """The platform library is missing or refuses what was asked."""


def library_path() -> Path:
    """TAKT_PLATFORM_LIB, or the library in the build tree, built on first use."""
    named = os.environ.get("TAKT_PLATFORM_LIB")
    if named:
        return Path(named)
    found = [ROOT / "build" / "host" / LIBRARY, ROOT / "build" / "host" / "platform" / LIBRARY]
    for path in found:
        if path.exists():
            return path
    return _build_alone()


def _build_alone() -> Path:
    """Builds only the platform, for use before the whole project has been configured."""
    out = ROOT / "build" / "platform"
    for command in (
        ["cmake", "-S", str(ROOT / "platform"), "-B", str(out), "-G", "Ninja"],
        ["cmake", "--build", str(out)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise PlatformError(f"building the platform failed: {done.stdout}{done.stderr}")
    return out / LIBRARY


def declarations() -> str:
    """The C header without what cffi does not read."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


@cache
def library() -> tuple[cffi.FFI, object]:
    ffi = cffi.FFI()
    ffi.cdef(declarations())
    return ffi, ffi.dlopen(str(library_path()))
