"""A virtual board: loads firmware, runs it in virtual time, drives and watches its pins.

Time is CPU cycles since reset. `Machine` wraps the C library platform/ (cffi, ABI mode); its
interface is described in platform/include/takt_platform.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from takt.build.platform_library import ARM, PlatformError, library
from takt.build.platform_library import NEVER as NEVER
from takt.code import elf_tables
from takt.machine.buses import Buses
from takt.machine.pins import Pins
from takt.machine.records import Masked as Masked
from takt.machine.records import Records

REASONS = ("time", "pin", "uart", "halt", "fault", "break", "write")
CORES = {"m0p": 0, "m0": 1, None: 2}
WAIT_OF_CHIP = 0xFFFF_FFFF


@dataclass(frozen=True)
class Stop:
    """Why run() came back. `cycle`: when it happened (`Machine.now` may be a little later)."""

    reason: str
    cycle: int
    detail: object = None


class Machine(Pins, Buses, Records):
    """One virtual microcontroller: "rp2040" or "stm32f051".

    core: the chip's own unless told. wait_states: of flash, whatever the program sets; None: as it
    sets them (rp2040: none).
    """

    empties_rings = True  # of the trace, while it runs
    sees_delivery = True  # of cycles to threads
    sources: ClassVar[dict[int, str]] = {}  # interrupts beside those of the board file

    def __init__(
        self, chip: str = "rp2040", core: str | None = None, wait_states: int | None = None
    ) -> None:
        self._open(ARM, chip, core, WAIT_OF_CHIP if wait_states is None else wait_states)

    def _open(self, name: str, chip: str, core: str | None, wait_states: int) -> None:
        """A machine of one of the libraries."""
        self._ffi, self._lib = library(name)
        Pins.__init__(self, chip)
        Buses.__init__(self)
        handle = self._lib.takt_machine_new(chip.encode(), CORES[core], wait_states)
        if handle == self._ffi.NULL:
            raise PlatformError(f"no such virtual chip: {chip} ({core})")
        self._m = self._ffi.gc(handle, self._lib.takt_machine_free)
        self._symbols: dict[str, int] = {}
        self._running = False

    # Loading and running

    def load_elf(self, path: str | Path) -> None:
        """Loads the flashable image (by load address) and resets through the boot ROM."""
        with elf_tables.opened(Path(path)) as elf:
            loaded = [s for s in elf.iter_segments("PT_LOAD") if s["p_filesz"] > 0]
            parts = [(segment.data(), segment["p_paddr"]) for segment in loaded]
            self._symbols = elf_tables.values(elf)
        for data, address in parts:
            self._load(data, address)
        if "_SEGGER_RTT" in self._symbols:
            self.rtt_attach(self._symbols["_SEGGER_RTT"])
        self.reset()

    def load_bin(self, data: bytes, address: int) -> None:
        self._load(data, address)

    def _load(self, data: bytes, address: int) -> None:
        if self._lib.takt_load(self._m, address, data, len(data)) != 0:
            raise PlatformError(f"{len(data)} bytes at {address:#x} are not in flash or RAM")

    def reset(self) -> None:
        """Power-on and boot ROM. A boot failure shows in fault() and in the next run()."""
        self._lib.takt_reset(self._m)

    def reset_to(self, vectors: int) -> None:
        """Power-on without the boot ROM, from a vector table."""
        self._lib.takt_reset_to(self._m, vectors)

    @property
    def hz(self) -> int:
        """CPU clock now; firmware changes it while it boots."""
        return self._lib.takt_clock_hz(self._m)

    @property
    def now(self) -> int:
        return self._lib.takt_now(self._m)

    @property
    def watchdog_fed(self) -> int | None:
        """The cycle in which the watchdog was fed last, or started; None: it is off."""
        cycle = self._lib.takt_watchdog_fed(self._m)
        return None if cycle == NEVER else cycle

    def clock_us(self) -> float:
        """The kernel's clock now, to a fraction of a microsecond."""
        return self._lib.takt_clock_us(self._m)

    @property
    def instructions(self) -> int:
        return self._lib.takt_instructions(self._m)

    @property
    def sleep_cycles(self) -> int:
        return self._lib.takt_sleep_cycles(self._m)

    def run(self, until: int) -> Stop:
        if self._running:
            raise PlatformError("run() was called by a device during run()")
        stop = self._ffi.new("struct takt_stop *")
        self._running = True
        self._lib.takt_run(self._m, until, stop)
        self._running = False
        self._reraise()
        return Stop(REASONS[stop.reason], stop.cycle, self._detail(stop))

    def pause(self) -> None:
        """From a device, during run(): run() comes back now, so that its caller can look anew."""
        self._lib.takt_pause(self._m)

    def _detail(self, stop) -> object:
        reason = REASONS[stop.reason]
        if reason in ("pin", "uart"):
            low, high = stop.detail & 0xFF, stop.detail >> 8
            return (low, high) if reason == "pin" else (high, low)
        if reason in ("halt", "fault"):
            return self.fault()
        return stop.detail if reason != "time" else None

    def pend_irq(self, irq: int, at: int | None = None) -> None:
        """Pends an interrupt (-14 NMI, -2 PendSV, -1 SysTick) at a cycle, now or later."""
        if self._lib.takt_pend_irq(self._m, irq, 0 if at is None else at) != 0:
            raise PlatformError(f"no interrupt {irq}")

    def step(self) -> None:
        """One instruction or exception entry."""
        self._lib.takt_step(self._m)
        self._reraise()

    def fault(self) -> str | None:
        """Lockup, the latest HardFault, BKPT, or sleep that can never end."""
        text = self._lib.takt_fault(self._m)
        return self._ffi.string(text).decode() if text != self._ffi.NULL else None

    def unimplemented(self) -> list[str]:
        lines: list[str] = []
        while (text := self._lib.takt_unimplemented(self._m, len(lines))) != self._ffi.NULL:
            lines.append(self._ffi.string(text).decode())
        return lines

    # Serial, analogue, trace

    def uart_send(
        self, port: int, data: bytes, at: int | None = None, baud: int | None = None
    ) -> None:
        """Bytes to the chip, at the port's speed, whatever the sender's is."""
        self._lib.takt_uart_send(self._m, port, data, len(data), 0 if at is None else at)

    def uart_take(self, port: int) -> list[tuple[int, int]]:
        """(cycle of the end of the frame, byte) sent by the chip since the last call."""
        take = self._lib.takt_uart_take
        return [(b.cycle, b.byte) for b in self._take("struct takt_byte", take, port)]

    def watch_uart(self, port: int, on: bool = True) -> None:
        """run() stops when the chip has sent a byte."""
        self._lib.takt_uart_watch(self._m, port, on)

    def adc_set(self, channel: int, volts: float, at: int | None = None) -> None:
        self._lib.takt_adc_set(self._m, channel, volts, 0 if at is None else at)

    def rtt_attach(self, address: int) -> None:
        self._lib.takt_rtt_attach(self._m, address)

    def rtt_take(self, channel: int) -> bytes:
        parts = []
        buffer = self._ffi.new("uint8_t[]", 1 << 16)
        while count := self._lib.takt_rtt_take(self._m, channel, buffer, 1 << 16):
            parts.append(bytes(self._ffi.buffer(buffer, count)))
        return b"".join(parts)

    # Memory, registers, debugging

    def read(self, address: int, size: int) -> bytes:
        buffer = self._ffi.new("uint8_t[]", max(size, 1))
        self._lib.takt_read(self._m, address, buffer, size)
        return bytes(self._ffi.buffer(buffer, size))

    def write(self, address: int, data: bytes) -> None:
        self._load(data, address)

    def word(self, address: int) -> int:
        return int.from_bytes(self.read(address, 4), "little")

    def pointer(self, address: int) -> int:
        """Address of what the pointer there points to; 0: NULL."""
        return self.word(address)

    def flash_has_two_lines(self) -> None:
        """The pico's, and not four."""
        self._lib.takt_flash_two_lines(self._m)

    def bus_read(self, address: int) -> int:
        """A word as the CPU would read it, side effects included."""
        value = self._lib.takt_bus_read(self._m, address)
        self._reraise()
        return value

    def bus_write(self, address: int, value: int) -> None:
        self._lib.takt_bus_write(self._m, address, value)
        self._reraise()

    def register(self, number: int) -> int:
        """0-15, 16 xPSR, 17 MSP, 18 PSP, 19 PRIMASK, 20 CONTROL."""
        return self._lib.takt_register(self._m, number)

    @property
    def pc(self) -> int:
        """Of the instruction that is next."""
        return self.register(15)

    def set_register(self, number: int, value: int) -> None:
        self._lib.takt_set_register(self._m, number, value)

    def symbol(self, name: str) -> int:
        return self._symbols[name]

    def has_symbol(self, name: str) -> bool:
        return name in self._symbols

    def break_at(self, address: int, on: bool = True) -> None:
        if self._lib.takt_break_at(self._m, address, on) != 0:
            raise PlatformError("too many break addresses")

    def stop_on_write(self, address: int, on: bool = True) -> None:
        if self._lib.takt_stop_on_write(self._m, address, on) != 0:
            raise PlatformError("too many watched addresses")

    def log_write(self, address: int, on: bool = True) -> None:
        """Records every store to the word at `address`, see stores()."""
        if self._lib.takt_log_write(self._m, address, on) != 0:
            raise PlatformError("too many logged addresses")

    def stores(self) -> list[tuple[int, int, int]]:
        """(cycle, address, value) of logged stores since the last call."""
        take = self._lib.takt_stores
        return [(s.cycle, s.address, s.value) for s in self._take("struct takt_store", take)]
