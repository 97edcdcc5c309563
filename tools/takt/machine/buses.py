"""What is wired to a machine's buses: devices written in Python, and faults of the wires.

A device's methods are called while the machine runs, in the cycle in which they matter. They may
drive pins and read the machine, but not run it. What they raise ends the run and comes out of
run() (or of whatever call made the bus move).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from takt.build.platform_library import PlatformError


class I2cDevice(Protocol):
    """May also have stretch() -> int: cycles it holds SCL low before the coming byte."""

    def start(self, read: bool) -> bool:
        """Addressed; True acknowledges."""

    def write(self, byte: int) -> bool:
        """A byte came; True acknowledges."""

    def read(self, last: bool) -> int:
        """The next byte. last: the master is known to refuse more."""

    def stop(self) -> None:
        """STOP, or the master addresses another device."""


class SpiDevice(Protocol):
    """Behind a chip select, which is active low."""

    def select(self) -> None:
        """The chip select has fallen."""

    def transfer(self, byte: int, bits: int) -> int:
        """A word of so many bits was sent; what is sent back at the same time."""

    def deselect(self) -> None:
        """The chip select has risen."""


class Buses:
    """The part of Machine that deals with I2C and SPI."""

    _ffi: Any
    _lib: Any
    _m: Any

    def __init__(self) -> None:
        self._kept: list[Any] = []  # callbacks the library points to
        self._raised: BaseException | None = None

    def i2c_device(self, bus: int, address: int, device: I2cDevice) -> None:
        """Puts a device on a bus, which then has pull-ups."""
        new = self._ffi.new("struct takt_i2c_device *")
        new.start = self._callback("int32_t(void *, int32_t)", lambda r: device.start(bool(r)))
        new.write = self._callback("int32_t(void *, uint32_t)", device.write)
        new.read = self._callback("uint32_t(void *, int32_t)", lambda last: device.read(bool(last)))
        new.stop = self._callback("void(void *)", device.stop)
        if hasattr(device, "stretch"):
            new.stretch = self._callback("uint64_t(void *)", device.stretch)
        if self._lib.takt_i2c_attach(self._m, bus, address, new) != 0:
            raise PlatformError(f"no room for a device at {address:#x} of I2C bus {bus}")

    def i2c_hold(
        self, bus: int, sda: bool | None, scl: bool | None, clocks: int | None = None
    ) -> None:
        """A fault from now on: True holds a line low, False lets it go, None leaves it.

        SDA is let go at falling edge number `clocks` of SCL, also of a bit-banged one.
        """
        lines = [-1 if line is None else int(line) for line in (sda, scl)]
        self._lib.takt_i2c_hold(self._m, bus, *lines, clocks or 0)
        self._reraise()

    def spi_device(self, bus: int, chip_select_pin: int, device: SpiDevice) -> None:
        """Puts a device on a bus; its select may be a plain pin or the controller's CSn."""
        new = self._ffi.new("struct takt_spi_device *")
        new.select = self._callback("void(void *)", device.select)
        new.transfer = self._callback("uint32_t(void *, uint32_t, uint32_t)", device.transfer)
        new.deselect = self._callback("void(void *)", device.deselect)
        if self._lib.takt_spi_attach(self._m, bus, chip_select_pin, new) != 0:
            raise PlatformError(f"no room for a device at pin {chip_select_pin} of SPI bus {bus}")
        self._reraise()

    def spi_settings(self, bus: int) -> tuple[int, int, int]:
        """(Hz, mode 0-3, bits a word) the bus is set to; 0 Hz: it has no clock."""
        mode, bits = self._ffi.new("uint32_t *"), self._ffi.new("uint32_t *")
        hz = self._lib.takt_spi_settings(self._m, bus, mode, bits)
        return hz, mode[0], bits[0]

    def _callback(self, kind: str, method: Callable[..., Any]) -> Any:
        """A C function that calls a method, without the context."""
        returns = not kind.startswith("void(")

        def call(_context: Any, *arguments: int) -> Any:
            result = method(*arguments)
            return int(result) if returns else None

        made = self._ffi.callback(kind, call, onerror=self._note)
        self._kept.append(made)
        return made

    def _note(self, _kind: type, raised: BaseException, trace: Any) -> None:
        """A callback raised: the first one is told as soon as the library returns."""
        self._raised = self._raised or raised.with_traceback(trace)
        self._lib.takt_pause(self._m)

    def _reraise(self) -> None:
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
