"""A GPS receiver on a serial line: sentences with check sums, as fast as that carries them."""

from __future__ import annotations

import random
import zlib
from typing import Any, ClassVar

from takt.world.parts import serial_line
from takt.world.parts.serial_line import BITS, SerialLine, SerialPart
from takt.world.parts.settings import Duration, Setting, Whole

PORT = 1  # unless told


class GpsReceiver(SerialPart):
    """Sends NMEA 0183 sentences one after another, with pauses up to `pause` between them, all of
    them equally likely; the same in every run."""

    kind = "gps-receiver"
    settings: ClassVar[dict[str, Setting]] = {
        **serial_line.settings(PORT, 115200),
        "pause": Duration("longest pause between two sentences", default=0),
        "start": Duration("from when on", default=100_000_000),
        "stop": Duration("until when"),
        "seed": Whole("another number, other pauses; without one the name decides", least=1),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.random = random.Random(values["seed"] or zlib.crc32(name.encode()))
        self.sentences = self.sent = 0
        self.line = SerialLine(self, PORT, lambda _byte, _cycle: None)

    def start(self, bench) -> None:
        super().start(bench)
        self.line.start()
        self.at(bench.cycles(self.values["start"]), self._send)

    def _send(self) -> None:
        v, now = self.values, self.bench.ns(self.bench.machine.now)
        if v["stop"] is not None and now >= v["stop"]:
            return
        data = self._sentence()
        self.line.send(data, v["baud"])
        self.sentences += 1
        self.sent += len(data)
        on_line = -(-len(data) * BITS * 10**9 // v["baud"])
        pause = self.random.randint(0, v["pause"]) if v["pause"] else 0
        self.at(self.bench.cycles(now + on_line + pause), self._send)

    def _sentence(self) -> bytes:
        """Fix data of a receiver that moves north; every other time the shorter course data."""
        minutes = self.sentences * 7 % 60_0000
        time, north = f"{self.sentences % 240000:06d}.00", f"47{minutes / 10000:07.4f},N"
        where = f"{time},{north},00832.1234,E" if self.sentences % 2 == 0 else ""
        text = (
            f"GPGGA,{where},1,08,0.9,545.4,M,46.9,M,,"
            if where
            else f"GPVTG,0.0,T,,M,{minutes % 90},N"
        )
        check = 0
        for byte in text.encode():
            check ^= byte
        return f"${text}*{check:02X}\r\n".encode()

    def summary(self) -> dict[str, Any]:
        return {"sentences": self.sentences, "sent_bytes": self.sent}
