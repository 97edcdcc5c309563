"""The machine that runs a board's programs."""

from __future__ import annotations

from typing import Any

from takt.boards import Board


def machine_of(board: Board, cpus: int = 1) -> Any:
    """A virtual board of that kind: QEMU where its [qemu] says how, simavr for AVR, a host process
    for sim, else our own platform. cpus: of a PC."""
    if "qemu" in board.raw:
        if board.core == "x86_64":
            from takt.machine.pc import PcMachine

            return PcMachine(board, cpus)
        from takt.machine.cortex import CortexMachine

        return CortexMachine(board)
    if board.core == "host":
        from takt.machine.sim import SimMachine

        return SimMachine()
    if board.core == "avr":
        from takt.machine.avr import AvrMachine

        return AvrMachine(board.chip, board.clock_hz)
    from takt.machine.machine import Machine

    return Machine(board.chip, board.core)
