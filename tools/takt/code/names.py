"""Names of functions and variables as users wrote them."""

from __future__ import annotations

import re

STUB = re.compile(r"__(\w+)_veneer")
LOCAL = re.compile(r"E(\d+)([A-Za-z_]\w*)$")  # the end of the mangled name of a static variable


def plain(name: str) -> str:
    """A mangled C++ name as the user wrote it, without arguments; other names as they are. The
    linker's stub on the way to a function: the function."""
    if stub := STUB.fullmatch(name):
        return plain(stub[1])
    if not name.startswith("_Z"):
        return name
    rest, parts = name[2:].lstrip("NKL"), []
    while rest and rest[0].isdigit():
        digits = len(rest) - len(rest.lstrip("0123456789"))
        size = int(rest[:digits])
        parts.append(rest[digits : digits + size])
        rest = rest[digits + size :]
    return "::".join(parts) or name


def variable(name: str) -> str:
    """The same of a variable, which may be a function's own."""
    name = name.split(".")[0]  # what the compiler has added
    local = LOCAL.search(name) if name.startswith("_ZZ") else None
    return local[2][: int(local[1])] if local else plain(name)
