"""An SD card in a socket on SPI (card.py has the protocol)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from takt.world.parts.buses import SpiPart, spi_settings
from takt.world.parts.sd import fat
from takt.world.parts.sd.card import NOTHING, Card, Times
from takt.world.parts.sd.image import Image
from takt.world.parts.sd.registers import BLOCK, HC_BLOCKS, standard_size
from takt.world.parts.settings import Choice, Context, Duration, Setting, SettingError

ACCESS_NS = 200_000  # from a command to its data: a usual card's
INIT_NS = 50_000_000
SLOW_HZ = 400_000  # until the card is initialised
UNDERSTOOD = (0, 3)  # modes of SPI


class CardImage(Setting):
    """A file with the blocks of a card."""

    def read(self, value: Any, context: Context) -> Path:
        path = _inside(value, context, "card.img")
        if not path.is_file():
            raise SettingError(f"there is no file {value!r}", "copy a card into one, by dd")
        size = path.stat().st_size
        if not size or size % BLOCK:
            what = f"{value!r} has {size} bytes, which are no blocks of {BLOCK}"
            raise SettingError(what, "copy the whole card, not one file of it")
        return path


class CardFiles(Setting):
    """A folder whose files are put on a new card."""

    def read(self, value: Any, context: Context) -> fat.Tree:
        path = _inside(value, context, "card")
        if not path.is_dir():
            raise SettingError(f"there is no folder {value!r}", "make it beside world.toml")
        tree = self._tree(path, value)
        try:
            fat.formatted(tree)
        except fat.Full:
            what = f"{value!r} holds more than a card of 16 MB has room for"
            raise SettingError(what, "leave something out, or give the card an image") from None
        return tree

    def _tree(self, folder: Path, shown: str) -> fat.Tree:
        tree: fat.Tree = {}
        for path in sorted(folder.iterdir()):
            if fat.short(path.name) is None:
                what = f"{shown}/{path.name} has a name that is longer than 8.3"
                raise SettingError(what, "rename it as CONFIG.TXT is named")
            if path.name.upper() in tree:
                what = f"{shown}/{path.name} is there twice, in small and capital letters"
                raise SettingError(what, "rename one")
            below = f"{shown}/{path.name}"
            held = self._tree(path, below) if path.is_dir() else path.read_bytes()
            tree[path.name.upper()] = held
        return tree


def _inside(value: Any, context: Context, example: str) -> Path:
    if not isinstance(value, str) or not value:
        raise SettingError(f"{value!r} is not the name of a file", f'write "{example}"')
    return context.folder / value


class SdCard(SpiPart):
    """A card with what is in an image file or in a folder; without either newly formatted, FAT16.
    Neither is changed: the card as the program leaves it is beside the report."""

    kind = "sd-card"
    settings: ClassVar[dict[str, Setting]] = {
        **spi_settings(),
        "image": CardImage("a file with the blocks of a card, as dd copies one"),
        "files": CardFiles("a folder whose files are on the card, which has 16 MB and FAT16"),
        "capacity": Choice(
            "which protocol: SDHC counts blocks, SD bytes",
            default="high",
            options=("high", "standard"),
        ),
        "busy": Duration("how long it is busy after each block written", default=1_000_000),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.high = values["capacity"] == "high"
        self.too_fast = self.wrong_mode = 0

    def check(self) -> None:
        if self.values["image"] and self.values["files"] is not None:
            raise SettingError("a card has an image or files, not both", "leave one out")
        self.blocks = Image(self.values["image"] or self.values["files"] or {})
        if self.high and self.blocks.count % HC_BLOCKS:
            what = f"the image has {self.blocks.count * BLOCK} bytes; SDHC counts units of 512 KB"
            raise SettingError(what, 'make it longer, or write capacity = "standard"')
        if not self.high and standard_size(self.blocks.count) is None:
            what = f"a card of standard capacity cannot have {self.blocks.count} blocks"
            raise SettingError(what, "make the image at most 1 GB, a multiple of some KB")

    def start(self, bench) -> None:
        times = (bench.cycles(ns) for ns in (ACCESS_NS, self.values["busy"], INIT_NS))
        self.card = Card(self.name, self.blocks, self.high, Times(*times), lambda: bench.now)

    def select(self) -> None:
        super().select()
        hz, mode, _ = self.bench.machine.spi_settings(self.bus)
        self.heard = mode in UNDERSTOOD
        self.wrong_mode += not self.heard
        self.too_fast += self.card.idle and hz > SLOW_HZ

    def transfer(self, byte: int, bits: int) -> int:
        answer = 0
        for shift in range(bits - 8, -1, -8):
            given = self.card.exchange(byte >> shift & 0xFF) if self.heard else NOTHING
            answer = answer << 8 | given
        return answer

    def deselect(self) -> None:
        self.card.deselect()

    def files(self) -> dict[str, Any]:
        return {f"{self.name}.img": self.blocks.save} if self.blocks.changed else {}

    def summary(self) -> dict[str, Any]:
        seen = self.card.seen
        found = {key: seen[key] for key in ("blocks read", "blocks written")}
        found |= {key: count for key, count in sorted(seen.items()) if count}
        found["initialised"] = not self.card.idle
        if self.too_fast:
            found["clock beyond 400 kHz before that"] = self.too_fast
        if self.wrong_mode:
            found["selected in a wrong SPI mode"] = self.wrong_mode
        return found
