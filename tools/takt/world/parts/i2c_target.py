"""A simple I2C target, such as another Arduino with an onRequest() and an onReceive() handler."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.buses import I2cPart, i2c_settings
from takt.world.parts.settings import Setting, SettingError, Text, Whole

FILL = 0xFF  # what a controller reads from a target that has nothing more to say
SHOWN = 20  # messages in the summary


class I2cTarget(I2cPart):
    """Answers every read with `answer` from its beginning, and keeps what is written to it."""

    kind = "i2c-target"
    settings: ClassVar[dict[str, Setting]] = {
        **i2c_settings(8),
        "answer": Text("what it sends when read", default=""),
        "accepts": Whole("bytes of a message it acknowledges", default=32, least=0),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.answer = values["answer"].encode()
        self.given = 0  # bytes of the answer sent in this transaction
        self.coming: bytearray | None = None
        self.messages: list[bytes] = []
        self.reads = self.bytes_read = self.refused = 0

    def check(self) -> None:
        if len(self.answer) > 255:
            raise SettingError("the answer is longer than 255 bytes", "shorten it")

    def addressed(self, read: bool) -> bool:
        self._keep()
        if read:
            self.reads += 1
            self.given = 0
        else:
            self.coming = bytearray()
        return True

    def write(self, byte: int) -> bool:
        if self.coming is None or len(self.coming) >= self.values["accepts"]:
            self.refused += 1
            return False
        self.coming.append(byte)
        return True

    def read(self, last: bool) -> int:
        byte = self.answer[self.given] if self.given < len(self.answer) else FILL
        self.given += 1
        self.bytes_read += 1
        return byte

    def stop(self) -> None:
        self._keep()

    def _keep(self) -> None:
        if self.coming is not None:
            self.messages.append(bytes(self.coming))
            self.coming = None

    def summary(self) -> dict[str, Any]:
        said = [m.decode("utf-8", "backslashreplace") for m in self.messages]
        return {
            "reads": self.reads,
            "bytes_read": self.bytes_read,
            "writes": len(self.messages),
            "bytes_written": sum(map(len, self.messages)),
            "refused_bytes": self.refused,
            "last_messages": list(filter(None, said))[-SHOWN:],
        }
