"""Sketches by the names of the pico's SDK that tell by Serial."""

from __future__ import annotations

from pathlib import Path

from ledstrip import HZ, sketch
from takt import boards
from takt.machine.machine import Machine
from takt.machine.machines import machine_of

START = "#include <Takt.h>\n#include <hardware/dma.h>\n"


def machine(folder: Path, text: str) -> Machine:
    m = machine_of(boards.load("pico"))
    m.load_elf(sketch(folder, START + text).elf)
    return m


def said(m: Machine, seconds: float = 0.1) -> str:
    m.run(int(seconds * HZ))
    return bytes(byte for _, byte in m.uart_take(0)).decode()


class Inverts:
    """An SPI device that gives back the complement of the word before."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def select(self) -> None: ...

    def transfer(self, word: int, bits: int) -> int:
        self.seen.append(word)
        return (self.seen[-2] ^ 0xFF) if len(self.seen) > 1 else 0x11

    def deselect(self) -> None: ...
