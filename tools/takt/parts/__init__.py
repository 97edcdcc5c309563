"""Parts of worlds: what can be wired to a board. One class per file, listed here."""

from takt.parts.base import Part, Wire
from takt.parts.button import Button
from takt.parts.hc_sr04 import HcSr04
from takt.parts.led import Led
from takt.parts.potentiometer import Potentiometer
from takt.parts.rover import Rover
from takt.parts.serial_terminal import SerialTerminal
from takt.parts.square_wave import SquareWave

PARTS: dict[str, type[Part]] = {
    part.kind: part
    for part in (Button, HcSr04, Led, Potentiometer, Rover, SerialTerminal, SquareWave)
}

__all__ = ["PARTS", "Part", "Wire"]
