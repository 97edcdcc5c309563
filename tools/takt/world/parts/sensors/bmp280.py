"""BMP280 and BME280: pressure, temperature (and humidity) on I2C or SPI (Bosch, BST-BMP280-DS001,
BST-BME280-DS002).

    88..A1, E1..E7 calibration   D0 id   E0 reset   F2 ctrl_hum (BME280)   F3 status   F4 ctrl_meas
    F5 config   F7..F9 pressure  FA..FC temperature (20 bits each)  FD, FE humidity (BME280)

The chip gives raw numbers, of which a program computes with the chip's calibration what was
measured. The calibration here is the data sheet's example; raw numbers are found by trying that
computation (bmp280_values.py). On I2C and SPI a write is pairs of register and value.

A measurement takes its typical time, 1 ms and 2 ms for each sample of a quantity (0.5 ms more for
pressure and for humidity), and is taken when that is over. Three-wire SPI is not modelled.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Wire
from takt.world.parts.buses import spi_claim
from takt.world.parts.sensors.bmp280_values import (
    CALIBRATION,
    HUMIDITY_CALIBRATION,
    MOST_RAW,
    Raw,
    raw_of,
)
from takt.world.parts.sensors.registers import RegisterPart
from takt.world.parts.settings import Pin, Setting, SettingError, Signal, Track, Whole

ID, RESET, CTRL_HUM, STATUS, CTRL_MEAS, CONFIG, DATA = 0xD0, 0xE0, 0xF2, 0xF3, 0xF4, 0xF5, 0xF7
ADDRESS = 0x76
RESET_WORD, MEASURING, SLEEP, NORMAL = 0xB6, 0x08, 0, 3
CALIBRATED, HUMIDITY_CALIBRATED = 0x88, 0xE1
SKIPPED = Raw(0x80000, 0x80000, 0x8000)
STANDBY_US = (500, 62_500, 125_000, 250_000, 500_000, 1_000_000, 2_000_000, 4_000_000)
STANDBY_US_BME280 = (*STANDBY_US[:6], 10_000, 20_000)


class _SpiSide:
    """The same registers on SPI: bit 7 of the first byte is 1 for a read."""

    def __init__(self, part: Bmp280) -> None:
        self.part, self.reading, self.register = part, False, -1

    def select(self) -> None:
        self.part.transactions += 1
        self.register = -1
        self.part.latch()

    def transfer(self, byte: int, bits: int) -> int:
        if self.register < 0:
            self.reading, self.register = bool(byte & 0x80), byte | 0x80
        elif self.reading:
            self.register += 1
            return self.part.get(self.register - 1 & 0xFF)
        else:
            self.part.put(self.register, byte)
            self.register = -1
        return 0xFF

    def deselect(self) -> None:
        """Nothing waits for it."""


class Bmp280(RegisterPart):
    """Measures temperature and pressure. On I2C, or on SPI where `select` is given. Its numbers are
    such that libraries compute what the world says."""

    kind = "bmp280"
    chip_id = 0x58
    standby_us = STANDBY_US
    controls: ClassVar[tuple[int, ...]] = (CTRL_MEAS, CONFIG)
    settings: ClassVar[dict[str, Setting]] = {
        "i2c": Whole("the I2C block of the chip: 0 is Wire", least=0, most=1),
        "address": Whole("address on the bus", least=ADDRESS, most=ADDRESS + 1),
        "spi": Whole("the SPI block of the chip: 0 is SPI", least=0, most=1),
        "select": Pin("chip select pin, active low; without it the chip is on I2C"),
        "temperature": Signal(
            "temperature, -40 to 85 degC",
            default=Track.of(21.0),
            family="temperature",
            least=-40.0,
            most=85.0,
        ),
        "pressure": Signal(
            "pressure, 300 to 1100 hPa",
            default=Track.of(101_325.0),
            family="pressure",
            least=30_000.0,
            most=110_000.0,
        ),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(
            name, values | {"i2c": values["i2c"] or 0, "address": values["address"] or ADDRESS}
        )
        self.given = values
        self.measurements = self.conversion = 0
        self.three_wire = False
        self._power_on()

    def _power_on(self) -> None:
        self.control = dict.fromkeys(self.controls, 0)
        self.humidity_control = 0  # ctrl_hum counts from the next write of ctrl_meas on
        self.raw = self.shown = SKIPPED
        self.filtered: tuple[float, float] | None = None
        self.measuring_until = 0
        self.conversion += 1  # those under way end

    # Its wires.

    def check(self) -> None:
        on_spi = self.values["select"] is not None
        for key in ("i2c", "address") if on_spi else ("spi",):
            if self.given[key] is not None:
                what = f"`{key}` is given, but it is on {'SPI' if on_spi else 'I2C'}"
                raise SettingError(
                    what, f"leave out `{key}`, or `select`" if on_spi else "add a line select = ..."
                )

    def pins(self) -> list[Wire]:
        select = self.values["select"]
        return [] if select is None else [Wire("select", select, chip=True)]

    def claims(self) -> dict[str, str]:
        select = self.values["select"]
        return super().claims() if select is None else spi_claim(select)

    def connect(self, bench) -> None:
        if self.values["select"] is None:
            super().connect(bench)
            return
        self.bench = bench
        select = bench.world.chip[self.values["select"]]
        bench.machine.spi_device(self.values["spi"] or 0, select, _SpiSide(self))

    def addressed(self, read: bool) -> bool:
        self.latch()
        return super().addressed(read)

    def write(self, byte: int) -> bool:
        """A register, its value, a register, ..."""
        if self.named:
            self.put(self.pointer, byte)
        else:
            self.pointer = byte
        self.named = not self.named
        return True

    # Registers.

    def latch(self) -> None:
        """What a transaction reads belongs together."""
        self.shown = self.raw

    def _bytes(self) -> dict[int, bytes]:
        """Where reads find what, beside the control registers."""
        raw = self.shown
        data = (raw.pressure << 4).to_bytes(3, "big") + (raw.temperature << 4).to_bytes(3, "big")
        return {CALIBRATED: CALIBRATION, ID: bytes([self.chip_id]), DATA: data}

    def get(self, register: int) -> int:
        if register == STATUS:
            return MEASURING if self.bench.machine.now < self.measuring_until else 0
        for first, data in self._bytes().items():
            if first <= register < first + len(data):
                return data[register - first]
        return self.control.get(register, 0)

    def put(self, register: int, byte: int) -> None:
        if register == RESET and byte == RESET_WORD:
            self._power_on()
        elif register in self.control:
            self.control[register] = byte
            self.three_wire |= register == CONFIG and bool(byte & 1)
            if register == CTRL_MEAS:
                self.humidity_control = self.control.get(CTRL_HUM, 0) & 7
                self._mode()

    # Measurements.

    def _samples(self) -> tuple[int, int, int]:
        """Of temperature, pressure and humidity, in a measurement."""
        control = self.control[CTRL_MEAS]
        codes = control >> 5 & 7, control >> 2 & 7, self.humidity_control
        found = [min(1 << code - 1, 16) if code else 0 for code in codes]
        return found[0], found[1], found[2]

    def _mode(self) -> None:
        self.conversion += 1
        if self.control[CTRL_MEAS] & 3 != SLEEP:
            self._begin(self.bench.machine.now, self.conversion)

    def _begin(self, cycle: int, conversion: int) -> None:
        temperature, pressure, humidity = self._samples()
        us = 1000 + 2000 * (temperature + pressure + humidity)
        us += 500 * (bool(pressure) + bool(humidity))
        end = cycle + self.bench.cycles(us * 1000)
        self.measuring_until = end
        self.at(end, lambda: self._end(end, conversion))

    def _end(self, cycle: int, conversion: int) -> None:
        if conversion != self.conversion:
            return  # another one has begun
        self.measurements += 1
        self.raw = self._measured(cycle)
        if self.control[CTRL_MEAS] & 3 != NORMAL:
            self.control[CTRL_MEAS] &= ~3
            return
        standby = self.standby_us[self.control[CONFIG] >> 5]
        following = cycle + self.bench.cycles(standby * 1000)
        self.at(following, lambda: self._again(following, conversion))

    def _again(self, cycle: int, conversion: int) -> None:
        if conversion == self.conversion:
            self._begin(cycle, conversion)

    def _measured(self, cycle: int) -> Raw:
        temperature, pressure, humidity = self._samples()
        found = raw_of(*self._quantities(cycle))
        t, p = self._filter(found)
        return Raw(
            self._resolved(t, temperature) if temperature else SKIPPED.temperature,
            self._resolved(p, pressure) if pressure else SKIPPED.pressure,
            found.humidity if humidity else SKIPPED.humidity,
        )

    def _resolved(self, raw: int, samples: int) -> int:
        """16 bits with one sample, one more with twice as many; 20 with the filter."""
        bits = 0 if self._coefficient > 1 else max(5 - samples.bit_length(), 0)
        return min(raw + (1 << bits >> 1), MOST_RAW) >> bits << bits

    @property
    def _coefficient(self) -> int:
        return min(1 << (self.control[CONFIG] >> 2 & 7), 16)

    def _filter(self, found: Raw) -> tuple[int, int]:
        """The IIR filter of pressure and temperature."""
        n = self._coefficient
        old = self.filtered if n > 1 and self.filtered else (found.temperature, found.pressure)
        new = found.temperature, found.pressure
        self.filtered = (old[0] * (n - 1) + new[0]) / n, (old[1] * (n - 1) + new[1]) / n
        return round(self.filtered[0]), round(self.filtered[1])

    def _quantities(self, cycle: int) -> tuple[float, float, float]:
        """degC, Pa, share of humidity."""
        found = (self.bench.value(self.values[key], cycle) for key in ("temperature", "pressure"))
        return (*found, 0.5)  # type: ignore[return-value]

    def summary(self) -> dict[str, Any]:
        found: dict[str, Any] = {"measurements": self.measurements}
        if self.three_wire:
            found["not_modelled"] = "three-wire SPI"
        return found


class Bme280(Bmp280):
    """The same with humidity."""

    kind = "bme280"
    chip_id = 0x60
    standby_us = STANDBY_US_BME280
    controls = (CTRL_HUM, CTRL_MEAS, CONFIG)
    settings: ClassVar[dict[str, Setting]] = {
        **Bmp280.settings,
        "humidity": Signal(
            "relative humidity", default=Track.of(0.5), family="share", least=0.0, most=1.0
        ),
    }

    def _bytes(self) -> dict[int, bytes]:
        found = super()._bytes()
        found[CALIBRATED] += HUMIDITY_CALIBRATION[:1]  # 0xA1
        found[HUMIDITY_CALIBRATED] = HUMIDITY_CALIBRATION[1:]
        found[DATA] += self.shown.humidity.to_bytes(2, "big")
        return found

    def _quantities(self, cycle: int) -> tuple[float, float, float]:
        celsius, pascal, _ = super()._quantities(cycle)
        return celsius, pascal, self.bench.value(self.values["humidity"], cycle)
