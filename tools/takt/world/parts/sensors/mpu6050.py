"""MPU-6050: acceleration and turning about three axes on I2C (InvenSense, RM-MPU-6000A 4.2).

    19 SMPLRT_DIV  1A CONFIG  1B GYRO_CONFIG  1C ACCEL_CONFIG  23 FIFO_EN  37 INT_PIN_CFG
    38 INT_ENABLE  3A INT_STATUS  3B.. accel x y z, temperature, gyro x y z (16 bits each)
    6A USER_CTRL  6B PWR_MGMT_1  6C PWR_MGMT_2  72, 73 FIFO count  74 FIFO  75 WHO_AM_I

It sleeps after power-on. Awake it takes a sample every (1 + SMPLRT_DIV) of 8 kHz, or of 1 kHz with
a low-pass (whose delay is not modelled). Samples are taken when they are looked at, unless the FIFO
or the interrupt wants each of them. The detection of motion, the digital motion processor, its
auxiliary bus, cycles and standby are not modelled: where a program sets them, the report says so.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Wire
from takt.world.parts.buses import i2c_settings
from takt.world.parts.sensors.registers import RegisterPart
from takt.world.parts.settings import Pin, Setting, Signal, Track

SMPLRT_DIV, CONFIG, GYRO_CONFIG, ACCEL_CONFIG, FIFO_EN = 0x19, 0x1A, 0x1B, 0x1C, 0x23
INT_PIN_CFG, INT_ENABLE, INT_STATUS, DATA, DATA_END = 0x37, 0x38, 0x3A, 0x3B, 0x49
SIGNAL_PATH_RESET, USER_CTRL, PWR_MGMT_1 = 0x68, 0x6A, 0x6B
FIFO_COUNT, FIFO, WHO_AM_I = 0x72, 0x74, 0x75
READY, OVERFLOW = 0x01, 0x10  # interrupts
ACTIVE_LOW, LATCHED, ANY_READ_CLEARS = 0x80, 0x20, 0x10  # INT_PIN_CFG
FIFO_ON, FIFO_RESET, ALL_RESET, SLEEP = 0x40, 0x04, 0x80, 0x40
FIFO_SIZE, PULSE_NS = 1024, 50_000
# FIFO_EN's bits, and which of the values below each stands for.
QUEUED = ((0x08, (0, 1, 2)), (0x80, (3,)), (0x40, (4,)), (0x20, (5,)), (0x10, (6,)))
G, DEGREES_AT_0, STEPS_PER_DEGREE = 9.80665, 36.53, 340.0
AXES = "xyz"
PLAIN = {SMPLRT_DIV, CONFIG, GYRO_CONFIG, ACCEL_CONFIG, FIFO_EN, INT_PIN_CFG, INT_ENABLE,
         SIGNAL_PATH_RESET, USER_CTRL, PWR_MGMT_1, FIFO}  # fmt: skip
# Bits of them that are not modelled.
BEYOND = {INT_ENABLE: 0x4A, USER_CTRL: 0xA0, PWR_MGMT_1: 0x20, FIFO_EN: 0x07, GYRO_CONFIG: 0xE0,
          ACCEL_CONFIG: 0xE7, CONFIG: 0x38}  # fmt: skip


def _axes(what: str, family: str, rest: float) -> dict[str, Setting]:
    """A setting for each axis; `rest`: along z."""
    kinds = {"accel": "acceleration along", "gyro": "turning about"}
    return {
        f"{what}_{axis}": Signal(
            f"{kinds[what]} {axis}",
            default=Track.of(rest if axis == "z" else 0.0),
            family=family,
        )
        for axis in AXES
    }


class Mpu6050(RegisterPart):
    """Feels `accel_...` and `gyro_...`; lies still on a table unless told otherwise."""

    kind = "mpu6050"
    size = 128
    settings: ClassVar[dict[str, Setting]] = {
        **i2c_settings(0x68, least=0x68, most=0x69),
        "interrupt": Pin("the pin its INT output drives"),
        **_axes("accel", "acceleration", G),
        **_axes("gyro", "angular speed", 0.0),
        "temperature": Signal(
            "temperature of the chip", default=Track.of(25.0), family="temperature"
        ),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.not_modelled: set[int] = set()
        self.samples = self.lost = self.clipped = 0
        self._power_on()

    def _power_on(self) -> None:
        self.registers = [0] * 128
        self.registers[PWR_MGMT_1] = SLEEP
        self.status = 0
        self.fifo = bytearray()
        self.data = bytes(14)
        self.taken = -1  # number of the last sample
        self.awake_from: int | None = None  # cycle
        self.run = 0  # counts changes of the rate; ticks of an earlier one end

    def pins(self) -> list[Wire]:
        pin = self.values["interrupt"]
        return [] if pin is None else [Wire("interrupt", pin, drives=True)]

    def start(self, bench) -> None:
        self._interrupt(False)

    # Samples.

    @property
    def _period(self) -> float:
        """Cycles."""
        hz = 8000 if self.registers[CONFIG] & 7 in (0, 7) else 1000
        return self.bench.hz * (1 + self.registers[SMPLRT_DIV]) / hz

    def _sample(self) -> None:
        """Takes the last sample that is due, if that is a new one."""
        if self.awake_from is None:
            return
        number = int((self.bench.machine.now - self.awake_from) / self._period)
        if number > self.taken:
            self.taken = number
            self.data = self._measured(self.awake_from + int(number * self._period))
            self.samples += 1
            self.status |= READY

    def _measured(self, cycle: int) -> bytes:
        value = self.bench.value
        per_g = 16384 >> (self.registers[ACCEL_CONFIG] >> 3 & 3)
        per_degree = 32768 / (250 << (self.registers[GYRO_CONFIG] >> 3 & 3))
        accel = [value(self.values[f"accel_{axis}"], cycle) / G * per_g for axis in AXES]
        gyro = [value(self.values[f"gyro_{axis}"], cycle) * per_degree for axis in AXES]
        celsius = value(self.values["temperature"], cycle)
        found = [*accel, (celsius - DEGREES_AT_0) * STEPS_PER_DEGREE, *gyro]
        self.clipped += any(not -32768 <= round(one) <= 32767 for one in found)
        return b"".join(
            min(max(round(one), -32768), 32767).to_bytes(2, "big", signed=True) for one in found
        )

    def _rate(self) -> None:
        """The rate, or what wants samples, has changed: they begin anew."""
        self.run += 1
        r = self.registers
        asleep = r[PWR_MGMT_1] & SLEEP
        self.awake_from = None if asleep else self.bench.machine.now
        self.taken = -1 if asleep else 0
        wants_all = r[INT_ENABLE] & READY or (r[USER_CTRL] & FIFO_ON and r[FIFO_EN] & 0xF8)
        if not asleep and wants_all:
            self._tick(1, self.run)

    def _tick(self, number: int, run: int) -> None:
        assert self.awake_from is not None
        cycle = self.awake_from + int(number * self._period)

        def tick() -> None:
            if run == self.run:
                self._sample()
                self._queue()
                self._told()
                self._tick(number + 1, run)

        self.at(cycle + 1, tick)

    def _queue(self) -> None:
        if not self.registers[USER_CTRL] & FIFO_ON:
            return
        for bit, places in QUEUED:
            if self.registers[FIFO_EN] & bit:
                self.fifo += b"".join(self.data[2 * n : 2 * n + 2] for n in places)
        if len(self.fifo) > FIFO_SIZE:
            self.lost += len(self.fifo) - FIFO_SIZE
            del self.fifo[: len(self.fifo) - FIFO_SIZE]
            self.status |= OVERFLOW

    # The interrupt.

    def _told(self) -> None:
        """A sample is there."""
        if self.registers[INT_ENABLE] & self.status & (READY | OVERFLOW):
            self._interrupt(True)
            if not self.registers[INT_PIN_CFG] & LATCHED:
                end = self.bench.machine.now + self.bench.cycles(PULSE_NS)
                self.at(end, lambda: self._interrupt(False))

    def _interrupt(self, active: bool) -> None:
        pin = self.values["interrupt"]
        if pin is not None:
            low = bool(self.registers[INT_PIN_CFG] & ACTIVE_LOW)
            self.bench.drive(pin, int(active != low), self.bench.machine.now)

    # The bus.

    def addressed(self, read: bool) -> bool:
        if read:
            self._sample()
            if self.registers[INT_PIN_CFG] & ANY_READ_CLEARS:
                self._clear()
        return super().addressed(read)

    def following(self, register: int) -> int:
        return register if register == FIFO else super().following(register)

    def get(self, register: int) -> int:
        if DATA <= register < DATA_END:
            return self.data[register - DATA]
        if register == INT_STATUS:
            status = self.status
            self._clear()
            return status
        if register in (FIFO_COUNT, FIFO_COUNT + 1):
            return len(self.fifo).to_bytes(2, "big")[register - FIFO_COUNT]
        if register == FIFO:
            return self.fifo.pop(0) if self.fifo else 0
        return 0x68 if register == WHO_AM_I else self.registers[register]

    def _clear(self) -> None:
        self.status = 0
        if self.registers[INT_PIN_CFG] & LATCHED:
            self._interrupt(False)

    def put(self, register: int, byte: int) -> None:
        if byte & BEYOND.get(register, 0) or (byte and register not in PLAIN):
            self.not_modelled.add(register)
        before, self.registers[register] = self.registers[register], byte
        if register == PWR_MGMT_1 and byte & ALL_RESET:
            self._power_on()
            self._interrupt(False)
        elif register == USER_CTRL and byte & FIFO_RESET:
            self.fifo.clear()
            self.registers[register] &= ~FIFO_RESET
        elif register == SIGNAL_PATH_RESET:
            self.registers[register] = 0
        if register in (SMPLRT_DIV, CONFIG, PWR_MGMT_1, INT_ENABLE, USER_CTRL, FIFO_EN):
            if self.registers[register] != before:
                self._rate()
        elif register == INT_PIN_CFG:
            self._interrupt(False)

    def summary(self) -> dict[str, Any]:
        return {
            "samples": self.samples,
            "clipped_samples": self.clipped,
            "fifo_bytes_lost": self.lost,
            "registers_not_modelled": [f"0x{n:02x}" for n in sorted(self.not_modelled)],
        }
