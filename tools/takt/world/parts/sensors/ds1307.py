"""DS1307: a real-time clock on I2C (Maxim, rev. 3/15).

    0 CH | seconds   1 minutes   2 12/24 | hours   3 day of week   4 date   5 month   6 year
    7 OUT - - SQWE - - RS1 RS0   8..3F RAM; after 3F comes 0

Numbers are BCD. A transaction sees the time at its start, and what it writes counts from its end;
writing the seconds begins a second. CH stands the clock still. Without `start` the clock is new:
it stands at 1 January 2000, and its RAM holds zeros.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar

from takt.machine.wave import Square
from takt.world.parts.base import Wire
from takt.world.parts.buses import i2c_settings
from takt.world.parts.sensors.registers import RegisterPart
from takt.world.parts.settings import Moment, Pin, Setting

SECONDS, MINUTES, HOURS, DAY, DATE, MONTH, YEAR, CONTROL, SIZE = *range(8), 0x40
HALTED, TWELVE, AFTERNOON = 0x80, 0x40, 0x20
OUT, SQWE, AT_POWER_ON = 0x80, 0x10, 0x03
WAVE_HZ = (1, 4096, 8192, 32768)
NEW = datetime(2000, 1, 1)


def bcd(number: int) -> int:
    """12 -> 0x12."""
    return number // 10 << 4 | number % 10


def number_of(code: int) -> int:
    """0x12 -> 12; raises ValueError where a digit is none."""
    return int(f"{code:x}")


class Ds1307(RegisterPart):
    """Tells the time of day, in virtual time, and keeps 56 bytes. With `square` it drives a pin
    with the frequency that the program chooses."""

    kind = "ds1307"
    size = SIZE
    settings: ClassVar[dict[str, Setting]] = {
        **i2c_settings(0x68, least=0x68, most=0x68),
        "start": Moment("date and time at the start, as 2026-01-01T12:00:00"),
        "square": Pin("the pin at its output SQW, with a resistor"),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.memory = [0] * SIZE
        self.memory[CONTROL] = AT_POWER_ON
        self.base: datetime = values["start"] or NEW
        self.since = 0  # the cycle at which it was `base`
        self.halted = values["start"] is None
        self.twelve = False
        self.day_offset = self.base.isoweekday() % 7 + 1 if values["start"] else 1
        self.day_from = self.base.date()
        self.written: set[int] = set()  # registers of the time
        self.reads = self.sets = self.bad = 0
        self.wave: Square | None = None  # of more than 1 Hz
        self.beat = 0  # counts changes of the square wave; those of an earlier one end

    def pins(self) -> list[Wire]:
        pin = self.values["square"]
        return [] if pin is None else [Wire("square", pin, drives=True)]

    def start(self, bench) -> None:
        self._square()

    # Time.

    def _now(self) -> datetime:
        if self.halted:
            return self.base
        ns = self.bench.ns(self.bench.machine.now - self.since)
        return self.base + timedelta(microseconds=ns // 1000)

    def _registers(self) -> list[int]:
        now = self._now()
        hour = bcd(now.hour)
        if self.twelve:
            hour = TWELVE | bcd(now.hour % 12 or 12) | (AFTERNOON if now.hour >= 12 else 0)
        day = (self.day_offset - 1 + (now.date() - self.day_from).days) % 7 + 1
        seconds = bcd(now.second) | (HALTED if self.halted else 0)
        year = bcd(now.year % 100)
        return [seconds, bcd(now.minute), hour, day, bcd(now.day), bcd(now.month), year]

    def _set(self) -> None:
        """Takes over what was written. The clock stands where that is no time."""
        halted = self.memory[SECONDS] & HALTED
        try:
            now = self._decoded()
        except ValueError:
            self.bad += 1
            return
        fraction = (
            timedelta(0)
            if SECONDS in self.written
            else timedelta(microseconds=self._now().microsecond)
        )
        self.base, self.since = now + fraction, self.bench.machine.now
        self.halted = bool(halted)
        self.twelve = bool(self.memory[HOURS] & TWELVE)
        self.day_offset, self.day_from = self.memory[DAY] & 7, now.date()
        self.sets += 1
        self._square()

    def _decoded(self) -> datetime:
        m = self.memory
        if m[HOURS] & TWELVE:
            hour = number_of(m[HOURS] & 0x1F)
            if not 1 <= hour <= 12:
                raise ValueError(hour)
            hour = hour % 12 + (12 if m[HOURS] & AFTERNOON else 0)
        else:
            hour = number_of(m[HOURS] & 0x3F)
        year, month, date = 2000 + number_of(m[YEAR]), number_of(m[MONTH]), number_of(m[DATE])
        return datetime(
            year, month, date, hour, number_of(m[MINUTES]), number_of(m[SECONDS] & 0x7F)
        )

    # The bus.

    def addressed(self, read: bool) -> bool:
        self._end()
        self.memory[:CONTROL] = self._registers()
        self.reads += read
        return super().addressed(read)

    def get(self, register: int) -> int:
        return self.memory[register]

    def put(self, register: int, byte: int) -> None:
        self.memory[register] = byte
        if register < CONTROL:
            self.written.add(register)
        elif register == CONTROL:
            self._square()

    def stop(self) -> None:
        self._end()

    def _end(self) -> None:
        if self.written:
            self._set()
            self.written.clear()

    # Its output.

    def _square(self) -> None:
        """The output as the control register says; a second begins with a falling edge."""
        pin, control, bench = self.values["square"], self.memory[CONTROL], self.bench
        self.beat += 1
        if pin is None:
            return
        now = bench.machine.now
        running = control & SQWE and not self.halted
        if self.wave is not None:
            self.wave.stop, self.wave = now, None
        bench.drive(pin, int(not running and bool(control & OUT)), now)
        hz = WAVE_HZ[control & 3]
        if running and hz > 1:
            self.wave = Square(now + 1, bench.hz / hz / 2)
            bench.wave(pin, self.wave)
        elif running:
            begun = self.since - round(self.base.microsecond * bench.hz / 1_000_000)
            self._half(begun, 1 + (now - begun) * 2 // bench.hz, self.beat)

    def _half(self, begun: int, half: int, beat: int) -> None:
        """Half second after half second, from the cycle at which a second began."""
        cycle = begun + half * self.bench.hz // 2

        def turn() -> None:
            if beat == self.beat:
                self.bench.drive(self.values["square"], half % 2, cycle)
                self._half(begun, half + 1, beat)

        self.at(cycle, turn)

    def summary(self) -> dict[str, Any]:
        return {
            "time": self._now().isoformat(sep=" ", timespec="seconds"),
            "running": not self.halted,
            "reads": self.reads,
            "times_set": self.sets,
            "times_refused": self.bad,
        }
