"""Whatever has an address on the network: finds others by ARP, sends and sorts packets."""

from __future__ import annotations

from takt.world.parts.net import frames
from takt.world.parts.net.frames import Arp, Datagram, Frame, Packet, Segment
from takt.world.parts.net.wire import Wire

TRIES = 9  # of ARP, unless told
WAIT_NS = 200_000_000


class Station:
    """Subclasses say what they do with `datagram` and `segment`, and what `unreachable` means."""

    by_chip = False

    def __init__(self, wire: Wire, mac: bytes, ip: bytes) -> None:
        self.wire, self.mac, self.ip = wire, mac, ip
        self.known: dict[bytes, bytes] = {}  # IP -> MAC
        self._waiting: dict[bytes, list[Packet]] = {}
        self._number = 0
        self.arp_tries, self.arp_ns = TRIES, WAIT_NS

    # Out.

    def send_datagram(
        self, to: bytes, datagram: Datagram, service: int = 0, hops: int = 128
    ) -> None:
        held = datagram.packed(self.ip, to)
        self.send(Packet(self.ip, to, frames.UDP, held, self._next(), hops, service))

    def send_segment(self, to: bytes, segment: Segment, service: int = 0, hops: int = 128) -> None:
        held = segment.packed(self.ip, to)
        self.send(Packet(self.ip, to, frames.TCP, held, self._next(), hops, service))

    def _next(self) -> int:
        self._number = self._number + 1 & 0xFFFF
        return self._number

    def hop(self, to: bytes) -> bytes:
        """The address whose MAC a packet needs."""
        return to

    def is_broadcast(self, to: bytes) -> bool:
        return to == frames.ALL

    def send(self, packet: Packet) -> None:
        every = self.is_broadcast(packet.to)
        hop = packet.to if every else self.hop(packet.to)
        if every or hop in self.known:
            to = frames.BROADCAST if every else self.known[hop]
            self._frame(to, frames.IPV4, packet.packed())
            self.went(packet)
        elif hop in self._waiting:
            self._waiting[hop].append(packet)
        else:
            self._waiting[hop] = [packet]
            self._ask(hop, self.arp_tries)

    def _frame(self, to: bytes, kind: int, held: bytes) -> None:
        self.wire.send(Frame(to, self.mac, kind, held).packed(), self.by_chip)

    def _ask(self, ip: bytes, tries: int) -> None:
        if ip not in self._waiting:
            return
        if tries == 0:
            for packet in self._waiting.pop(ip):
                self.unreachable(packet)
            return
        question = Arp(frames.REQUEST, self.mac, self.ip, bytes(6), ip)
        self._frame(frames.BROADCAST, frames.ARP, question.packed())
        self.wire.after(self.arp_ns, lambda: self._ask(ip, tries - 1))

    # In.

    def receive(self, data: bytes) -> None:
        frame = frames.frame_of(data)
        if frame is None or frame.to not in (self.mac, frames.BROADCAST):
            return
        if frame.kind == frames.ARP and (arp := frames.arp_of(frame.held)):
            self._arp(arp)
        elif frame.kind == frames.IPV4:
            packet = frames.packet_of(frame.held)
            if packet and (packet.to == self.ip or self.is_broadcast(packet.to)):
                self._packet(packet)

    def _arp(self, arp: Arp) -> None:
        if arp.target == self.ip and self.ip != frames.NO_ADDRESS:
            self.known[arp.source] = arp.source_mac
            if arp.deed == frames.REQUEST:
                answer = Arp(frames.REPLY, self.mac, self.ip, arp.source_mac, arp.source)
                self._frame(arp.source_mac, frames.ARP, answer.packed())
        for packet in self._waiting.pop(arp.source, ()) if arp.source in self.known else ():
            self.send(packet)

    def _packet(self, packet: Packet) -> None:
        if packet.kind == frames.ICMP and packet.to == self.ip:
            if self.answers_pings() and (answer := frames.echo_of(packet)):
                self.send(Packet(self.ip, packet.source, frames.ICMP, answer, self._next()))
        elif packet.kind == frames.UDP and (datagram := frames.datagram_of(packet)):
            self.datagram(packet.source, packet.to, datagram)
        elif packet.kind == frames.TCP and packet.to == self.ip:
            segment = frames.segment_of(packet)
            if segment:
                self.segment(packet.source, segment)

    def answers_pings(self) -> bool:
        return True

    def datagram(self, source: bytes, to: bytes, datagram: Datagram) -> None:
        """One has come."""

    def segment(self, source: bytes, segment: Segment) -> None:
        """One has come."""

    def went(self, packet: Packet) -> None:
        """A packet has found its way."""

    def unreachable(self, packet: Packet) -> None:
        """No station has answered for a packet's address."""

    def reset_by(self, source: bytes, segment: Segment) -> None:
        """Answers what belongs to no connection."""
        if segment.flags & frames.RST:
            return
        if segment.flags & frames.ACK:
            number, acknowledged, flags = segment.acknowledged, 0, frames.RST
        else:
            number, flags = 0, frames.RST | frames.ACK
            acknowledged = segment.sequence + segment.length & 0xFFFF_FFFF
        answer = Segment(segment.to, segment.source, number, acknowledged, flags, 0)
        self.send_segment(source, answer)
