"""CY8C9540A: 40 pins and 8 PWMs behind an I2C bus (Cypress 38-12036), as on Intel's Galileo.

Six ports of 8, 8, 4, 8, 8 and 4 pins. A write sends a register number and then values for it and
the registers after it; a read starts at the register written last.

    00-07  input: levels of the wires     18     port that 19-23 are about
    08-0f  output                         19     interrupt mask, 1: masked
    10-17  status: changed from outside   1a     pins that show a PWM     1b  inverted inputs
           since this port was last       1c     direction, 1: input
           read, masked or not            1d-23  drive mode: a 1 sets the mode of that pin
    28     PWM that 29-2b are about       29-2b  its clock, period, width     2c  divider
    2d     enable   2e  device id 40h     30     command: 02 and 07 restore the state of power-on

The output INT is active while a pin has changed that is not masked; reading the status ends it.
Not modelled: the EEPROM, the watchdog, stored settings, and status bits set by PWMs.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.machine.wave import Wave, next_edge
from takt.world.parts.base import Carrier, Wire
from takt.world.parts.buses import I2cPart, i2c_settings
from takt.world.parts.cy8c9540a_pin import Drive, ExpanderPin
from takt.world.parts.settings import Choice, Pin, Setting

WIDTHS = (8, 8, 4, 8, 8, 4)
PWMS = ((7, 5, 3, 1, 7, 5, 3, 1), (6, 4, 2, 0, 6, 4, 2, 0))  # of the pins of ports 0 and 1
CLOCKS = {0: 32_000.0, 1: 24e6, 2: 1.5e6, 3: 93_750.0}  # Hz; 4 is 93.75 kHz divided
DIVIDED, DEVICE_ID = 4, 0x40
INPUT, OUTPUT, STATUS, SELECT = 0x00, 0x08, 0x10, 0x18
MASK, PWM_PINS, INVERSION, DIRECTION, DRIVE, DRIVE_END = 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x24
PWM_SELECT, PWM_CLOCK, PWM_PERIOD, PWM_WIDTH, DIVIDER, DEVICE, COMMAND = *range(0x28, 0x2D), 46, 48
PORT_FLAGS = {
    MASK: "masked",
    PWM_PINS: "uses_pwm",
    INVERSION: "inverted",
    DIRECTION: "is_input",
}
RESTORE = (0x02, 0x07)


class Cy8c9540a(I2cPart, Carrier):
    """40 pins behind an I2C bus. Other parts are wired to its pins by port and bit: with an
    expander named `gpio`, `pin = "gpio.2.3"` is bit 3 of port 2."""

    kind = "cy8c9540a"
    settings: ClassVar[dict[str, Setting]] = {
        **i2c_settings(0x20, least=0x20, most=0x27),
        "interrupt": Pin("the pin its INT output drives"),
        "active": Choice("level of INT while a change waits", "high", options=("high", "low")),
    }
    terminals = tuple(f"{port}.{bit}" for port, width in enumerate(WIDTHS) for bit in range(width))

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.interrupt, self.active = values["interrupt"], int(values["active"] == "high")
        self.lines = [
            [ExpanderPin(PWMS[port][bit] if port < len(PWMS) else None) for bit in range(width)]
            for port, width in enumerate(WIDTHS)
        ]
        self.by_pin: dict[int, ExpanderPin] = {}
        self.register, self.expect_register = 0, False
        self.reads = self.writes = self.interrupts = 0
        self.pending = False  # INT is active
        self._power_on()

    def _power_on(self) -> None:
        self.selected = self.selected_pwm = 0
        self.enable = 0
        self.divider = 0xFF
        self.pwms = [[0, 0xFF, 0x80] for _ in range(8)]  # clock, period, width
        for line in self._all():
            line.out, line.is_input, line.mode = 1, False, Drive.PULL_UP
            line.inverted, line.masked, line.uses_pwm, line.changed = False, True, False, False

    def _all(self) -> list[ExpanderPin]:
        return [line for port in self.lines for line in port]

    def pins(self) -> list[Wire]:
        return [] if self.interrupt is None else [Wire("interrupt", self.interrupt, drives=True)]

    def attach(self, carried: dict[int, str]) -> None:
        super().attach(carried)
        for pin, terminal in carried.items():
            port, bit = map(int, terminal.split("."))
            self.by_pin[pin] = self.lines[port][bit]
            self.by_pin[pin].pin = pin

    def start(self, bench) -> None:
        super().start(bench)
        self._drive_int(0)

    # The world's side.

    @property
    def now(self) -> int:
        return self.bench.machine.now

    def outside(self, pin: int, level: int | None, cycle: int) -> None:
        line = self.by_pin[pin]
        before, line.outside = line.level(cycle), level
        if line.level(cycle) != before:
            line.changed = True
            self._settle_int(cycle)

    def level(self, pin: int) -> int:
        return self.by_pin[pin].level(self.now)

    def wave(self, pin: int, wave: Wave) -> None:
        line = self.by_pin[pin]
        before, line.wave = line.level(self.now), wave
        line.changed |= line.level(self.now) != before
        self._settle_int(self.now)
        self._watch(line, self.now)

    def pwm(self, pin: int) -> tuple[float, float] | None:
        line = self.by_pin[pin]
        if line.is_input or not line.uses_pwm:
            return None
        clock, period, width = self.pwms[line.pwm]
        hz = CLOCKS.get(clock & 7, CLOCKS[3] / max(self.divider, 1))
        return hz / max(period, 1), min(width / max(period, 1), 1.0)

    # INT.

    def _watch(self, line: ExpanderPin, after: int) -> None:
        """A wave will change an unmasked line: looks again at its next edge."""
        if line.wave is None or line.masked:
            return
        at = next_edge(line.wave, after)
        if at is not None:
            self.at(at, lambda: self._settle_int(self.now))

    def _settle_int(self, cycle: int) -> None:
        pending = any(not line.masked and line.status(cycle) for line in self._all())
        if pending != self.pending:
            self.pending = pending
            self.interrupts += pending
            self._drive_int(cycle)

    def _drive_int(self, cycle: int) -> None:
        if self.interrupt is not None:
            level = self.active if self.pending else 1 - self.active
            self.bench.drive(self.interrupt, level, cycle)

    # The bus.

    def addressed(self, read: bool) -> bool:
        self.expect_register = not read
        return True

    def write(self, byte: int) -> bool:
        if self.expect_register:
            self.register, self.expect_register = byte, False
        else:
            self.writes += 1
            self._changing(lambda: self._set(self.register, byte))
            self.register = (self.register + 1) & 0xFF
        return True

    def read(self, last: bool) -> int:
        self.reads += 1
        value = self._get(self.register)
        if STATUS <= self.register < SELECT:
            self._settle_int(self.now)
        self.register = (self.register + 1) & 0xFF
        return value

    def _changing(self, action) -> None:
        """Does something to the registers and tells the world which wires changed."""
        cycle, lines = self.now, list(self.by_pin.values())
        before = [line.level(cycle) for line in lines]
        action()
        for line in self._all():
            if line.uses_pwm:
                _, period, width = self.pwms[line.pwm]
                line.duty = width / max(period, 1)
        for line, level in zip(lines, before, strict=True):
            if line.level(cycle) != level and line.pin is not None:
                self.bench.changed(line.pin, 1 - level, cycle)
        self._settle_int(cycle)

    def _port(self) -> list[ExpanderPin]:
        return self.lines[self.selected] if self.selected < len(self.lines) else []

    def _get(self, register: int) -> int:
        if register < SELECT:
            port = register % 8
            lines = self.lines[port] if port < len(self.lines) else []
            return self._bits(lines, lambda line: self._fast(register & ~7, line))
        if register in PORT_FLAGS:
            flag = PORT_FLAGS[register]
            return self._bits(self._port(), lambda line: getattr(line, flag))
        if DRIVE <= register < DRIVE_END:
            return self._bits(self._port(), lambda line: line.mode == register - DRIVE)
        if PWM_CLOCK <= register <= PWM_WIDTH:
            return self.pwms[self.selected_pwm][register - PWM_CLOCK]
        known = {SELECT: self.selected, PWM_SELECT: self.selected_pwm, DIVIDER: self.divider}
        return (known | {DIVIDER + 1: self.enable, DEVICE: DEVICE_ID}).get(register, 0)

    def _bits(self, lines: list[ExpanderPin], value) -> int:
        return sum(int(value(line)) << bit for bit, line in enumerate(lines))

    def _fast(self, base: int, line: ExpanderPin) -> int:
        if base == INPUT:
            return line.level(self.now) ^ line.inverted
        if base == OUTPUT:
            return line.out
        status = line.take_status(self.now)
        self._watch(line, self.now)
        return status

    def _set(self, register: int, byte: int) -> None:
        if OUTPUT <= register < STATUS:
            self._set_output(register - OUTPUT, byte)
        elif register in PORT_FLAGS:
            self._set_flag(PORT_FLAGS[register], byte)
        elif DRIVE <= register < DRIVE_END:
            for bit, line in enumerate(self._port()):
                if byte >> bit & 1:
                    line.mode = Drive(register - DRIVE)
        elif PWM_CLOCK <= register <= PWM_WIDTH:
            self.pwms[self.selected_pwm][register - PWM_CLOCK] = byte
        elif register == SELECT:
            self.selected = byte & 7
        elif register == PWM_SELECT:
            self.selected_pwm = byte & 7
        elif register == DIVIDER:
            self.divider = byte
        elif register == DIVIDER + 1:
            self.enable = byte
        elif register == COMMAND and byte in RESTORE:
            self._power_on()

    def _set_output(self, port: int, byte: int) -> None:
        """Tells what was written: the pins that change, or if none does, all of the port."""
        lines = self.lines[port] if port < len(self.lines) else []
        news = [line for bit, line in enumerate(lines) if (byte >> bit & 1) != line.out]
        for bit, line in enumerate(lines):
            line.out = byte >> bit & 1
        for line in news or lines:
            if line.pin is not None and not line.is_input:
                self.bench.wrote(line.pin, self.now, sure=bool(news))

    def _set_flag(self, flag: str, byte: int) -> None:
        for bit, line in enumerate(self._port()):
            on = bool(byte >> bit & 1)
            setattr(line, flag, on and (flag != "uses_pwm" or line.pwm is not None))
            if flag == "masked":
                self._watch(line, self.now)

    def summary(self) -> dict[str, Any]:
        return {
            "transactions": self.transactions,
            "bytes_read": self.reads,
            "bytes_written": self.writes,
            "interrupts": self.interrupts,
        }
