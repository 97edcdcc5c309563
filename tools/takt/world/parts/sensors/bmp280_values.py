"""What a BMP280 or BME280 reads: raw numbers of which the data sheets' formulas (BST-BME280-DS002,
4.2.3 and 8.1, in floating point) make a temperature, a pressure, a humidity.

Each formula only rises or only falls with its raw number, so that is found by halving.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

# The BMP280's data sheet computes its example with these (3.12).
T1, T2, T3 = 27504, 26435, -1000
P1, P2, P3, P4, P5, P6, P7, P8, P9 = 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000
H1, H2, H3, H4, H5, H6 = 75, 362, 0, 313, 50, 30  # as a chip may have them
# Registers 0x88 to 0xA0; then 0xA1 and 0xE1 to 0xE7, where H4 and H5 share a byte.
CALIBRATION = struct.pack("<Hhh Hhhhhhhhh x", T1, T2, T3, P1, P2, P3, P4, P5, P6, P7, P8, P9)
HUMIDITY_CALIBRATION = struct.pack(
    "<B hBBBBb", H1, H2, H3, H4 >> 4, (H5 & 15) << 4 | H4 & 15, H5 >> 4, H6
)
MOST_RAW, MOST_RAW_HUMIDITY = 2**20 - 1, 2**16 - 1


@dataclass(frozen=True)
class Raw:
    """What the chip converts."""

    temperature: int
    pressure: int
    humidity: int


def _fine(raw: int) -> float:
    """The temperature that the other formulas take."""
    first = (raw / 16384 - T1 / 1024) * T2
    return first + (raw / 131072 - T1 / 8192) ** 2 * T3


def celsius(raw: int) -> float:
    """Of a raw temperature."""
    return _fine(raw) / 5120


def pascal(raw: int, fine: float) -> float:
    """Of a raw pressure."""
    a = fine / 2 - 64000
    b = (a * a * P6 / 32768 + a * P5 * 2) / 4 + P4 * 65536
    scale = (1 + (P3 * a * a / 524288 + P2 * a) / 524288 / 32768) * P1
    p = (1048576 - raw - b / 4096) * 6250 / scale
    return p + (P9 * p * p / 2147483648 + p * P8 / 32768 + P7) / 16


def percent(raw: int, fine: float) -> float:
    """Of a raw humidity, not yet limited to 0 to 100."""
    a = fine - 76800
    slope = H2 / 65536 * (1 + H6 / 67108864 * a * (1 + H3 / 67108864 * a))
    h = (raw - (H4 * 64 + H5 / 16384 * a)) * slope
    return h * (1 - H1 * h / 524288)


def _found(rising: Callable[[int], float], wanted: float, most: int) -> int:
    """The number up to `most` that gives the nearest."""
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        if rising(middle) < wanted:
            low = middle + 1
        else:
            high = middle
    return min((max(low - 1, 0), low), key=lambda raw: abs(rising(raw) - wanted))


def raw_of(degrees: float, pressure: float, humidity: float) -> Raw:
    """The raw numbers for degC, Pa and a share."""
    temperature = _found(celsius, degrees, MOST_RAW)
    fine = _fine(temperature)
    return Raw(
        temperature,
        _found(lambda raw: -pascal(raw, fine), -pressure, MOST_RAW),
        _found(lambda raw: percent(raw, fine), 100 * humidity, MOST_RAW_HUMIDITY),
    )
