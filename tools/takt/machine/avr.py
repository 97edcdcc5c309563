"""An AVR board in virtual time: libsimavr's CPU among our own devices (platform/avr).

Same methods as machine.Machine. Addresses are those of avr-gcc's ELF files: flash from 0, the data
space (registers, I/O, RAM) from 0x800000. Pins are numbered port * 8 + bit, A first.
"""

from __future__ import annotations

from takt.build.platform_library import AVR, PlatformError
from takt.errors import UserError
from takt.machine.buses import I2cDevice, SpiDevice
from takt.machine.machine import WAIT_OF_CHIP, Machine
from takt.paths import BUILD

DATA = 0x80_0000
SREG, SP, PC = 32, 33, 34  # register()
PIN_A = DATA + 0x20  # PIN, DDR, PORT of every port, A first


class AvrMachine(Machine):
    """One ATmega: "atmega328p" or "atmega324p", with the frequency of its oscillator."""

    def __init__(self, chip: str = "atmega328p", hz: int = 16_000_000) -> None:
        _need_simavr()
        self._open(AVR, f"{chip}@{hz}", None, WAIT_OF_CHIP)

    def deliver(self, low: int, high: int) -> None:
        """The stack of a thread, in the data space."""
        super().deliver(low - DATA, high - DATA)

    @property
    def instructions(self) -> int:
        raise UserError("an AVR machine counts cycles, not instructions", fix="use now")

    @property
    def pc(self) -> int:
        """Of the instruction that is next, in bytes."""
        return self.register(PC)

    def register(self, number: int) -> int:
        """0-31, 32 SREG, 33 SP, 34 PC (bytes)."""
        return self._lib.takt_register(self._m, number)

    def word(self, address: int) -> int:
        """Two bytes, the low one first."""
        return int.from_bytes(self.read(address, 2), "little")

    def pointer(self, address: int) -> int:
        """Address of what the pointer to data there points to; 0: NULL."""
        at = self.word(address)
        return DATA + at if at else 0

    def byte(self, address: int) -> int:
        """Without side effects; registers of the I/O space as kept."""
        return self.read(address, 1)[0]

    def pend_irq(self, irq: int, at: int | None = None) -> None:
        """Takes a vector (1: INT0) at a cycle or now, as if its flag were set and enabled."""
        super().pend_irq(irq, at)

    def i2c_device(self, bus: int, address: int, device: I2cDevice) -> None:
        """Puts a device on the TWI, which then has pull-ups."""
        _only(bus)
        super().i2c_device(bus, address, device)

    def spi_device(self, bus: int, chip_select_pin: int, device: SpiDevice) -> None:
        """Puts a device on the SPI; its select is a plain pin."""
        _only(bus)
        super().spi_device(bus, chip_select_pin, device)

    def _output_registers(self, pin: int) -> set[int]:
        port = PIN_A + 3 * (pin // 8)
        return {port, port + 2}

    def _written(self, address: int, value: int) -> int:
        """Mask of the pins that a store to PORT writes; those to PIN that are toggled."""
        port, which = divmod(address - PIN_A, 3)
        bits = value >> 8 if which else value & value >> 8
        return bits << 8 * port

    def _names_pins(self, address: int, value: int) -> bool:
        """A single bit, or the toggles of PIN; a whole PORT is read, changed and written."""
        return value >> 8 != 0xFF or (address - PIN_A) % 3 == 0


def _only(bus: int) -> None:
    if bus != 0:
        raise PlatformError(f"an ATmega has one bus of the kind, 0, and not {bus}")


def _need_simavr() -> None:
    """Raises where the platform was built without it."""
    ninja = BUILD / "host" / "build.ninja"
    if ninja.exists() and AVR not in ninja.read_text():
        raise UserError(
            "libsimavr is not installed: AVR boards cannot run here",
            fix="apt-get install libsimavr-dev && cmake --preset host",
        )
