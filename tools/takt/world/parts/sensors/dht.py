"""DHT22 (AM2302) and DHT11: temperature and humidity over one wire (Aosong's data sheets).

    board    ----+    1 ms (18)   +--(20..40 us)--.
                 +----------------+
    sensor                          30   80   80    50  26 or 70  50 ...            50
                                   ----+    +----+    +---------+    ... 40 bits +     +----
                                       +----+    +----+         +----            +-----+

The board pulls the wire low for at least 1 ms (DHT22) or 18 ms (DHT11) and lets it go. 40 bits
follow, the highest first: humidity (16), temperature (16, DHT22: sign and amount), the low byte of
the sum of these four bytes. A 1 is high for 70 us, a 0 for 26.

The sensor measures when it is asked, but not within its interval: then it sends what it measured
before. It answers nothing in its first second, nor to a start that is too short.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Pin, Setting, Signal, Track

POWER_UP_NS = 1_000_000_000
WAIT, RESPONSE, LOW, ZERO, ONE = 30_000, 80_000, 50_000, 26_000, 70_000  # ns


def _settings(celsius: tuple[float, float], humidity: tuple[float, float]) -> dict[str, Setting]:
    """Of a sensor with these ranges."""
    return {
        "pin": Pin("the pin of its wire, which has a resistor to the supply", required=True),
        "temperature": Signal(
            f"temperature, {celsius[0]:g} to {celsius[1]:g} degC",
            default=Track.of(21.0),
            family="temperature",
            least=celsius[0],
            most=celsius[1],
        ),
        "humidity": Signal(
            f"relative humidity, {humidity[0]:.0%} to {humidity[1]:.0%}".replace("%", " %"),
            default=Track.of(0.5),
            family="share",
            least=humidity[0],
            most=humidity[1],
        ),
    }


class _Dht(Part):
    """What both do."""

    start_ns: ClassVar[int]  # shortest start
    interval_ns: ClassVar[int]  # of measurements

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.fell: int | None = None
        self.busy_until = 0
        self.measured_at: int | None = None
        self.data = b""  # of the last measurement
        self.last: tuple[float, float] | None = None
        self.answers = self.measurements = 0
        self.too_short = self.too_soon = self.while_busy = self.while_starting = 0

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin, drives=True, prompt=True, chip=True)]

    def start(self, bench) -> None:
        bench.pull_up(self.pin)

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        if cycle < self.busy_until:
            self.while_busy += not level
            self.fell = None
        elif not level:
            self.fell = cycle
        elif self.fell is not None:
            self._asked(self.bench.ns(cycle - self.fell), cycle)
            self.fell = None

    def _asked(self, low: int, cycle: int) -> None:
        """The board has let go of the wire."""
        if self.bench.ns(cycle) < POWER_UP_NS:
            self.while_starting += 1
        elif low < self.start_ns:
            self.too_short += 1
        else:
            self._measure(cycle)
            self._answer(cycle)

    def _measure(self, cycle: int) -> None:
        before = self.measured_at
        if before is not None and self.bench.ns(cycle - before) < self.interval_ns:
            self.too_soon += 1
            return
        self.measured_at = cycle
        self.measurements += 1
        found = [self._within(key, cycle) for key in ("temperature", "humidity")]
        self.last = found[0], found[1]
        self.data = self.encoded(*self.last)

    def _within(self, key: str, cycle: int) -> float:
        setting = self.settings[key]
        assert isinstance(setting, Signal)
        value = self.bench.value(self.values[key], cycle)
        assert setting.least is not None and setting.most is not None
        return min(max(value, setting.least), setting.most)

    def encoded(self, celsius: float, humidity: float) -> bytes:
        """The first four bytes."""
        raise NotImplementedError

    def _answer(self, cycle: int) -> None:
        self.answers += 1
        frame = self.data + bytes([sum(self.data) & 0xFF])
        bits = (byte >> n & 1 for byte in frame for n in range(7, -1, -1))
        highs = [RESPONSE, *(ONE if bit else ZERO for bit in bits), None]
        at = WAIT
        for low, high in zip([RESPONSE] + [LOW] * (len(highs) - 1), highs, strict=True):
            self.bench.drive(self.pin, 0, cycle + self.bench.cycles(at))
            at += low
            self.bench.drive(self.pin, None, cycle + self.bench.cycles(at))
            at += high or 0
        self.busy_until = cycle + self.bench.cycles(at)

    def summary(self) -> dict[str, Any]:
        return {
            "answers": self.answers,
            "measurements": self.measurements,
            "last_degc": None if self.last is None else round(self.last[0], 1),
            "last_humidity": None if self.last is None else f"{self.last[1]:.1%}",
            "asked_too_soon": self.too_soon,
            "asked_in_first_second": self.while_starting,
            "start_too_short": self.too_short,
            "pulled_while_answering": self.while_busy,
        }


class Dht22(_Dht):
    """Measures temperature and humidity in steps of 0.1, at most every 2 s. Also sold as AM2302."""

    kind = "dht22"
    start_ns, interval_ns = 1_000_000, 2_000_000_000
    settings: ClassVar[dict[str, Setting]] = _settings((-40.0, 80.0), (0.0, 1.0))

    def encoded(self, celsius: float, humidity: float) -> bytes:
        tenths = round(celsius * 10)
        signed = abs(tenths) | (0x8000 if tenths < 0 else 0)
        return round(humidity * 1000).to_bytes(2, "big") + signed.to_bytes(2, "big")


class Dht11(_Dht):
    """Measures temperature and humidity in steps of 1, at most every second."""

    kind = "dht11"
    start_ns, interval_ns = 18_000_000, 1_000_000_000
    settings: ClassVar[dict[str, Setting]] = _settings((0.0, 50.0), (0.2, 0.9))

    def encoded(self, celsius: float, humidity: float) -> bytes:
        return bytes([round(humidity * 100), 0, round(celsius), 0])
