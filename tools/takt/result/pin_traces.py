"""What the pins did in a run, for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from takt.result.pictures.scene import PinTrace
from takt.world.onboard import HIDDEN

if TYPE_CHECKING:
    from takt.boards import Board
    from takt.world.bench import Bench
    from takt.world.world import World


def seen(bench: Bench, world: World, board: Board, offset_us: float) -> list[PinTrace]:
    """Pins that a part is wired to or that changed, on the kernel's clock."""
    labels = world.labels()
    names = {pin: name for name, pin in reversed(world.pins.items())}
    changes = _changes(bench, offset_us)
    parts = world.everything().values()
    wires = [wire for part in parts for wire in part.pins()]
    driven = {wire.pin for wire in wires if wire.drives}
    voltages = {wire.pin for wire in wires if wire.analog}
    serial = {port[end] for port in board.serial.get("ports", []) for end in ("tx", "rx")}
    shown = sorted(
        (
            pin
            for pin in {*labels, *changes}
            if pin in changes or (pin in labels and pin < HIDDEN and pin not in voltages)
            if pin in labels or world.chip.get(pin) not in serial
        ),
        key=lambda pin: (pin in driven, pin not in labels, pin),
    )
    return [
        PinTrace(
            labels.get(pin, names.get(pin, f"pin {pin}")),
            pin,
            pin not in driven,
            *changes.get(pin, ([], [])),
            world.terminal(pin),
        )
        for pin in shown
    ]


def _changes(bench: Bench, offset_us: float) -> dict[int, tuple[list[float], list[int]]]:
    """Times and levels, by pin that changed."""
    found: dict[int, tuple[list[float], list[int]]] = {}
    for cycle, pin, level in bench.edges:
        times, levels = found.setdefault(pin, ([], []))
        if level != (levels[-1] if levels else 0):
            times.append(max(bench.us(cycle) - offset_us, 0.0))
            levels.append(level)
    return {pin: changes for pin, changes in found.items() if changes[0]}
