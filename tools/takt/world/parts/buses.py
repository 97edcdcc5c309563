"""Parts on a bus: what the platform calls when firmware talks to them."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Pin, Setting, Whole

ADDRESS_MIN, ADDRESS_MAX = 0x08, 0x77  # the others are reserved by the I2C specification


def i2c_settings(address: int, least: int = ADDRESS_MIN, most: int = ADDRESS_MAX):
    """The settings that wire a part to an I2C bus."""
    return {
        "i2c": Whole("the I2C block of the chip: 0 is Wire", default=0, least=0, most=1),
        "address": Whole("address on the bus", default=address, least=least, most=most),
    }


def i2c_claim(bus: int, address: int) -> dict[str, str]:
    """What only one part may have (Part.claims)."""
    return {f"address {address:#04x} of I2C {bus}": "address"}


def spi_claim(select: int) -> dict[str, str]:
    """The same of a chip select."""
    return {f"chip select {select}": "select"}


def spi_settings() -> dict[str, Setting]:
    """The settings that wire a part to an SPI bus."""
    return {
        "spi": Whole("the SPI block of the chip: 0 is SPI", default=0, least=0, most=1),
        "select": Pin("chip select pin, active low", required=True),
    }


class _Target:
    """The platform's side of an I2C part."""

    def __init__(self, part: I2cPart) -> None:
        self.part = part
        self.write, self.read, self.stop = part.write, part.read, part.stop

    def start(self, read: bool) -> bool:
        self.part.transactions += 1
        return self.part.addressed(read)


class I2cPart(Part):
    """A target on an I2C bus. Subclasses take and give bytes; all of it in virtual time."""

    settings: ClassVar[dict[str, Setting]] = {}

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.bus, self.address = values["i2c"], values["address"]
        self.transactions = 0  # times addressed; a repeated start counts again

    def claims(self) -> dict[str, str]:
        return i2c_claim(self.bus, self.address)

    def connect(self, bench) -> None:
        super().connect(bench)
        bench.machine.i2c_device(self.bus, self.address, _Target(self))

    def addressed(self, read: bool) -> bool:
        """The address came by, to read from the part or to write to it. True: acknowledged."""
        return True

    def write(self, byte: int) -> bool:
        """A byte for the part. True: acknowledged."""
        return False

    def read(self, last: bool) -> int:
        """The next byte from the part; the controller wants no more after the last."""
        return 0xFF

    def stop(self) -> None:
        """The end of a transaction."""


class SpiPart(Part):
    """A device on an SPI bus. Subclasses exchange bytes while they are selected."""

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.bus, self.chip_select = values["spi"], values["select"]
        self.transactions = 0  # times selected

    def pins(self) -> list[Wire]:
        return [Wire("select", self.chip_select, chip=True)]

    def claims(self) -> dict[str, str]:
        return spi_claim(self.chip_select)

    def connect(self, bench) -> None:
        super().connect(bench)
        bench.machine.spi_device(self.bus, bench.world.chip[self.chip_select], self)

    def select(self) -> None:
        """Chip select fell. Overriders call it first."""
        self.transactions += 1

    def transfer(self, byte: int, bits: int) -> int:
        """A word of `bits` bits from the controller; what the part answers meanwhile."""
        return 0

    def deselect(self) -> None:
        """Chip select rose."""
