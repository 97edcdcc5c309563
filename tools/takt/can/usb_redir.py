"""usbredir, the protocol by which QEMU reaches a USB device over a socket.

A packet is a header (type, length, id), the type's own header, and data. Ids have 64 bits once
both sides have said so in their hellos; so nothing but the hello may be sent before the other's has
come. (usbredir's protocol description, version 0.7.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

HELLO, CONNECT, DISCONNECT, RESET, INTERFACES, ENDPOINTS = range(6)
SET_CONFIGURATION, GET_CONFIGURATION, CONFIGURATION, SET_ALT, GET_ALT, ALT = range(6, 12)
CANCEL = 21
CONTROL, BULK = 100, 101

SUCCESS, CANCELLED, INVALID, IO_ERROR, STALLED, TIMEOUT, BABBLED = range(7)

CONNECT_VERSION, PACKET_SIZES, LONG_IDS, LONG_BULK = 1 << 1, 1 << 4, 1 << 5, 1 << 6
OURS = CONNECT_VERSION | PACKET_SIZES | LONG_IDS | LONG_BULK
VERSION = b"takt"
LONGEST = 1 << 24  # bytes of a packet; more is no packet


class ProtocolError(Exception):
    """What came is not usbredir."""


@dataclass(frozen=True)
class Packet:
    """One as it came: the type's header and data in one."""

    kind: int
    id: int
    body: bytes


@dataclass(frozen=True)
class ControlHeader:
    endpoint: int
    request: int
    request_type: int
    status: int
    value: int
    index: int
    length: int

    FORMAT = struct.Struct("<BBBBHHH")

    @classmethod
    def of(cls, body: bytes) -> ControlHeader:
        return cls(*cls.FORMAT.unpack_from(body))

    def answer(self, status: int, data: bytes, length: int) -> bytes:
        head = (self.endpoint, self.request, self.request_type, status)
        return self.FORMAT.pack(*head, self.value, self.index, length) + data

    def setup(self) -> bytes:
        """The eight bytes of USB's SETUP packet."""
        head = (self.request_type, self.request, self.value, self.index, self.length)
        return struct.pack("<BBHHH", *head)


@dataclass(frozen=True)
class BulkHeader:
    endpoint: int
    status: int
    length: int
    stream: int

    FORMAT = struct.Struct("<BBHIH")

    @classmethod
    def of(cls, body: bytes) -> BulkHeader:
        endpoint, status, low, stream, high = cls.FORMAT.unpack_from(body)
        return cls(endpoint, status, low | high << 16, stream)

    def answer(self, status: int, data: bytes, length: int) -> bytes:
        head = (self.endpoint, status, length & 0xFFFF, self.stream, length >> 16)
        return self.FORMAT.pack(*head) + data


LEAST = {  # bytes of the type's header
    HELLO: 64,
    SET_CONFIGURATION: 1,
    SET_ALT: 2,
    GET_ALT: 1,
    CONTROL: ControlHeader.FORMAT.size,
    BULK: BulkHeader.FORMAT.size,
}


class Framing:
    """The bytes of one connection."""

    def __init__(self) -> None:
        self._held = b""
        self.caps: int | None = None  # what both sides can; None: the other has not said hello

    @property
    def _header(self) -> struct.Struct:
        return struct.Struct("<IIQ" if (self.caps or 0) & LONG_IDS else "<III")

    def hello(self) -> bytes:
        """The first packet, with 32 bits of id whatever follows."""
        body = VERSION.ljust(64, b"\0") + struct.pack("<I", OURS)
        return struct.pack("<III", HELLO, len(body), 0) + body

    def pack(self, kind: int, body: bytes = b"", id: int = 0) -> bytes:
        return self._header.pack(kind, len(body), id) + body

    def feed(self, data: bytes) -> Iterator[Packet]:
        """The packets that are complete now."""
        self._held += data
        while len(self._held) >= self._header.size:
            header = self._header
            kind, length, id = header.unpack_from(self._held)
            if length > LONGEST or length < LEAST.get(kind, 0):
                raise ProtocolError(f"a packet of type {kind} with {length} bytes")
            if len(self._held) < header.size + length:
                return
            body = self._held[header.size : header.size + length]
            self._held = self._held[header.size + length :]
            if kind == HELLO:
                self._greet(body)
            elif self.caps is None:
                raise ProtocolError(f"a packet of type {kind} before the hello")
            yield Packet(kind, id, body)

    def _greet(self, body: bytes) -> None:
        theirs = int.from_bytes(body[64:68], "little")
        missing = OURS & ~theirs
        if missing:
            raise ProtocolError(
                f"the other side lacks capabilities {missing:#x}; QEMU 7.2 has them"
            )
        self.caps = OURS & theirs


def endpoints(addresses: dict[int, tuple[int, int]]) -> bytes:
    """The body of ENDPOINTS: by address, type and packet size; endpoint 0 is there anyhow."""
    types, sizes = [255] * 32, [0] * 32
    for address, (kind, size) in ({0x00: (0, 64), 0x80: (0, 64)} | addresses).items():
        at = (address & 0x80) >> 3 | address & 0x0F
        types[at], sizes[at] = kind, size
    return bytes(types) + bytes(32) + bytes(32) + struct.pack("<32H", *sizes)


def interfaces(classes: list[tuple[int, int, int]]) -> bytes:
    """The body of INTERFACES."""
    columns = [bytes(range(len(classes)))] + [bytes(c[n] for c in classes) for n in range(3)]
    return struct.pack("<I", len(classes)) + b"".join(c.ljust(32, b"\0") for c in columns)
