"""Pins, serial ports and trace of a board in QEMU, for qemu.py."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import termios
import time
from collections.abc import Callable
from typing import Any

from takt.boards import Board
from takt.errors import UserError
from takt.machine.qemu_link import PIPE_BYTES, Qemu, Qtest

INPUT_S = 2.0  # real time QEMU may take to pass on a byte


class QemuDevices:
    """What surrounds the CPU. The machine has the clock, and does things later."""

    board: Board
    hz: int
    now: int
    REGISTER_BYTES: int  # as wide as pointers
    _process: Qemu
    _qtest: Qtest
    read: Callable[[int, int], bytes]

    def __init__(self, board: Board) -> None:
        self.board = board
        self.how: dict[str, Any] = board.raw["qemu"]
        self._forget_devices()

    def _forget_devices(self) -> None:
        self._rtt = 0
        self._sent: list[list[tuple[int, int]]] = [[] for _ in self.how["serial"]]
        self._line_free = [0] * len(self.how["serial"])
        self._logged: set[int] = set()
        self._edges: list[tuple[int, int, int]] = []
        self._levels: dict[int, int] = {}

    def later(self, cycle: int | None, action: Callable[[], None]) -> None:
        """Calls action when it is time; at once if cycle is None."""
        raise NotImplementedError

    # Pins. [[qemu.gpio]]: `size` pins from `first` on, and their registers.

    def pin_drive(self, pin: int, level: int | None, at: int | None = None) -> None:
        """Drives a pin from outside; None lets go of it."""
        port = self._port(pin)
        if "path" not in port:
            raise UserError(
                f"QEMU lets nothing outside drive pin {pin} of {self.board.name}",
                fix="take the part out of the world, or use another board: microbit, pico",
            )
        line, value = pin - port["first"], -1 if level is None else level
        self.later(at, lambda: self._qtest.drive(port["path"], line, value))

    def pin_level(self, pin: int) -> int:
        """0 or 1."""
        port = self._port(pin)
        output = "enable" not in port or self._pin("enable", pin)
        return self._pin("output" if output else "input", pin)

    def _port(self, pin: int) -> dict[str, Any]:
        return next(p for p in self.how["gpio"] if 0 <= pin - p["first"] < p["size"])

    def _pin(self, register: str, pin: int) -> int:
        port = self._port(pin)
        return self._qtest.word(port[register]) >> (pin - port["first"]) & 1

    def log_pin(self, pin: int, on: bool = True) -> None:
        """pin_edges() tells changes seen at the end of each run(), PIN_US at the latest."""
        (self._logged.add if on else self._logged.discard)(pin)

    def pin_edges(self) -> list[tuple[int, int, int]]:
        """(cycle, pin, level) since the last call."""
        edges, self._edges = self._edges, []
        return edges

    def _pin_changes(self) -> None:
        ports = {pin: self._port(pin) for pin in sorted(self._logged)}
        outputs = list(dict.fromkeys(port["output"] for port in ports.values()))
        words = dict(zip(outputs, self._qtest.words(outputs), strict=True))
        for pin, port in ports.items():
            level = words[port["output"]] >> (pin - port["first"]) & 1
            if level != self._levels.get(pin, 0):
                self._edges.append((self.now, pin, level))
            self._levels[pin] = level

    def pin_pwm(self, pin: int) -> tuple[float, float] | None:
        """No board here has PWM."""
        return None

    # Serial ports

    def uart_take(self, port: int) -> list[tuple[int, int]]:
        """(cycle, byte) sent since the last call; the cycle is that of the stop after it."""
        if port >= len(self._sent):
            return []
        self._drain()
        taken, self._sent[port] = self._sent[port], []
        return taken

    def _drain(self) -> None:
        """Before the pipes are full."""
        for sent, number in zip(self._sent, self.how["serial"], strict=True):
            with contextlib.suppress(BlockingIOError):
                data = os.read(self._process.outputs[number], PIPE_BYTES)
                sent += [(self.now, byte) for byte in data]

    def uart_send(
        self, port: int, data: bytes, at: int | None = None, baud: int | None = None
    ) -> None:
        """Bytes to the firmware, at the sender's speed or the console's."""
        byte_cycles = 10 * self.hz // (baud or self.board.serial["baud"])
        for byte in data:
            start = max(self.now if at is None else at, self._line_free[port])
            self._line_free[port] = start + byte_cycles
            self.later(start + byte_cycles, lambda byte=byte: self._input(port, byte))

    def _input(self, port: int, byte: int) -> None:
        """Until the device has the byte; if it takes none, the byte is lost."""
        pipe = self._process.inputs[self.how["serial"][port]]
        os.write(pipe, bytes([byte]))
        end = time.monotonic() + INPUT_S
        while fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)) != bytes(4):
            if time.monotonic() > end:
                os.read(pipe, 1)
                return
            time.sleep(0.0002)

    # Trace

    def rtt_attach(self, address: int) -> None:
        self._rtt = address

    def rtt_take(self, channel: int) -> bytes:
        """What the channel's ring holds, oldest first; the ring is free again."""
        if not self._rtt:
            return b""
        record = struct.Struct("<2Q4I" if self.REGISTER_BYTES == 8 else "<6I")
        at = self._rtt + 24 + record.size * channel
        _, start, size, written, read, _ = record.unpack(self.read(at, record.size))
        if read <= written:
            data = self.read(start + read, written - read)
        else:
            data = self.read(start + read, size - read) + self.read(start, written)
        self._qtest.set_word(at + record.size - 8, written)
        return data
