"""A machine's pins as seen from outside: driven, watched, logged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from takt.build.platform_library import NEVER, PlatformError

RP2040_OUT, RP2040_ALL = 0xD000_0010, (0xD000_0010, 0xD000_0014, 0xD000_0018, 0xD000_001C)
STM32_GPIO, STM32_ODR, STM32_BSRR, STM32_BRR = 0x4800_0000, 0x14, 0x18, 0x28
FIXED_POINT = 1 << 16  # the platform's unit of a wave's distances, per cycle


class Pins:
    """The part of Machine that deals with pins."""

    _ffi: Any
    _lib: Any
    _m: Any
    _reraise: Callable[[], None]
    log_write: Callable[[int], None]
    stores: Callable[[], list[tuple[int, int, int]]]

    def __init__(self, chip: str) -> None:
        self._chip = chip
        self._write_pins = 0  # mask of pins whose writes are logged
        self._write_registers: set[int] = set()

    def pin_drive(self, pin: int, level: int | None, at: int | None = None) -> None:
        """Drives a pin from outside (None: lets go), now or at a later cycle."""
        value = -1 if level is None else int(bool(level))
        self._lib.takt_pin_drive(self._m, pin, value, 0 if at is None else at)
        self._reraise()

    def pin_pull_up(self, pin: int, on: bool = True) -> None:
        """A resistor outside to the supply, from now on."""
        self._lib.takt_pin_pull_up(self._m, pin, on)
        self._reraise()

    def pin_switch(self, a: int, b: int, closed: bool) -> None:
        """A switch outside between two pins, from now on closed or open."""
        if self._lib.takt_pin_switch(self._m, a, b, closed) != 0:
            raise PlatformError(f"no switch between pins {a} and {b}")
        self._reraise()

    def pin_level(self, pin: int) -> int:
        return self._lib.takt_pin_level(self._m, pin)

    def pin_is_output(self, pin: int) -> bool:
        return bool(self._lib.takt_pin_driven(self._m, pin))

    def watch_pin(self, pin: int, on: bool = True) -> None:
        """run() stops at the exact cycle at which the chip changes the pin."""
        self._lib.takt_pin_watch(self._m, pin, on)

    def log_pin(self, pin: int, on: bool = True, inputs: bool = False) -> None:
        """Records the changes made by the chip, and with `inputs` those from outside."""
        self._lib.takt_pin_log(self._m, pin, (2 if inputs else 1) if on else 0)

    def pin_edges(self) -> list[tuple[int, int, int]]:
        """(cycle, pin, level) of logged pins since the last call."""
        take = self._lib.takt_pin_edges
        return [(e.cycle, e.pin, e.level) for e in self._take("struct takt_edge", take)]

    def log_pin_writes(self, pin: int) -> None:
        """Records every write to the pin's output, also those that change nothing."""
        registers = self._output_registers(pin)
        for address in registers - self._write_registers:
            self.log_write(address)
        self._write_registers |= registers
        self._write_pins |= 1 << pin

    def _output_registers(self, pin: int) -> set[int]:
        """Whose writes set the pin's output."""
        if self._chip == "rp2040":
            return set(RP2040_ALL)
        port = STM32_GPIO + pin // 16 * 0x400
        return {port + offset for offset in (STM32_ODR, STM32_BSRR, STM32_BRR)}

    def pin_writes(self) -> list[tuple[int, int, bool]]:
        """(cycle, pin, sure) of logged writes since the last call; not sure: a write of several
        pins at once, of which some are as they were. Takes all of stores()."""
        found = []
        for cycle, address, value in self.stores():
            if not {address, address & ~3} & self._write_registers:
                continue
            mask = self._write_pins & self._written(address, value)
            sure = self._names_pins(address, value)
            found += [(cycle, pin, sure) for pin in range(mask.bit_length()) if mask >> pin & 1]
        return found

    def _names_pins(self, address: int, value: int) -> bool:
        """Whether a store writes only what the program means, not others as they were."""
        return True

    def _written(self, address: int, value: int) -> int:
        """Mask of the pins that a store to an output register writes."""
        if self._chip == "rp2040":
            return value if address != RP2040_OUT else -1
        port, offset = divmod((address & ~3) - STM32_GPIO, 0x400)
        value <<= (address & 1) * 8  # of a byte; halfwords name the same pins in both halves
        bits = {STM32_ODR: 0xFFFF, STM32_BSRR: value | value >> 16}.get(offset, value)
        return (bits & 0xFFFF) << port * 16

    def pin_pwm(self, pin: int) -> tuple[float, float] | None:
        """(frequency in Hz, duty 0..1) when a running PWM drives the pin."""
        frequency, duty = self._ffi.new("double *"), self._ffi.new("double *")
        if not self._lib.takt_pin_pwm(self._m, pin, frequency, duty):
            return None
        return frequency[0], duty[0]

    def pin_wave(
        self,
        pin: int,
        half_period_cycles: float | tuple[int, int],
        start_cycle: int,
        stop_cycle: int | None = None,
        seed: int | None = None,
    ) -> None:
        """Edges from outside, the first (a rise) at start_cycle, none from stop_cycle on.

        A half period may have a fraction: edges are rounded, but do not drift. With a seed their
        distances are random: between (shortest, longest), or 1 to twice the half period. The pin
        is low until the first edge; pin_drive() ends the wave.
        """
        if isinstance(half_period_cycles, tuple):
            shortest, longest = half_period_cycles
        else:
            shortest = longest = half_period_cycles
            if seed is not None:
                shortest, longest = 1, 2 * int(longest) - 1
        stop = NEVER if stop_cycle is None else stop_cycle
        wave = self._lib.takt_pin_wave
        distances = (round(cycles * FIXED_POINT) for cycles in (shortest, longest))
        if wave(self._m, pin, *distances, start_cycle, stop, seed or 0) != 0:
            raise PlatformError(f"no wave on pin {pin} with distances {half_period_cycles}")
        self._reraise()

    def pin_wave_edges(self, pin: int) -> int:
        """How many edges the pin's wave has made so far."""
        return self._lib.takt_pin_wave_edges(self._m, pin)

    def _take(self, record: str, take: Callable[..., int], *before: int) -> Iterator[Any]:
        """Drains a list of the library in portions."""
        room = 4096
        buffer = self._ffi.new(f"{record}[]", room)
        while True:
            count = take(self._m, *before, buffer, room)
            for k in range(count):
                yield buffer[k]
            if count < room:
                return
