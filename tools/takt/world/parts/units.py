"""Numbers with units, as world.toml has them: "20 ms"; and their limits, in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

UNITS: dict[str, dict[str, Fraction]] = {
    "time": {"ns": Fraction(1), "us": Fraction(10**3), "ms": Fraction(10**6), "s": Fraction(10**9)},
    "frequency": {"Hz": Fraction(1), "kHz": Fraction(10**3), "MHz": Fraction(10**6)},
    "distance": {"mm": Fraction(1, 10), "cm": Fraction(1), "m": Fraction(100)},
    "speed": {"mm/s": Fraction(1, 10), "cm/s": Fraction(1), "m/s": Fraction(100)},
    "voltage": {"mV": Fraction(1, 1000), "V": Fraction(1)},
    "angle": {"deg": Fraction(1)},
    "share": {"%": Fraction(1, 100)},
    "temperature": {"degC": Fraction(1)},
    "angular speed": {"deg/s": Fraction(1)},
    "pressure": {"Pa": Fraction(1), "hPa": Fraction(100), "kPa": Fraction(1000)},
    "acceleration": {"m/s2": Fraction(1), "g": Fraction(980665, 100_000)},
    "illuminance": {"lx": Fraction(1), "klx": Fraction(1000)},
    "resistance": {"Ohm": Fraction(1), "kOhm": Fraction(1000), "MOhm": Fraction(10**6)},
}
_NUMBER = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z%/]+2?)\s*")


class SettingError(Exception):
    """A value that cannot be used; `fix` says what would do."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what)
        self.what, self.fix = what, fix


def with_unit(value: Any, family: str) -> Fraction:
    """ "20 ms" -> the number in the family's base unit (ns, Hz, cm, cm/s, V, deg, 1)."""
    units = UNITS[family]
    example = (
        f'write a number and a unit in quotes, one of {", ".join(units)}: "5 {list(units)[-1]}"'
    )
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise SettingError(f"{value!r} is not a {family} with a unit", example)
    if match[2] not in units:
        raise SettingError(f"{value!r}: {match[2]!r} is not a unit of {family}", example)
    return Fraction(match[1]) * units[match[2]]


def in_unit(number: float, family: str) -> str:
    """The other way round, in the largest unit of which it is one or more: 2e7 -> "20 MHz"."""
    units = UNITS[family]
    fits = [name for name, size in units.items() if number >= size]
    name = max(fits or [min(units, key=units.__getitem__)], key=units.__getitem__)
    return f"{float(number / units[name]):.10g} {name}"


def duration(value: Any) -> int:
    """A time that is not negative, in ns."""
    ns = with_unit(value, "time")
    if ns < 0:
        raise SettingError(f"{value!r} is negative", "give a time from the start of the run")
    return round(ns)


def check_range(
    number: float,
    least: float | None,
    most: float | None,
    shown: Any,
    say: Callable[[float], str] = str,
) -> None:
    """Refuses numbers outside least..most. say: a limit as one writes it."""
    if least is not None and number < least:
        raise SettingError(f"{shown!r} is too small", f"use at least {say(least)}")
    if most is not None and number > most:
        raise SettingError(f"{shown!r} is too large", f"use at most {say(most)}")
