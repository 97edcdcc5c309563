"""Ethernet frames and what is in them: ARP, IPv4, ICMP, UDP, TCP (RFC 826, 791, 792, 768, 9293)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

ARP, IPV4 = 0x0806, 0x0800  # of frames
ICMP, TCP, UDP = 1, 6, 17  # of packets
REQUEST, REPLY = 1, 2  # of ARP
ECHO, ECHO_REPLY = 8, 0  # of ICMP
FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10  # of segments
SHORTEST = 60  # bytes of a frame, without its checksum
BROADCAST = b"\xff" * 6
ALL = b"\xff" * 4
NO_ADDRESS = bytes(4)


def checksum(data: bytes) -> int:
    """The ones' complement sum of all words, inverted."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


@dataclass(frozen=True)
class Frame:
    to: bytes
    source: bytes
    kind: int
    held: bytes

    def packed(self) -> bytes:
        return (self.to + self.source + struct.pack(">H", self.kind) + self.held).ljust(
            SHORTEST, b"\0"
        )


def frame_of(data: bytes) -> Frame | None:
    """None: too short to be one."""
    if len(data) < 14:
        return None
    return Frame(data[:6], data[6:12], int.from_bytes(data[12:14], "big"), data[14:])


@dataclass(frozen=True)
class Arp:
    deed: int
    source_mac: bytes
    source: bytes
    target_mac: bytes
    target: bytes

    def packed(self) -> bytes:
        head = struct.pack(">HHBBH", 1, IPV4, 6, 4, self.deed)
        return head + self.source_mac + self.source + self.target_mac + self.target


def arp_of(data: bytes) -> Arp | None:
    if len(data) < 28 or data[:6] != struct.pack(">HHBB", 1, IPV4, 6, 4):
        return None
    deed = int.from_bytes(data[6:8], "big")
    return Arp(deed, data[8:14], data[14:18], data[18:24], data[24:28])


@dataclass(frozen=True)
class Packet:
    """IPv4, in one piece."""

    source: bytes
    to: bytes
    kind: int
    held: bytes
    number: int = 0
    hops: int = 128
    service: int = 0

    def packed(self) -> bytes:
        size, whole = 20 + len(self.held), 0x4000
        head = struct.pack(
            ">BBHHHBBH", 0x45, self.service, size, self.number, whole, self.hops, self.kind, 0
        )
        head += self.source + self.to
        return head[:10] + checksum(head).to_bytes(2, "big") + head[12:] + self.held


def packet_of(data: bytes) -> Packet | None:
    """None: none of IPv4, damaged, or a fragment."""
    if len(data) < 20 or data[0] >> 4 != 4:
        return None
    head, size = (data[0] & 0xF) * 4, int.from_bytes(data[2:4], "big")
    fragment = int.from_bytes(data[6:8], "big") & 0x3FFF
    if not 20 <= head <= size <= len(data) or checksum(data[:head]) or fragment:
        return None
    return Packet(data[12:16], data[16:20], data[9], data[head:size])


def _sum_of(source: bytes, to: bytes, kind: int, held: bytes) -> int:
    """With the header that UDP and TCP imagine."""
    return checksum(source + to + struct.pack(">HH", kind, len(held)) + held)


@dataclass(frozen=True)
class Datagram:
    """UDP."""

    source: int
    to: int
    held: bytes

    def packed(self, source: bytes, to: bytes) -> bytes:
        raw = struct.pack(">HHHH", self.source, self.to, 8 + len(self.held), 0) + self.held
        total = _sum_of(source, to, UDP, raw) or 0xFFFF
        return raw[:6] + total.to_bytes(2, "big") + raw[8:]


def datagram_of(packet: Packet) -> Datagram | None:
    raw = packet.held
    if len(raw) < 8:
        return None
    source, to, size, told = struct.unpack(">HHHH", raw[:8])
    if not 8 <= size <= len(raw):
        return None
    if told and _sum_of(packet.source, packet.to, UDP, raw[:size]):
        return None
    return Datagram(source, to, raw[8:size])


@dataclass(frozen=True)
class Segment:
    """TCP. most: of the option MSS, with SYN."""

    source: int
    to: int
    sequence: int
    acknowledged: int
    flags: int
    window: int
    held: bytes = b""
    most: int | None = None

    def packed(self, source: bytes, to: bytes) -> bytes:
        options = b"" if self.most is None else struct.pack(">BBH", 2, 4, self.most)
        head = struct.pack(
            ">HHIIBBHHH",
            self.source, self.to, self.sequence, self.acknowledged,
            (20 + len(options)) // 4 << 4, self.flags, self.window, 0, 0,
        )  # fmt: skip
        raw = head + options + self.held
        return raw[:16] + _sum_of(source, to, TCP, raw).to_bytes(2, "big") + raw[18:]

    @property
    def length(self) -> int:
        """In the numbers of the sequence."""
        return len(self.held) + bool(self.flags & SYN) + bool(self.flags & FIN)


def segment_of(packet: Packet) -> Segment | None:
    raw = packet.held
    if len(raw) < 20 or _sum_of(packet.source, packet.to, TCP, raw):
        return None
    source, to, sequence, acknowledged, head, flags, window = struct.unpack(">HHIIBBH", raw[:16])
    head = (head >> 4) * 4
    if not 20 <= head <= len(raw):
        return None
    most = _most(raw[20:head])
    return Segment(source, to, sequence, acknowledged, flags & 0x3F, window, raw[head:], most)


def _most(options: bytes) -> int | None:
    """The option MSS."""
    at = 0
    while at < len(options) and options[at] != 0:
        if options[at] == 1:
            at += 1
            continue
        length = options[at + 1] if at + 1 < len(options) else 0
        if options[at] == 2 and length == 4 and at + 4 <= len(options):
            return int.from_bytes(options[at + 2 : at + 4], "big")
        at += max(length, 2)
    return None


def echo_of(packet: Packet) -> bytes | None:
    """What answers a ping; None: it is none."""
    raw = packet.held
    if len(raw) < 8 or raw[0] != ECHO or checksum(raw):
        return None
    answer = bytes([ECHO_REPLY, 0, 0, 0]) + raw[4:]
    return answer[:2] + checksum(answer).to_bytes(2, "big") + answer[4:]
