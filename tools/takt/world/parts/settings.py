"""Settings of parts: what a value in world.toml may be, and how it is read.

Values with a dimension are strings with a unit ("20 ms", "1.5 m"), so a world reads without a
manual. Durations become integer nanoseconds, everything else a float in the unit of its family.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from takt.world.parts.units import SettingError, check_range, duration, in_unit, with_unit


@dataclass(frozen=True)
class Context:
    """What reading a setting may need to know."""

    pins: Mapping[str, int]  # the board's names; the values are all pins there are
    folder: Path = Path()  # where files are named from


@dataclass(frozen=True)
class Setting:
    """One key of a part. Subclasses read it."""

    help: str
    default: Any = None
    required: bool = False

    def read(self, value: Any, context: Context) -> Any:
        raise NotImplementedError


class Pin(Setting):
    """A pin of the board, by number or by the board's name for it."""

    def read(self, value: Any, context: Context) -> int:
        if isinstance(value, str) and value in context.pins:
            return context.pins[value]
        numbers = sorted({pin for name, pin in context.pins.items() if "." not in name})
        if type(value) is int and value in numbers:
            return value
        raise SettingError(
            f"the board has no pin {value!r}",
            f"use a pin from {numbers[0]} to {numbers[-1]}, or a name such as "
            + ", ".join(sorted(n for n in context.pins if not re.match(r"GP|.*\.", n))[:4]),
        )


class PinPair(Pin):
    """Two pins: [8, 9]."""

    def read(self, value: Any, context: Context) -> tuple[int, int]:  # type: ignore[override]
        if not isinstance(value, list) or len(value) != 2:
            raise SettingError(f"{value!r} is not a pair of pins", "write two pins: [8, 9]")
        first, second = (Pin.read(self, v, context) for v in value)
        if first == second:
            raise SettingError(f"both pins are {first}", "use two different pins")
        return first, second


@dataclass(frozen=True)
class PinList(Pin):
    """Some pins: ["A0", "A1", "A2"]. more: so many will do as well."""

    count: int = 2
    more: Sequence[int] = ()

    def read(self, value: Any, context: Context) -> list[int]:  # type: ignore[override]
        counts = [self.count, *self.more]
        if not isinstance(value, list) or len(value) not in counts:
            example = ", ".join(str(pin) for pin in range(6, 6 + self.count))
            between = f"{counts[0]} to {counts[-1]}"
            many = between if len(counts) > 2 else " or ".join(map(str, counts))
            raise SettingError(f"{value!r} is not {many} pins", f"write [{example}]")
        pins = [Pin.read(self, v, context) for v in value]
        if len(set(pins)) < len(pins):
            raise SettingError(f"{value!r} names a pin twice", "use different pins")
        return pins


class Points(Setting):
    """Places on the floor: [["1 m", "50 cm"], ...]."""

    def read(self, value: Any, context: Context) -> list[tuple[float, float]]:
        pairs = pairs_of(value, '[["1 m", "50 cm"], ["2 m", "1 m"]]')
        places = ((with_unit(x, "distance"), with_unit(y, "distance")) for x, y in pairs)
        return [(float(x), float(y)) for x, y in places]


class Duration(Setting):
    """A time, in ns."""

    def read(self, value: Any, context: Context) -> int:
        return duration(value)


class Durations(Setting):
    """Some times, in ns: ["2 ms", "500 us"]."""

    def read(self, value: Any, context: Context) -> tuple[int, ...]:
        if not isinstance(value, list):
            raise SettingError(f"{value!r} is not a list of times", 'write ["2 ms", "500 us"]')
        return tuple(duration(one) for one in value)


@dataclass(frozen=True)
class Quantity(Setting):
    """A number with a unit, in the family's base unit."""

    family: str = "distance"
    least: float | None = None
    most: float | None = None

    def read(self, value: Any, context: Context) -> float:
        number = float(with_unit(value, self.family))
        check_range(number, self.least, self.most, value, lambda n: in_unit(n, self.family))
        return number


@dataclass(frozen=True)
class Whole(Setting):
    """A whole number."""

    least: int | None = None
    most: int | None = None

    def read(self, value: Any, context: Context) -> int:
        if type(value) is not int:
            raise SettingError(f"{value!r} is not a whole number", "write a number without quotes")
        check_range(value, self.least, self.most, value)
        return value


@dataclass(frozen=True)
class Choice(Setting):
    """One of some words."""

    options: tuple[str, ...] = ()

    def read(self, value: Any, context: Context) -> str:
        if value not in self.options:
            raise SettingError(f"{value!r} is not a choice", f"use {' or '.join(self.options)}")
        return value


class Text(Setting):
    """A string."""

    def read(self, value: Any, context: Context) -> str:
        if not isinstance(value, str):
            raise SettingError(f"{value!r} is not text", "write it in quotes")
        return value


class Moment(Setting):
    """A date and a time of day, as TOML has them: 2026-01-01T12:00:00."""

    def read(self, value: Any, context: Context) -> datetime:
        if not isinstance(value, datetime) or value.tzinfo is not None:
            fix = "write it without quotes and zone: 2026-01-01T12:00:00"
            raise SettingError(f"{value!r} is not a date and a time", fix)
        if not 2000 <= value.year < 2100:
            raise SettingError(f"the clock has no year {value.year}", "use one of 2000 to 2099")
        return value


class Texts(Setting):
    """Some texts: ["123", "456"]."""

    def read(self, value: Any, context: Context) -> list[str]:
        if not isinstance(value, list) or not value:
            raise SettingError(f"{value!r} is not a list of texts", 'write ["123", "456"]')
        return [Text.read(self, text, context) for text in value]  # type: ignore[arg-type]


class Script(Setting):
    """A list of [time, text]: what is sent when."""

    def read(self, value: Any, context: Context) -> list[tuple[int, str]]:
        pairs = pairs_of(value, '[["1 s", "hello\\n"]]')
        return sorted((duration(at), Text.read(self, text, context)) for at, text in pairs)


@dataclass(frozen=True)
class Times(Setting):
    """A list of [time, one of some words], in order."""

    options: tuple[str, ...] = ()

    def read(self, value: Any, context: Context) -> list[tuple[int, str]]:
        pairs = pairs_of(value, f'[["1 s", "{self.options[0]}"]]')
        choice = Choice("", options=self.options)
        return sorted((duration(at), choice.read(what, context)) for at, what in pairs)


class Presses(Setting):
    """A list of [time, how long]."""

    def read(self, value: Any, context: Context) -> list[tuple[int, int]]:
        pairs = pairs_of(value, '[["1 s", "100 ms"]]')
        presses = sorted((duration(at), duration(length)) for at, length in pairs)
        for (at, length), (following, _) in itertools.pairwise(presses):
            if at + length >= following:
                raise SettingError(
                    f"the press at {at / 1e9:g} s still lasts when the next begins",
                    "shorten it or move the next one",
                )
        return presses


@dataclass(frozen=True)
class Track:
    """A value over time: points (ns, value), straight lines between, flat outside."""

    points: tuple[tuple[int, float], ...]

    def at(self, ns: float) -> float:
        before = self.points[0]
        for point in self.points:
            if point[0] > ns:
                if before[0] > ns or point[0] == before[0]:
                    return before[1]
                share = (ns - before[0]) / (point[0] - before[0])
                return before[1] + share * (point[1] - before[1])
            before = point
        return before[1]

    @staticmethod
    def of(value: float) -> Track:
        """The same value all the time."""
        return Track(((0, value),))

    @property
    def constant(self) -> bool:
        return len({value for _, value in self.points}) == 1


@dataclass(frozen=True)
class Reference:
    """ "wheels.distance_cm": a quantity of another part."""

    part: str
    quantity: str


@dataclass(frozen=True)
class Signal(Quantity):
    """A number with a unit, a list of [time, number], or "part.quantity"."""

    def read(self, value: Any, context: Context) -> Track | Reference:  # type: ignore[override]
        if isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w-]*\.[A-Za-z]\w*", value):
            part, quantity = value.split(".")
            return Reference(part, quantity)
        if isinstance(value, list):
            pairs = pairs_of(value, '[["0 s", VALUE], ["2 s", VALUE]]')
            times = [duration(at) for at, _ in pairs]
            if times != sorted(times):
                raise SettingError("the times go backwards", "sort the points by time")
            values = [Quantity.read(self, v, context) for _, v in pairs]
            return Track(tuple(zip(times, values, strict=True)))
        return Track.of(Quantity.read(self, value, context))


def pairs_of(value: Any, example: str) -> list[tuple[Any, Any]]:
    """A list of two-element lists."""
    good = isinstance(value, list) and value
    if not good or not all(isinstance(p, list) and len(p) == 2 for p in value):
        raise SettingError(f"{value!r} is not a list of pairs", f"write {example}")
    return [(first, second) for first, second in value]
