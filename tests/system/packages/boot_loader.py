"""The uno's boot loader at the end of a pseudo terminal: what avrdude writes there is kept. It
knows the commands of STK500, version 1, that the boot loader does."""

from __future__ import annotations

import os
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager

SIGNATURE = b"\x1e\x95\x0f"  # of an ATmega328P
END = b"\x20"
IN_SYNC, OK = b"\x14", b"\x10"
FLASH = 0x8000
ARGUMENTS = {0x30: 0, 0x41: 1, 0x42: 20, 0x45: 4, 0x50: 0, 0x51: 0, 0x55: 2, 0x56: 4, 0x75: 0}
GET_PARAMETER, LOAD_ADDRESS, UNIVERSAL, WRITE, READ, READ_SIGNATURE = b"\x41\x55\x56\x64\x74\x75"


class BootLoader:
    """flash: what has been written; written: how many bytes of it."""

    def __init__(self, line: int) -> None:
        self.line, self.flash, self.written, self.at = line, bytearray(b"\xff" * FLASH), 0, 0

    def serve(self) -> None:
        """Until the other end is closed for good."""
        try:
            while True:
                self._command(self._read(1)[0])
        except OSError:
            return

    def _command(self, command: int) -> None:
        size = 0
        if command in (WRITE, READ):
            size = int.from_bytes(self._read(2), "big")
            self._read(1)  # which memory
            given = self._read(size) if command == WRITE else b""
        elif command in ARGUMENTS:
            given = self._read(ARGUMENTS[command])
        else:
            return  # what is left of a try to be heard
        if self._read(1) != END:
            return
        os.write(self.line, IN_SYNC + self._answer(command, given, size) + OK)

    def _answer(self, command: int, given: bytes, size: int) -> bytes:
        if command == LOAD_ADDRESS:
            self.at = int.from_bytes(given, "little") * 2  # words
        elif command == WRITE:
            self.flash[self.at : self.at + size] = given
            self.written += size
        elif command == READ:
            return bytes(self.flash[self.at : self.at + size])
        elif command == READ_SIGNATURE:
            return SIGNATURE
        return b"\0" if command in (GET_PARAMETER, UNIVERSAL) else b""

    def _read(self, count: int) -> bytes:
        got = b""
        while len(got) < count:
            got += os.read(self.line, count - len(got))
        return got


@contextmanager
def connected() -> Iterator[tuple[BootLoader, str]]:
    """A boot loader and the name of its port."""
    line, port = os.openpty()
    tty.setraw(port)
    loader = BootLoader(line)
    thread = threading.Thread(target=loader.serve, daemon=True)
    thread.start()
    try:
        yield loader, os.ttyname(port)
    finally:
        os.close(port)
        thread.join(5)
        os.close(line)
