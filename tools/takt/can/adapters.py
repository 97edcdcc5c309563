"""CAN adapters that a sketch defines and those that are plugged in: who finds nobody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takt.code.elf import Program

ADAPTERS = {"kvaser": "hydra", "gs_usb": "gs"}  # what drives each


def alone(program: Program, plugged: Sequence[tuple[str, str]]) -> list[str]:
    """Warnings; none for a program without the driver. plugged: which adapter, and its name."""
    if "__start_takt_can_adapters" not in program.by_name:
        return []
    found = []
    for adapter, kind in ADAPTERS.items():
        names = defined(program, kind)
        there = [name for which, name in plugged if which == adapter]
        found += [
            f"adapter {name} ({kind}) is not plugged in, its channels stay closed; "
            f'write a part in world.toml: type = "usb-can", adapter = "{adapter}"'
            for name in names[len(there) :]
        ]
        found += [
            f"nobody reads {name}; write another canAdapter(id, {kind}, C, T)"
            for name in there[len(names) :]
        ]
    return found


def defined(program: Program, kind: str) -> list[str]:
    """Names, in the order in which they get devices (include/takt/can.h)."""
    if f"can_{kind}" not in program.by_name:
        return []
    first, end = (program.by_name[f"__{b}_takt_can_adapters"].address for b in ("start", "stop"))
    wide = program.architecture.pointer
    adapters = [program.pointer(at) for at in range(first, end, wide)]
    of_kind = program.by_name[f"can_{kind}"].address
    names = {symbol.address: symbol.name for symbol in program.symbols}
    return [
        names[adapter].removeprefix("can_")
        for adapter in adapters
        if program.pointer(adapter) == of_kind
    ]
