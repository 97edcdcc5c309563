"""A small OLED display behind an SSD1306, on I2C or 4-wire SPI.

On I2C each message begins with a control byte: bit 6 says whether data or commands come, bit 7 that
it is one byte of them and then the next control byte. On SPI the terminal D/C says which.

The panel is wired as modules have it: SEG0 is its right edge, COM0 its lowest row.
"""

from __future__ import annotations

import random
import zlib
from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.buses import i2c_claim, spi_claim
from takt.world.parts.displays.ssd1306_chip import Ssd1306Chip
from takt.world.parts.displays.ssd1306_memory import PAGES, WIDTH
from takt.world.parts.settings import Choice, Pin, Setting, SettingError, Whole
from takt.world.pictures import Canvas, Dots, Picture, Rgb, boxed, braille, plain

ADDRESSES = (0x3C, 0x3D)
HEIGHTS = {"128x64": 64, "128x32": 32}
ONE_BYTE, DATA = 0x80, 0x40  # bits of a control byte
SCALE, MARGIN = 4, 12  # pixels of a dot, one of them dark, and around
GLASS: Rgb = (14, 15, 18)
LIGHT: Rgb = (190, 232, 255)
FAINTEST = 0.4  # of the light at contrast 255


class Ssd1306(Part):
    """Shows dots. It is on SPI if `select` is given, else on I2C. After power-on its RAM holds
    noise, as that of a real one does. Its picture is in the report."""

    kind = "ssd1306"
    settings: ClassVar[dict[str, Setting]] = {
        "size": Choice("columns and rows", default="128x64", options=tuple(HEIGHTS)),
        "i2c": Whole("the I2C block of the chip: 0 is Wire", least=0, most=1),
        "address": Whole("address on the bus", least=ADDRESSES[0], most=ADDRESSES[1]),
        "spi": Whole("the SPI block of the chip: 0 is SPI", least=0, most=1),
        "select": Pin("chip select pin, active low; makes it on SPI"),
        "dc": Pin("data/command pin, high for data"),
        "reset": Pin("reset pin, active low"),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.on_spi = values["select"] is not None
        self.address = values["address"] or ADDRESSES[0]
        self.height = HEIGHTS[values["size"]]
        noise = random.Random(zlib.crc32(name.encode())).randbytes(WIDTH * PAGES)
        self.chip = Ssd1306Chip(self.height, noise)
        self.odd_words = 0

    def check(self) -> None:
        values = self.values
        bus, others = ("SPI", ("i2c", "address")) if self.on_spi else ("I2C", ("spi", "dc"))
        for key in others:
            if values[key] is not None:
                fix = "leave it out" if self.on_spi else "add a line select = ..."
                raise SettingError(f"{key} is given, but it is on {bus}", fix)
        if self.on_spi and values["dc"] is None:
            raise SettingError("on SPI it needs 'dc'", "add a line dc = ...")
        pins = [wire.pin for wire in self.pins()]
        if len(set(pins)) < len(pins):
            raise SettingError("two lines are on one pin", "use different pins")

    def claims(self) -> dict[str, str]:
        if self.on_spi:
            return spi_claim(self.values["select"])
        return i2c_claim(self.values["i2c"] or 0, self.address)

    def pins(self) -> list[Wire]:
        values = self.values
        wires = [Wire("reset", values["reset"], prompt=True)] if values["reset"] is not None else []
        if self.on_spi:
            known = (key for key in ("select", "dc") if values[key] is not None)
            wires += [Wire(key, values[key], chip=True) for key in known]
        return wires

    def start(self, bench) -> None:
        super().start(bench)
        machine, values = bench.machine, self.values
        if self.on_spi:
            select = bench.world.chip[values["select"]]
            machine.spi_device(values["spi"] or 0, select, _OnSpi(self))
        else:
            machine.i2c_device(values["i2c"] or 0, self.address, _OnI2c(self.chip))

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        if pin == self.values["reset"]:
            self.chip.reset(not level)

    # Report.

    def lit(self, x: int, y: int) -> bool:
        """Whether a dot gives light; 0, 0 is above at the left."""
        return self.chip.lit(WIDTH - 1 - x, self.height - 1 - y)

    def pictures(self) -> list[Picture]:
        high = self.height
        rows = [[self.lit(x, y) for x in range(WIDTH)] for y in range(high)]
        bits = ("".join("01"[lit] for lit in row) for row in rows)
        contents = {"hex": [f"{int(row, 2):0{WIDTH // 4}x}" for row in bits]}
        seen = boxed(braille(WIDTH, high, lambda x, y: rows[y][x]))
        caption = f"{WIDTH} x {high} dots" + ("" if self.chip.on else ", off")
        return [Dots(caption, self._canvas(rows), plain(seen), contents=contents)]

    def _canvas(self, rows: list[list[bool]]) -> Canvas:
        canvas = Canvas(WIDTH * SCALE + 2 * MARGIN, self.height * SCALE + 2 * MARGIN, GLASS)
        share = FAINTEST + (1 - FAINTEST) * self.chip.contrast / 255
        red, green, blue = (round(part * share) for part in LIGHT)
        for y, row in enumerate(rows):
            for x in (x for x, lit in enumerate(row) if lit):
                place = MARGIN + x * SCALE, MARGIN + y * SCALE
                canvas.fill(*place, SCALE - 1, SCALE - 1, (red, green, blue))
        return canvas

    def summary(self) -> dict[str, Any]:
        chip = self.chip
        return {
            "display": "on" if chip.on else "off",
            "charge_pump": "on" if chip.pump else "off",
            "lit_dots": sum(self.lit(x, y) for y in range(self.height) for x in range(WIDTH)),
            "contrast": chip.contrast,
            "commands": chip.commands,
            "data_bytes": chip.data,
            "resets": chip.resets,
            "bytes_while_reset": chip.ignored or None,
            "words_not_of_8_bits": self.odd_words or None,
            "unknown_commands": [f"{command:#04x}" for command in sorted(chip.unknown)],
            "not_modelled": sorted(chip.left_out),
        }


class _OnI2c:
    """Its side of the bus."""

    def __init__(self, chip: Ssd1306Chip) -> None:
        self.chip = chip
        self.control: int | None = None  # None: that is what comes next

    def start(self, read: bool) -> bool:
        self.control = None
        return not self.chip.held

    def write(self, byte: int) -> bool:
        if self.control is None:
            self.control = byte
            return True
        self.chip.take(byte, bool(self.control & DATA))
        if self.control & ONE_BYTE:
            self.control = None
        return True

    def read(self, last: bool) -> int:
        return self.chip.status()

    def stop(self) -> None:
        pass


class _OnSpi:
    """The same; nothing is read on SPI."""

    def __init__(self, part: Ssd1306) -> None:
        self.part = part

    def select(self) -> None:
        pass

    def transfer(self, byte: int, bits: int) -> int:
        if bits != 8:
            self.part.odd_words += 1
        else:
            data = self.part.bench.level(self.part.values["dc"])
            self.part.chip.take(byte, bool(data))
        return 0

    def deselect(self) -> None:
        pass
