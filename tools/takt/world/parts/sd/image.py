"""What is on a card: an image file of the user's, or files that the card is given, as FAT16.

Nothing of the user's is changed: blocks that the program writes are kept beside, so that the next
run finds the card as this one did.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from takt.world.parts.sd import fat
from takt.world.parts.sd.registers import BLOCK


class Image:
    """Blocks, as they were and as they have become."""

    def __init__(self, source: Path | fat.Tree) -> None:
        self.source, self.changed = source, dict[int, bytes]()
        if isinstance(source, Path):
            self.made = b""
            self.count = source.stat().st_size // BLOCK
        else:
            self.made = fat.formatted(source)
            self.count = len(self.made) // BLOCK

    def read(self, number: int) -> bytes:
        if number in self.changed:
            return self.changed[number]
        if not isinstance(self.source, Path):
            return self.made[number * BLOCK : (number + 1) * BLOCK]
        with self.source.open("rb") as file:
            file.seek(number * BLOCK)
            return file.read(BLOCK).ljust(BLOCK, b"\0")

    def write(self, number: int, data: bytes) -> None:
        self.changed[number] = data

    def save(self, path: Path) -> None:
        """The card as it is now."""
        if isinstance(self.source, Path):
            shutil.copyfile(self.source, path)
        else:
            path.write_bytes(self.made)
        with path.open("r+b") as file:
            for number, data in sorted(self.changed.items()):
                file.seek(number * BLOCK)
                file.write(data)
