"""A terminal on a serial line: types scripted lines and keeps what it reads."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts import serial_line
from takt.world.parts.serial_line import SerialLine, SerialPart
from takt.world.parts.settings import Script, Setting

PORT = 0  # unless told


class SerialTerminal(SerialPart):
    """Sends each text of `send` at its time and records everything the board writes."""

    kind = "serial-terminal"
    settings: ClassVar[dict[str, Setting]] = {
        **serial_line.settings(PORT, 9600, "bits per second between pins; a port has its own"),
        "send": Script('what is typed when: [["1 s", "hello\\n"]]'),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.line = SerialLine(self, PORT, self._heard)
        self.sent = 0
        self.received = bytearray()
        self.first_cycle: int | None = None

    def start(self, bench) -> None:
        super().start(bench)
        self.line.start()
        for at, text in self.values["send"] or []:
            data = text.encode()
            self.at(bench.cycles(at), lambda data=data: self._send(data))

    def _send(self, data: bytes) -> None:
        self.line.send(data, None)
        self.sent += len(data)

    def _heard(self, byte: int, cycle: int) -> None:
        self.first_cycle = cycle if self.first_cycle is None else self.first_cycle
        self.received.append(byte)

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        self.line.on_pin(pin, level, cycle)

    def on_byte(self, port: int, byte: int, cycle: int) -> None:
        self.line.on_byte(port, byte, cycle)

    def finish(self, cycle: int) -> None:
        self.line.settle(cycle)

    def summary(self) -> dict[str, Any]:
        text = self.received.decode("utf-8", "replace").replace("\r\n", "\n")
        return {
            "sent_bytes": self.sent,
            "received_bytes": len(self.received),
            "lines": text.count("\n"),
            **self.line.summary(),
        }
