"""Parts on I2C that are a row of registers: a write names one and goes on with the next ones."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.buses import I2cPart


class RegisterPart(I2cPart):
    """Subclasses say what a register holds (`get`) and what a write does (`put`)."""

    size: ClassVar[int] = 256  # registers; after the last comes the first

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pointer = 0
        self.named = False  # in this write

    def get(self, register: int) -> int:
        """What a read gives."""
        raise NotImplementedError

    def put(self, register: int, byte: int) -> None:
        """What a write does."""

    def following(self, register: int) -> int:
        """The one after."""
        return (register + 1) % self.size

    def addressed(self, read: bool) -> bool:
        self.named = False
        return True

    def write(self, byte: int) -> bool:
        if self.named:
            self.put(self.pointer, byte)
            self.pointer = self.following(self.pointer)
        else:
            self.pointer, self.named = byte % self.size, True
        return True

    def read(self, last: bool) -> int:
        byte = self.get(self.pointer)
        self.pointer = self.following(self.pointer)
        return byte
