"""The machine that runs a board's programs."""

from __future__ import annotations

from typing import Any

from takt.boards import Board


def machine_of(board: Board) -> Any:
    """A virtual board of that kind: QEMU where its [qemu] says how, else our own platform."""
    if "qemu" in board.raw:
        from takt.machine_qemu import QemuMachine

        return QemuMachine(board.name)
    from takt.machine import Machine

    return Machine(board.chip, board.core)
