"""The simulated board as a machine: a program that is a shared library, in virtual time.

Same methods as machine.Machine, where they make sense for a program that has no CPU of its own;
time is in microseconds (hz = 1 000 000). See board/sim/machine.h.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from takt.code import elf_tables
from takt.declared import declared
from takt.errors import UserError
from takt.machine.wave import Wave, wave_of
from takt.paths import ROOT

HEADER = ROOT / "board" / "sim" / "machine.h"
REASONS = ("time", "pin", "halt")
PLANNED = 64  # edges of a wave that the program knows ahead
NEVER = 1 << 63
ROOM = 4096  # records taken at a time
VOLTS = 3.3


class Stop(NamedTuple):
    """Why run() came back."""

    reason: str
    cycle: int
    detail: int


def _declarations() -> str:
    """The C declarations of machine.h, as cffi wants them."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


class SimMachine:
    """One life of one program. Every instance loads a copy of its own."""

    hz = 1_000_000
    empties_rings = False
    sources: ClassVar[dict[int, str]] = {}

    def __init__(self) -> None:
        self._ffi = declared(_declarations())
        self._path: Path | None = None
        self._lib: Any = None
        self._trace_wanted = False
        self._waves: dict[int, tuple[Wave, int, int]] = {}  # when they stop; edges handed over

    def load_elf(self, path: Path | str) -> None:
        """A program built for the board `sim`."""
        self._path = Path(path)
        self.reset()

    def reset(self) -> None:
        """A life from the beginning: the library is loaded again under another name."""
        if self._path is None:
            raise UserError("no program is loaded", fix="call load_elf() first")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "program.so")
            shutil.copy(self._path, copy)
            try:
                self._lib = self._ffi.dlopen(str(copy))
            except OSError as error:
                raise UserError("not a program for the board sim", str(self._path)) from error
        self._lib.sim_machine_start()
        self._waves.clear()

    # Time

    @property
    def now(self) -> int:
        """Microseconds since reset."""
        return self._lib.sim_machine_now()

    def clock_us(self) -> float:
        """The kernel's clock now."""
        return float(self.now)

    def run(self, until: int) -> Stop:
        """Until the time given or the first stop."""
        while True:
            goal = self._plan_waves(until)
            reason = REASONS[self._lib.sim_machine_run(goal)]
            if reason != "time" or goal >= until:
                return Stop(reason, self.now, self._lib.sim_machine_detail())

    def fault(self) -> str | None:
        """The fatal line, if there was one."""
        line = self._lib.sim_machine_fault()
        return None if line == self._ffi.NULL else self._ffi.string(line).decode().strip()

    def unimplemented(self) -> list[str]:
        """Nothing: there are no registers."""
        return []

    # Pins

    def pin_drive(self, pin: int, level: int | None, at: int | None = None) -> None:
        """Drives a pin from outside; None lets go of it."""
        self._lib.sim_machine_pin_drive(pin, -1 if level is None else level, at or 0)

    def pin_level(self, pin: int) -> int:
        """0 or 1."""
        return self._lib.sim_machine_pin_level(pin)

    def watch_pin(self, pin: int, on: bool = True) -> None:
        """run() stops where the program changes the pin."""
        self._lib.sim_machine_pin_watch(pin, on)

    def log_pin(self, pin: int, on: bool = True) -> None:
        """pin_edges() tells changes made by the program."""
        self._lib.sim_machine_pin_log(pin, on)

    def pin_edges(self) -> list[tuple[int, int, int]]:
        """(time, pin, level) since the last call."""
        take = self._lib.sim_machine_edges
        return self._take("struct sim_machine_edge[]", take, lambda e: (e.at, e.pin, e.level))

    def log_pin_writes(self, pin: int) -> None:
        """pin_writes() tells every write, also those that change nothing."""
        self._lib.sim_machine_pin_log_writes(pin)

    def pin_writes(self) -> list[tuple[int, int, bool]]:
        """(time, pin, True) of logged writes since the last call."""
        take = self._lib.sim_machine_writes
        return self._take("struct sim_machine_edge[]", take, lambda e: (e.at, e.pin, True))

    def pin_wave(
        self,
        pin: int,
        half_period: float | tuple[int, int],
        start: int,
        stop: int | None = None,
        seed: int | None = None,
    ) -> None:
        """Edges from outside, as Machine.pin_wave()."""
        wave = wave_of(half_period, start, stop, seed)
        self._waves[pin] = wave, NEVER if stop is None else stop, 0
        self.pin_drive(pin, 0)

    def pin_wave_edges(self, pin: int) -> int:
        """How many edges the pin's wave has made so far."""
        wave, stop, _ = self._waves[pin]
        return wave.edges_until(min(self.now, stop - 1))

    def _plan_waves(self, until: int) -> int:
        """Hands the edges of waves to the program, up to a time that it returns: not too many."""
        for wave, stop, planned in self._waves.values():
            if wave.edge(planned) < stop:
                until = min(until, wave.edge(planned + PLANNED))
        for pin, (wave, stop, planned) in self._waves.items():
            while (at := wave.edge(planned)) <= until and at < stop:
                self.pin_drive(pin, 1 - planned % 2, at)
                planned += 1
            self._waves[pin] = wave, stop, planned
        return until

    def pin_pwm(self, pin: int) -> tuple[float, float] | None:
        """Frequency in Hz and duty 0..1, where PWM drives the pin."""
        hz, duty = self._ffi.new("double *"), self._ffi.new("double *")
        return (hz[0], duty[0]) if self._lib.sim_machine_pwm(pin, hz, duty) else None

    def adc_set(self, channel: int, volts: float) -> None:
        """The voltage at an analog input."""
        self._lib.sim_machine_adc_set(channel, volts)

    # Serial ports

    def uart_send(
        self, port: int, data: bytes, at: int | None = None, baud: int | None = None
    ) -> None:
        """Bytes to the program, at the port's speed, whatever the sender's is."""
        self._lib.sim_machine_uart_send(port, data, len(data), at or 0)

    def uart_take(self, port: int) -> list[tuple[int, int]]:
        """(time, byte) sent by the program since the last call."""

        def take(out: Any, room: int) -> int:
            return self._lib.sim_machine_uart_take(port, out, room)

        return self._take("struct sim_machine_byte[]", take, lambda b: (b.at, b.byte))

    # Trace and memory

    def rtt_attach(self, address: int) -> None:
        """The trace is drained anyway."""
        self._trace_wanted = bool(address)

    def rtt_take(self, channel: int) -> bytes:
        """What the kernel has traced (channel 1) since the last call."""
        if channel != 1:
            return b""
        return bytes(self._take("uint8_t[]", self._lib.sim_machine_trace, int))

    def symbol(self, name: str) -> int:
        """Address of a function or object, as linked."""
        return self._symbols[name]

    @property
    def _base(self) -> int:
        """Where the program has been loaded."""
        anchor = self._ffi.cast("uintptr_t", self._ffi.addressof(self._lib, "sim_machine_start"))
        return int(anchor) - self._symbols["sim_machine_start"]

    def has_symbol(self, name: str) -> bool:
        return name in self._symbols

    def word(self, address: int) -> int:
        return int.from_bytes(self.read(address, 4), "little")

    def pointer(self, address: int) -> int:
        """Address of what the pointer there points to, as linked; 0: NULL."""
        loaded = int.from_bytes(self.read(address, 8), "little")
        return loaded - self._base if loaded else 0

    def read(self, address: int, n: int) -> bytes:
        """Memory of the program."""
        return bytes(self._ffi.buffer(self._ffi.cast("char *", self._base + address), n))

    def write(self, address: int, data: bytes) -> None:
        """Changes memory of the program."""
        self._ffi.memmove(self._ffi.cast("char *", self._base + address), data, len(data))

    @cached_property
    def _symbols(self) -> dict[str, int]:
        assert self._path is not None
        with elf_tables.opened(self._path) as elf:
            return elf_tables.values(elf)

    def _take(self, kind: str, take: Callable, pick: Callable) -> list[Any]:
        """All records that a C function with (out, room) hands out, as pick() makes them."""
        found: list[Any] = []
        out = self._ffi.new(kind, ROOM)
        while n := take(out, ROOM):
            found += [pick(out[i]) for i in range(n)]
        return found
