"""One end of a TCP connection (RFC 9293), for the chip and for hosts.

What has come in order is taken and acknowledged at once; what has not is not kept. What is not
acknowledged is sent again, each time after twice the pause. No congestion is looked for: there is
one wire. After both have closed, a connection is over without waiting.

    CLOSED -> SYN_SENT -> ESTABLISHED -> FIN_WAIT --------------> CLOSED
    LISTEN -> SYN_RECEIVED ^    |            |-> CLOSING -> CLOSED
                                '-> CLOSE_WAIT -> LAST_ACK -> CLOSED
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from takt.world.parts.net.frames import ACK, FIN, PSH, RST, SYN, Segment

MOST = 1460  # bytes of a segment
MODULUS = 1 << 32
TRIES, WAIT_NS = 8, 200_000_000


class State(Enum):
    SYN_SENT = auto()
    SYN_RECEIVED = auto()
    ESTABLISHED = auto()
    FIN_WAIT = auto()  # 1 and 2
    CLOSING = auto()
    CLOSE_WAIT = auto()
    LAST_ACK = auto()
    CLOSED = auto()


class Owner:
    """What a connection tells; `room` is asked."""

    def output(self, segment: Segment) -> None: ...

    def room(self) -> int:
        """Bytes that may come."""
        return 65535

    def received(self, data: bytes) -> None: ...

    def changed(self, why: str) -> None:
        """Of state: "connected", "remote closed", "closed", "reset", "timeout"."""

    def acknowledged(self, count: int) -> None:
        """So many bytes of what was sent are there."""


@dataclass
class Ports:
    own: int
    other: int


class Connection:
    def __init__(
        self, owner: Owner, ports: Ports, number: int, after: Callable[[int, Callable], None]
    ) -> None:
        self.owner, self.ports, self._after = owner, ports, after
        self.state = State.CLOSED
        self.first = self.next = number  # not acknowledged yet; sent next
        self.expected = 0  # of the other
        self.window, self.most = 0, MOST  # of the other
        self.unsent = bytearray()  # from `first` on: not acknowledged, or not sent
        self.told = 0  # our window, as last sent
        self.closing = self.fin_sent = False
        self.tries, self.wait_ns, self._armed = TRIES, WAIT_NS, False

    # What the owner does.

    def connect(self) -> None:
        self.state = State.SYN_SENT
        self._send(SYN)
        self.next = self._plus(self.first, 1)
        self._arm(self.wait_ns, self.tries)

    def accept(self, segment: Segment) -> None:
        """The other end's SYN."""
        self._syn(segment)
        self.state = State.SYN_RECEIVED
        self._send(SYN | ACK)
        self.next = self._plus(self.first, 1)
        self._arm(self.wait_ns, self.tries)

    def send(self, data: bytes) -> None:
        self.unsent += data
        self._pump()

    def close(self) -> None:
        """After what is still to be sent."""
        if self.state in (State.ESTABLISHED, State.CLOSE_WAIT):
            self.closing = True
            waits = self.state is State.CLOSE_WAIT
            self.state = State.LAST_ACK if waits else State.FIN_WAIT
            self._pump()
        elif self.state in (State.SYN_SENT, State.SYN_RECEIVED):
            self._end("closed")

    def forget(self) -> None:
        """Closes without a word."""
        self.state = State.CLOSED

    def has_room(self) -> None:
        """There is more of it: the other end is told if that matters."""
        room = self.owner.room()
        if self.told < self.most <= room or (self.told == 0 < room):
            self._send(ACK)

    # Out.

    def _plus(self, number: int, count: int) -> int:
        return (number + count) % MODULUS

    def _flight(self) -> int:
        """Of the sequence, sent and not acknowledged."""
        return (self.next - self.first) % MODULUS

    def _send(self, flags: int, held: bytes = b"", number: int | None = None) -> None:
        self.told = min(self.owner.room(), 65535)
        self.owner.output(
            Segment(
                self.ports.own, self.ports.other, self.next if number is None else number,
                self.expected if flags & ACK else 0, flags, self.told, held,
                MOST if flags & SYN else None,
            )
        )  # fmt: skip

    def _pump(self) -> None:
        """Sends what the other end has room for."""
        if self.state in (State.SYN_SENT, State.SYN_RECEIVED, State.CLOSED):
            return
        while not self.fin_sent:
            flight = self._flight()
            count = min(len(self.unsent) - flight, self.window - flight, self.most)
            if count > 0:
                part = bytes(self.unsent[flight : flight + count])
                self._send(ACK | PSH, part)
                self.next = self._plus(self.next, count)
            elif self.closing and flight == len(self.unsent):
                self._send(FIN | ACK)
                self.next, self.fin_sent = self._plus(self.next, 1), True
            else:
                break
        if self._flight() or len(self.unsent):
            self._arm(self.wait_ns, self.tries)

    def _arm(self, ns: int, tries: int) -> None:
        if not self._armed:
            self._armed = True
            first = self.first
            self._after(ns, lambda: self._late(first, ns, tries))

    def _late(self, first: int, ns: int, tries: int) -> None:
        """Nothing has been acknowledged since, or all that was to be."""
        self._armed = False
        if self.state is State.CLOSED or not (self._flight() or self.unsent):
            return
        if self.first != first:
            self._arm(self.wait_ns, self.tries)
        elif tries == 0:
            self._end("timeout")
        else:
            self._again()
            self._arm(2 * ns, tries - 1)

    def _again(self) -> None:
        if self.state is State.SYN_SENT:
            self._send(SYN, number=self.first)
        elif self.state is State.SYN_RECEIVED:
            self._send(SYN | ACK, number=self.first)
        elif part := bytes(self.unsent[: self.most]):
            self._send(ACK | PSH, part, self.first)  # of a closed window a probe
            if self._flight() < len(part):
                self.next = self._plus(self.first, len(part))
        elif self.fin_sent:
            self._send(FIN | ACK, number=self.first)

    def _end(self, why: str) -> None:
        self.state = State.CLOSED
        self.owner.changed(why)

    # In.

    def _syn(self, segment: Segment) -> None:
        self.expected = self._plus(segment.sequence, 1)
        self.window = segment.window
        self.most = min(MOST, segment.most or 536)

    def segment(self, segment: Segment) -> None:
        """One of the other end."""
        if self.state is State.SYN_SENT:
            self._answer_to_syn(segment)
            return
        if segment.flags & RST:
            if segment.sequence == self.expected:
                self._end("reset")
            return
        if segment.sequence != self.expected or segment.flags & SYN:
            if segment.length:
                self._send(ACK)  # it is not what is waited for
            return
        if segment.flags & ACK:
            self._acknowledge(segment)
        if self.state is not State.CLOSED:
            self._take(segment)
        if self.state is not State.CLOSED:
            self._pump()

    def _answer_to_syn(self, segment: Segment) -> None:
        good = segment.flags & ACK and segment.acknowledged == self.next
        if not good:
            return
        if segment.flags & RST:
            self._end("reset")
        elif segment.flags & SYN:
            self._syn(segment)
            self.first = self.next
            self.state = State.ESTABLISHED
            self._send(ACK)
            self.owner.changed("connected")
            self._pump()

    def _acknowledge(self, segment: Segment) -> None:
        count = (segment.acknowledged - self.first) % MODULUS
        if count > self._flight():
            return
        self.window = segment.window
        if self.state is State.SYN_RECEIVED and count:
            self.first, count = self._plus(self.first, 1), count - 1
            self.state = State.ESTABLISHED
            self.owner.changed("connected")
        data = min(count, len(self.unsent))
        del self.unsent[:data]
        self.first = self._plus(self.first, count)
        if data:
            self.owner.acknowledged(data)
        if self.fin_sent and self.first == self.next:
            self._fin_is_there()

    def _fin_is_there(self) -> None:
        if self.state in (State.LAST_ACK, State.CLOSING):
            self._end("closed")

    def _take(self, segment: Segment) -> None:
        """Data and the end of data."""
        data = segment.held[: self.owner.room()]
        if data:
            self.expected = self._plus(self.expected, len(data))
            self.owner.received(data)
        ends = segment.flags & FIN and len(data) == len(segment.held)
        if ends:
            self.expected = self._plus(self.expected, 1)
        if segment.length:
            self._send(ACK)
        if ends:
            self._other_has_closed()

    def _other_has_closed(self) -> None:
        if self.state is State.FIN_WAIT:
            if self.fin_sent and self.first == self.next:
                self._end("closed")
            else:
                self.state = State.CLOSING
        elif self.state in (State.ESTABLISHED, State.SYN_RECEIVED):
            self.state = State.CLOSE_WAIT
            self.owner.changed("remote closed")
