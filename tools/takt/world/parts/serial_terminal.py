"""A terminal on a serial port: types scripted lines and keeps what it reads."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part
from takt.world.parts.settings import Script, Setting, Whole


class SerialTerminal(Part):
    """Sends each text of `send` at its time and records everything the board writes."""

    kind = "serial-terminal"
    settings: ClassVar[dict[str, Setting]] = {
        "port": Whole("serial port: 0 is Serial, 1 is Serial1", default=0, least=0, most=1),
        "send": Script('what is typed when: [["1 s", "hello\\n"]]'),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.port = values["port"]
        self.sent = 0
        self.received = bytearray()
        self.first_cycle: int | None = None

    def start(self, bench) -> None:
        super().start(bench)
        for at, text in self.values["send"] or []:
            data = text.encode()
            self.at(bench.cycles(at), lambda data=data: self._send(data))

    def _send(self, data: bytes) -> None:
        self.bench.send(self.port, data)
        self.sent += len(data)

    def on_byte(self, port: int, byte: int, cycle: int) -> None:
        if port == self.port:
            self.first_cycle = cycle if self.first_cycle is None else self.first_cycle
            self.received.append(byte)

    def summary(self) -> dict[str, Any]:
        text = self.received.decode("utf-8", "replace").replace("\r\n", "\n")
        return {
            "sent_bytes": self.sent,
            "received_bytes": len(self.received),
            "lines": text.count("\n"),
        }
