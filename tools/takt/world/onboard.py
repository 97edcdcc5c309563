"""Pins that are not the chip's: those of expanders and converters, on the board or in the world.

A board whose pins hang on such parts says so in board.toml; its worlds then hold these parts
without naming them, under the names EXPANDER and CONVERTER:

    [expander]               # a CY8C9540A
    i2c = 0                  # the chip's I2C block
    address = 0x20
    interrupt = 6            # GPIO of the chip at its output INT
    [expander.pins]          # pin of the board -> [port, bit]
    D4 = [1, 4]

    [adc_chip]               # an AD7298
    spi = 0
    select = 17              # GPIO of the chip at its input CS
    volts = 3.3              # voltage at a pin of the board that gives the largest value
    [adc_chip.channels]      # pin of the board -> input
    A0 = 0

    [chip_pins]              # pins of the board that also hang on a GPIO of the chip
    D2 = 14

A world may also name such parts itself: "gpio.2.3" is then terminal 2.3 of the part `gpio`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from takt.world.parts import PARTS, Carrier
from takt.world.parts.ad7298 import Ad7298
from takt.world.parts.cy8c9540a import Cy8c9540a

EXPANDER, CONVERTER = "board.expander", "board.adc"
HIDDEN = 1000  # GPIOs of the chip that are no pins of the board: HIDDEN + GPIO
FIRST_TERMINAL = 100  # pins of the world that are terminals of its parts


@dataclass
class BoardWiring:
    """What is behind the pins of a board."""

    chip: dict[int, int]  # pin -> pin of the chip
    parts: dict[str, Carrier] = field(default_factory=dict)


def board_wiring(pins: Mapping[str, int], raw: Mapping[str, Any]) -> BoardWiring:
    """Reads board.toml; without the tables above every pin is a pin of the chip."""
    if not any(table in raw for table in ("expander", "adc_chip", "chip_pins")):
        return BoardWiring({pin: pin for pin in pins.values()})
    wiring = BoardWiring({pins[name]: gpio for name, gpio in raw.get("chip_pins", {}).items()})
    if "expander" in raw:
        _expander(wiring, pins, raw["expander"])
    if "adc_chip" in raw:
        _converter(wiring, pins, raw["adc_chip"])
    return wiring


def _hidden(wiring: BoardWiring, gpio: int) -> int:
    """A pin of the world for a GPIO that only parts of the board use."""
    wiring.chip[HIDDEN + gpio] = gpio
    return HIDDEN + gpio


def _defaults(part: type, given: dict[str, Any]) -> dict[str, Any]:
    return {key: setting.default for key, setting in part.settings.items()} | given


def _expander(wiring: BoardWiring, pins: Mapping[str, int], table: Mapping[str, Any]) -> None:
    given = {"i2c": table["i2c"], "address": table["address"]}
    given["interrupt"] = _hidden(wiring, table["interrupt"]) if "interrupt" in table else None
    part = Cy8c9540a(EXPANDER, _defaults(Cy8c9540a, given))
    part.attach({pins[name]: f"{port}.{bit}" for name, (port, bit) in table["pins"].items()})
    wiring.parts[EXPANDER] = part


def _converter(wiring: BoardWiring, pins: Mapping[str, int], table: Mapping[str, Any]) -> None:
    given = {"spi": table["spi"], "select": _hidden(wiring, table["select"])}
    given["volts"] = table.get("volts", 3.3)
    part = Ad7298(CONVERTER, _defaults(Ad7298, given))
    part.attach({pins[name]: str(channel) for name, channel in table["channels"].items()})
    wiring.parts[CONVERTER] = part


def place_of(pin: int) -> str:
    """Where a pin is: pin 4; of a wire that is no pin of the board, at the chip: GPIO 22."""
    return f"pin {pin}" if pin < HIDDEN else f"GPIO {pin - HIDDEN}"


def terminals(parts: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Carriers among the parts of a world file -> their terminals' names and pin numbers."""
    found: dict[str, dict[str, int]] = {}
    number = FIRST_TERMINAL
    for name, table in parts.items():
        kind = table.get("type") if isinstance(table, dict) else None
        part = PARTS.get(kind) if isinstance(kind, str) else None
        if part is None or not issubclass(part, Carrier):
            continue
        found[name] = {t: number + index for index, t in enumerate(part.terminals)}
        number += len(part.terminals)
    return found
