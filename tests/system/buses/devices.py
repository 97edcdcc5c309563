"""Devices for the tests: what they see is written down, and some behave badly."""

from __future__ import annotations

from takt.machine.machine import NEVER


class Memory:
    """256 bytes behind a pointer: the first byte written sets it, everything moves it on."""

    def __init__(self) -> None:
        self.cells = bytearray(range(256))
        self.pointer = 0
        self.fresh = False
        self.seen: list[str] = []  # W, R, and P for a stop

    def start(self, read: bool) -> bool:
        self.seen.append("R" if read else "W")
        self.fresh = not read
        return True

    def write(self, byte: int) -> bool:
        if self.fresh:
            self.pointer, self.fresh = byte, False
        else:
            self.cells[self.pointer] = byte
            self.pointer = (self.pointer + 1) % 256
        return True

    def read(self, last: bool) -> int:
        byte = self.cells[self.pointer]
        self.pointer = (self.pointer + 1) % 256
        return byte

    def stop(self) -> None:
        self.seen.append("P")


class Refuser(Memory):
    """Takes a number of bytes in each transaction and refuses the next."""

    def __init__(self, takes: int) -> None:
        super().__init__()
        self.takes, self.left = takes, 0

    def start(self, read: bool) -> bool:
        self.left = self.takes
        return super().start(read)

    def write(self, byte: int) -> bool:
        self.left -= 1
        return self.left >= 0


class Stretcher(Memory):
    """Holds SCL before each of its bytes for so many cycles."""

    def __init__(self, cycles: int = NEVER) -> None:
        super().__init__()
        self.cycles = cycles

    def stretch(self) -> int:
        return self.cycles


class Complement:
    """On SPI: answers each frame with the complement of the one before."""

    def __init__(self) -> None:
        self.blocks: list[list[int]] = []
        self.last, self.bits = 0, 0

    def select(self) -> None:
        self.blocks.append([])

    def transfer(self, byte: int, bits: int) -> int:
        self.blocks[-1].append(byte)
        answer, self.last, self.bits = ~self.last & (1 << bits) - 1, byte, bits
        return answer

    def deselect(self) -> None:
        self.last = 0
        if not self.blocks[-1]:  # pins move before the sketch has set them up
            self.blocks.pop()
