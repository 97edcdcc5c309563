"""What surrounds a board. What parts of a user's own are made of is imported from here
(docs/parts.md); the names below stay."""

from takt.world.parts.base import Part, Wire
from takt.world.parts.buses import I2cPart, SpiPart, i2c_settings, spi_settings
from takt.world.parts.settings import (
    Choice,
    Duration,
    Durations,
    Pin,
    PinList,
    PinPair,
    Quantity,
    Script,
    Signal,
    Text,
    Whole,
)
from takt.world.parts.units import SettingError
from takt.world.pictures import Canvas, Dots, Floor

__all__ = [
    "Canvas",
    "Choice",
    "Dots",
    "Duration",
    "Durations",
    "Floor",
    "I2cPart",
    "Part",
    "Pin",
    "PinList",
    "PinPair",
    "Quantity",
    "Script",
    "SettingError",
    "Signal",
    "SpiPart",
    "Text",
    "Whole",
    "Wire",
    "i2c_settings",
    "spi_settings",
]
