"""W5500: registers, buffers and commands of its eight sockets (WIZnet's data sheet, version 1.0.2).

The chip speaks ARP, answers pings, and keeps a connection for each socket; what a socket takes and
gives lies in its two rings, 2 KB each unless told:

    Sn_TX_RD ... Sn_TX_WR   what SEND sends        Sn_RX_RD ... RX_WR   what has come, until RECV

What is not modelled is counted by name in `strange`: MACRAW, PPPoE, multicast, wake on LAN,
SEND_KEEP and what there is no register for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from takt.world.parts.net import frames
from takt.world.parts.net.frames import Datagram, Packet, Segment
from takt.world.parts.net.socket import SENDOK, TCP, TIMEOUT, UDP, Socket
from takt.world.parts.net.station import Station
from takt.world.parts.net.wire import Wire

SOCKETS = 8
COMMON_SIZE, SOCKET_SIZE = 0x40, 0x30
MR, GAR, SUBR, SHAR, SIPR, IR, IMR, SIR, SIMR = 0, 1, 5, 9, 15, 0x15, 0x16, 0x17, 0x18
RTR, RCR, PTIMER, PHYCFGR, VERSIONR = 0x19, 0x1B, 0x1C, 0x2E, 0x39
RESET, WAKE, NO_PING, PPPOE = 0x80, 0x20, 0x10, 0x08  # of MR
LINK = 0xBF  # PHYCFGR: 100 Mbit/s, both ways at once
READ_ONLY = {SIR, VERSIONR, *range(0x28, 0x2E)}
RTR_NS = 100_000


class Chip(Station):
    by_chip = True

    def __init__(self, wire: Wire, changed: Callable[[bool], None]) -> None:
        """changed: the output INT is active, or no more."""
        super().__init__(wire, bytes(6), frames.NO_ADDRESS)
        self._int = changed
        self.strange: Counter[str] = Counter()
        self.dropped = 0
        self.sockets = [Socket(self, number) for number in range(SOCKETS)]
        self.reset()

    def reset(self) -> None:
        self.common = bytearray(COMMON_SIZE)
        self.common[RTR : RTR + 3] = b"\x07\xd0\x08"
        self.common[PTIMER] = 0x28
        self.common[PHYCFGR], self.common[VERSIONR] = LINK, 4
        self.known.clear()
        self._waiting.clear()
        for socket in self.sockets:
            socket.reset()
        self._take_over()

    def _take_over(self) -> None:
        """Addresses and times that registers hold."""
        held = self.common
        self.mac, self.ip = bytes(held[SHAR : SHAR + 6]), bytes(held[SIPR : SIPR + 4])
        self.arp_ns = int.from_bytes(held[RTR : RTR + 2], "big") * RTR_NS
        self.arp_tries = held[RCR] + 1

    # The host's side.

    def read(self, block: int, at: int) -> int:
        number, kind = divmod(block, 4)
        if block == 0:
            return self.common[at] if at < COMMON_SIZE else self._nothing("register")
        if kind == 0:
            return self._nothing("block")
        return self.sockets[number].read(kind, at)

    def write(self, block: int, at: int, value: int) -> None:
        number, kind = divmod(block, 4)
        if block == 0:
            self._write_common(at, value)
        elif kind == 0:
            self._nothing("block")
        else:
            self.sockets[number].write(kind, at, value)

    def _nothing(self, what: str) -> int:
        self.strange[f"no such {what}"] += 1
        return 0

    def _write_common(self, at: int, value: int) -> None:
        if at >= COMMON_SIZE:
            self._nothing("register")
        elif at == MR and value & RESET:
            self.reset()
        elif at == IR:
            self.common[IR] &= ~value
        elif at == PHYCFGR:
            self.common[PHYCFGR] = value & 0xF8 | LINK & 7
        elif at not in READ_ONLY:
            self.common[at] = value
            if at == MR and value & (WAKE | 0x02):
                self.strange["wake on LAN, forced ARP"] += 1
            self._take_over()
        self.interrupt()

    def interrupt(self) -> None:
        """Follows the sockets' interrupts."""
        self.common[SIR] = sum(
            (socket.ir & socket.imr != 0) << n for n, socket in enumerate(self.sockets)
        )
        active = self.common[SIR] & self.common[SIMR] or self.common[IR] & self.common[IMR]
        self._int(bool(active))

    # The network's side.

    def hop(self, to: bytes) -> bytes:
        mask, gateway = self.common[SUBR : SUBR + 4], bytes(self.common[GAR : GAR + 4])
        near = all((a ^ b) & m == 0 for a, b, m in zip(to, self.ip, mask, strict=True))
        return to if near else gateway

    def is_broadcast(self, to: bytes) -> bool:
        mask = self.common[SUBR : SUBR + 4]
        of_net = bytes(a | ~m & 0xFF for a, m in zip(self.ip, mask, strict=True))
        return to == frames.ALL or (to == of_net and self.ip != frames.NO_ADDRESS)

    def answers_pings(self) -> bool:
        return not self.common[MR] & NO_PING

    def went(self, packet: Packet) -> None:
        self._tell(packet, SENDOK)

    def unreachable(self, packet: Packet) -> None:
        self._tell(packet, TIMEOUT)
        for socket in self.sockets:
            if packet.kind == frames.TCP and socket.talks_with(packet.to):
                socket.give_up()

    def _tell(self, packet: Packet, bits: int) -> None:
        """The socket that a datagram is from."""
        port = int.from_bytes(packet.held[:2], "big")
        for socket in self.sockets:
            if packet.kind == frames.UDP and socket.kind == UDP and socket.port == port:
                socket.interrupted(bits)

    def datagram(self, source: bytes, to: bytes, datagram: Datagram) -> None:
        for socket in self.sockets:
            if socket.kind == UDP and socket.port == datagram.to:
                socket.take_datagram(source, datagram)
                return
        self.dropped += 1

    def segment(self, source: bytes, segment: Segment) -> None:
        waits = None
        for socket in self.sockets:
            if socket.kind != TCP or socket.port != segment.to:
                continue
            if socket.talks_to(source, segment.source):
                socket.take_segment(segment)
                return
            waits = waits or (socket if socket.listens() else None)
        if waits and segment.flags & (frames.SYN | frames.ACK | frames.RST) == frames.SYN:
            waits.take_caller(source, segment)
        else:
            self.reset_by(source, segment)
