"""One of the W5500's sockets: its registers, its rings, and what its commands do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from takt.world.parts.net.frames import Datagram, Segment
from takt.world.parts.net.tcp import Connection, Owner, Ports, State

if TYPE_CHECKING:
    from takt.world.parts.net.chip import Chip

SIZE = 0x30  # of the registers
MR, CR, IR, SR, PORT, DHAR, DIPR, DPORT, MSSR, TOS, TTL = 0, 1, 2, 3, 4, 6, 12, 16, 18, 0x15, 0x16
RX_SIZE, TX_SIZE, TX_FSR, TX_RD, TX_WR = 0x1E, 0x1F, 0x20, 0x22, 0x24
RX_RSR, RX_RD, RX_WR, IMR, FRAG, KEEP = 0x26, 0x28, 0x2A, 0x2C, 0x2D, 0x2F
REGISTERS, TX, RX = 1, 2, 3  # kinds of blocks
READ_ONLY = {SR, *range(TX_FSR, TX_WR), *range(RX_RSR, RX_RD), RX_WR, RX_WR + 1}
CLOSED, INIT, LISTEN, UDP_OPEN = 0x00, 0x13, 0x14, 0x22
STATES = {
    State.CLOSED: CLOSED, State.SYN_SENT: 0x15, State.SYN_RECEIVED: 0x16,
    State.ESTABLISHED: 0x17, State.FIN_WAIT: 0x18, State.CLOSING: 0x1A,
    State.CLOSE_WAIT: 0x1C, State.LAST_ACK: 0x1D,
}  # fmt: skip
TCP, UDP = 1, 2  # of MR; MACRAW is 4
OPEN, TO_LISTEN, CONNECT, DISCONNECT, CLOSE, SEND, SEND_MAC, RECEIVE = (
    0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x21, 0x40,
)  # fmt: skip
CON, DISCON, RECV, TIMEOUT, SENDOK = 0x01, 0x02, 0x04, 0x08, 0x10  # of IR
SIZES = (0, 1, 2, 4, 8, 16)  # KB
KB = 1024
SPECIAL = 0xF0  # of MR: multicast and blocks of broadcasts


class Socket(Owner):
    def __init__(self, chip: Chip, number: int) -> None:
        self.chip, self.number = chip, number
        self.opened = 0  # times
        self.reset()

    def reset(self) -> None:
        self.held = bytearray(SIZE)
        self.held[TTL], self.held[IMR], self.held[RX_SIZE], self.held[TX_SIZE] = 0x80, 0xFF, 2, 2
        self.held[FRAG] = 0x40
        self.sent, self.come = bytearray(16 * KB), bytearray(16 * KB)
        self.kind, self.status, self.ir = 0, CLOSED, 0
        self.connection: Connection | None = None
        self._rewind()

    def _rewind(self) -> None:
        self.tx_read = self.tx_end = 0  # sent up to; to be sent up to
        self.rx_read = self.rx_write = 0
        self.owed = 0  # bytes of SEND that are not acknowledged
        for pointer in (TX_WR, RX_RD):
            self.held[pointer : pointer + 2] = b"\0\0"

    # Registers.

    def _two(self, at: int) -> int:
        return int.from_bytes(self.held[at : at + 2], "big")

    @property
    def port(self) -> int:
        return self._two(PORT)

    @property
    def imr(self) -> int:
        return self.held[IMR]

    @property
    def tx_size(self) -> int:
        return self.held[TX_SIZE] * KB

    @property
    def rx_size(self) -> int:
        return self.held[RX_SIZE] * KB

    def room(self) -> int:
        return self.rx_size - (self.rx_write - self.rx_read & 0xFFFF)

    def _status(self) -> int:
        return STATES[self.connection.state] if self.connection else self.status

    def read(self, kind: int, at: int) -> int:
        if kind == TX:
            return self.sent[at % self.tx_size] if self.tx_size else 0
        if kind == RX:
            return self.come[at % self.rx_size] if self.rx_size else 0
        if at >= SIZE:
            self.chip.strange["no such register"] += 1
            return 0
        words = {
            TX_FSR: self.tx_size - (self.tx_end - self.tx_read & 0xFFFF),
            TX_RD: self.tx_read,
            TX_WR: self.tx_end,  # as of the last SEND, whatever was written since
            RX_RSR: self.rx_write - self.rx_read & 0xFFFF,
            RX_WR: self.rx_write,
        }
        if at & ~1 in words:
            return words[at & ~1].to_bytes(2, "big")[at & 1]
        return {IR: self.ir, SR: self._status(), CR: 0}.get(at, self.held[at])

    def write(self, kind: int, at: int, value: int) -> None:
        if kind == TX:
            if self.tx_size:
                self.sent[at % self.tx_size] = value
        elif kind == RX:
            self.chip.strange["receive buffer written"] += 1
        elif at >= SIZE:
            self.chip.strange["no such register"] += 1
        elif at == CR:
            self._command(value)
        elif at == IR:
            self.ir &= ~value
            self.chip.interrupt()
        elif at in (RX_SIZE, TX_SIZE) and value not in SIZES:
            self.chip.strange["no such size of a buffer"] += 1
        elif at not in READ_ONLY:
            self.held[at] = value

    def interrupted(self, bits: int) -> None:
        self.ir |= bits
        self.chip.interrupt()

    # Commands.

    def _command(self, command: int) -> None:
        deeds = {
            OPEN: self._open,
            TO_LISTEN: self._listen,
            CONNECT: self._connect,
            DISCONNECT: self._disconnect,
            CLOSE: self._close,
            SEND: self._send,
            RECEIVE: self._received,
        }
        if command in deeds:
            deeds[command]()
        else:
            self.chip.strange[f"command {command:#04x}"] += 1

    def _open(self) -> None:
        mode = self.held[MR]
        self._close()
        self._rewind()
        if mode & 0x0F not in (TCP, UDP) or (mode & 0x0F == UDP and mode & SPECIAL):
            self.chip.strange[f"socket of mode {mode:#04x}"] += 1
            return
        self.kind, self.opened = mode & 0x0F, self.opened + 1
        self.status = INIT if self.kind == TCP else UDP_OPEN

    def _listen(self) -> None:
        if self._status() == INIT:
            self.status = LISTEN

    def listens(self) -> bool:
        return self._status() == LISTEN

    def _connect(self) -> None:
        if self._status() == INIT:
            self._talk(bytes(self.held[DIPR : DIPR + 4]), self._two(DPORT)).connect()

    def _talk(self, other: bytes, port: int) -> Connection:
        self.other = other
        number = (self.number << 28) + (self.opened << 20)  # the same in every run
        ports = Ports(self.port, port)
        self.connection = Connection(self, ports, number, self.chip.wire.after)
        self.connection.tries = self.chip.arp_tries - 1
        self.connection.wait_ns = self.chip.arp_ns
        return self.connection

    def talks_to(self, other: bytes, port: int) -> bool:
        connection = self.connection
        return bool(
            connection
            and connection.state is not State.CLOSED
            and (self.other, connection.ports.other) == (other, port)
        )

    def _disconnect(self) -> None:
        if self.connection:
            self.connection.close()

    def _close(self) -> None:
        if self.connection:
            self.connection.forget()
        self.connection, self.kind, self.status = None, 0, CLOSED

    def _send(self) -> None:
        """What lies between the place sent last and Sn_TX_WR."""
        start, self.tx_end = self.tx_end, self._two(TX_WR)
        count = self.tx_end - start & 0xFFFF
        size = self.tx_size
        if count > size or not size:
            self.chip.strange["more sent than the buffer holds"] += 1
            self.tx_end = start
            return
        data = bytes(self.sent[(start + k) % size] for k in range(count))
        if self.kind == UDP:
            self._send_datagram(data)
        elif self.connection and self._status() in (0x17, 0x1C):
            self.owed += count
            self.connection.send(data)
        else:
            self.chip.strange["SEND without a connection"] += 1

    def _send_datagram(self, data: bytes) -> None:
        to = bytes(self.held[DIPR : DIPR + 4])
        self.tx_read = self.tx_end
        datagram = Datagram(self.port, self._two(DPORT), data)
        self.chip.send_datagram(to, datagram, self.held[TOS], self.held[TTL])

    def _received(self) -> None:
        self.rx_read = self._two(RX_RD)
        if self.connection:
            self.connection.has_room()

    # What comes.

    def _keep(self, data: bytes) -> None:
        for byte in data:
            self.come[self.rx_write % self.rx_size] = byte
            self.rx_write = self.rx_write + 1 & 0xFFFF
        self.interrupted(RECV)

    def take_datagram(self, source: bytes, datagram: Datagram) -> None:
        """It lies behind its sender's address and its length."""
        words = (datagram.source, len(datagram.held))
        whole = source + b"".join(word.to_bytes(2, "big") for word in words) + datagram.held
        if len(whole) > self.room():
            self.chip.dropped += 1
        else:
            self._keep(whole)

    def take_segment(self, segment: Segment) -> None:
        assert self.connection
        self.connection.segment(segment)

    def take_caller(self, source: bytes, segment: Segment) -> None:
        self.held[DIPR : DIPR + 4] = source
        self.held[DPORT : DPORT + 2] = segment.source.to_bytes(2, "big")
        self._talk(source, segment.source).accept(segment)

    def talks_with(self, other: bytes) -> bool:
        return self.connection is not None and self.other == other

    def give_up(self) -> None:
        """No station has answered for the other end's address."""
        if self.connection:
            self.connection.forget()
            self.changed("timeout")

    # Its connection.

    def output(self, segment: Segment) -> None:
        self.chip.send_segment(self.other, segment, self.held[TOS], self.held[TTL])

    def received(self, data: bytes) -> None:
        self._keep(data)

    def acknowledged(self, count: int) -> None:
        self.tx_read = self.tx_read + count & 0xFFFF
        self.owed -= count
        if self.owed == 0:
            self.interrupted(SENDOK)

    def changed(self, why: str) -> None:
        bits = {"connected": CON, "remote closed": DISCON, "reset": DISCON, "timeout": TIMEOUT}
        if why in ("closed", "reset", "timeout"):
            self.connection, self.kind, self.status = None, 0, CLOSED
        self.interrupted(bits.get(why, 0))
