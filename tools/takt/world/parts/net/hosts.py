"""Hosts on the network: each answers pings, and whatever else its table in world.toml says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from takt.world.parts.net import frames, services
from takt.world.parts.net.frames import Datagram, Segment
from takt.world.parts.net.station import Station
from takt.world.parts.net.tcp import Connection, Owner, Ports
from takt.world.parts.net.wire import Wire

FIRST_PORT = 50000
Turns = tuple[tuple[bytes, bytes], ...]  # of a server: the end of what is said to it, its answer
MASK = b"\xff\xff\xff\0"


@dataclass(frozen=True)
class Told:
    """What a table says of a host."""

    ip: bytes
    dhcp: bytes | None = None
    dns: dict[str, bytes] = field(default_factory=dict)
    udp: dict[int, bytes] = field(default_factory=dict)  # port -> answer
    tcp: dict[int, Turns] = field(default_factory=dict)  # by port
    datagrams: list[tuple[int, int, bytes]] = field(default_factory=list)  # ns, port, held
    connections: list[tuple[int, int, bytes]] = field(default_factory=list)  # ns, port, request


class Talk(Owner):
    """One connection of a host, which closes it after the last of its turns."""

    def __init__(self, host: Host, other: bytes, turns: Turns) -> None:
        self.host, self.other, self.turns = host, other, turns
        self.connection: Connection
        self.said = bytearray()
        self.request = b""
        self.ended = ""

    def output(self, segment: Segment) -> None:
        self.host.send_segment(self.other, segment)

    def received(self, data: bytes) -> None:
        self.said += data
        self._answer()

    def _answer(self) -> None:
        while self.turns and self.said.endswith(self.turns[0][0]):
            self.host.seen["answered"] += 1
            self.connection.send(self.turns[0][1])
            self.turns = self.turns[1:]
            if not self.turns:
                self.connection.close()
            elif self.turns[0][0]:
                break

    def changed(self, why: str) -> None:
        if why == "connected":
            self.connection.send(self.request)
            if self.turns and not self.turns[0][0]:
                self._answer()  # a server that speaks first
        elif why == "remote closed":
            self.connection.close()
        else:
            self.ended = why


class Host(Station):
    def __init__(self, wire: Wire, number: int, told: Told, chip: Callable[[], bytes]) -> None:
        super().__init__(wire, bytes([2, 0, 0, 0, 0, number]), told.ip)
        self.told, self.chip = told, chip
        self.seen: Counter[str] = Counter()
        self.talks: dict[tuple[bytes, int, int], Talk] = {}
        self.calls: list[Talk] = []
        self._port = FIRST_PORT

    def begin(self) -> None:
        """Plans what it does of its own accord."""
        for ns, port, held in self.told.datagrams:
            self.wire.after(ns, lambda p=port, h=held: self._datagram(p, h))
        for ns, port, request in self.told.connections:
            self.wire.after(ns, lambda p=port, r=request: self._call(p, r))

    def _own_port(self) -> int:
        self._port += 1
        return self._port

    def _datagram(self, port: int, held: bytes) -> None:
        self.send_datagram(self.chip(), Datagram(self._own_port(), port, held))

    def _call(self, port: int, request: bytes) -> None:
        ports = Ports(self._own_port(), port)
        talk = self._talk(self.chip(), ports, ())
        talk.request = request
        self.calls.append(talk)
        talk.connection.connect()

    def _talk(self, other: bytes, ports: Ports, turns: Turns) -> Talk:
        talk = Talk(self, other, turns)
        number = ports.own << 16 | ports.other  # any will do that is the same in every run
        talk.connection = Connection(talk, ports, number, self.wire.after)
        self.talks[other, ports.own, ports.other] = talk
        return talk

    def unreachable(self, packet: frames.Packet) -> None:
        self.seen["unreachable"] += 1

    def datagram(self, source: bytes, to: bytes, datagram: Datagram) -> None:
        if datagram.to == services.DHCP_SERVER and self.told.dhcp:
            answer = services.dhcp(datagram.held, self.ip, self.told.dhcp, MASK)
            if answer:
                self.seen["addresses given"] += 1
                self.send_datagram(
                    frames.ALL,
                    Datagram(services.DHCP_SERVER, services.DHCP_CLIENT, answer),
                )
            return
        if datagram.to == services.DNS and self.told.dns:
            answer = services.dns(datagram.held, self.told.dns)
        else:
            answer = self.told.udp.get(datagram.to)
            if answer is None:
                self.seen["not answered"] += to == self.ip
                return
        if answer:
            self.seen["answered"] += 1
            self.send_datagram(source, Datagram(datagram.to, datagram.source, answer))

    def segment(self, source: bytes, segment: Segment) -> None:
        talk = self.talks.get((source, segment.to, segment.source))
        if talk and not talk.ended:
            talk.connection.segment(segment)
        elif (
            segment.flags & (frames.SYN | frames.ACK) == frames.SYN and segment.to in self.told.tcp
        ):
            ports = Ports(segment.to, segment.source)
            talk = self._talk(source, ports, self.told.tcp[segment.to])
            talk.connection.accept(segment)
        else:
            self.reset_by(source, segment)

    def summary(self) -> dict[str, object]:
        found: dict[str, object] = {key: count for key, count in self.seen.items() if count}
        if self.calls:
            found["calls"] = [_told(call) for call in self.calls]
        return found


def _told(call: Talk) -> str:
    """How it ended, and the beginning of what was said."""
    first = call.said.decode("utf-8", "backslashreplace").partition("\n")[0].strip()
    return f"{call.ended or 'open'}, {len(call.said)} bytes" + (f": {first}" if first else "")
