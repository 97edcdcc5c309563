"""CAN adapters that a sketch defines and those that are plugged in: who finds nobody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from takt.parts.usb_can import ADAPTERS, UsbCan

if TYPE_CHECKING:
    from takt.elf import Program
    from takt.parts.base import Part


def alone(program: Program, parts: Iterable[Part]) -> list[str]:
    """Warnings; none for a program without the driver."""
    if "__start_takt_can_adapters" not in program.by_name:
        return []
    plugged = [part for part in parts if isinstance(part, UsbCan)]
    found = []
    for adapter, kind in ADAPTERS.items():
        names = defined(program, kind)
        there = [part.name for part in plugged if part.values["adapter"] == adapter]
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
