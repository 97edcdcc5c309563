"""A USB device of ours on the usb-redir device of a stock QEMU.

    qemu-system-x86_64 ... -device qemu-xhci -chardev socket,id=can,path=PATH \\
        -device usb-redir,chardev=can

Time is passed in, so a machine that knows QEMU's virtual time can go in lock-step: let it run,
stop it, serve(now), and let it read what was sent before its time goes on (see unread()).
serve_forever() goes by the clock of the host instead.
"""

from __future__ import annotations

import fcntl
import select
import socket
import struct
import termios
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from takt.can import usb_redir as redir
from takt.can.usb_device import BABBLE, GONE, NAK, NEVER, STALL, UsbDevice
from takt.can.usb_redir import BulkHeader, ControlHeader, Framing, Packet

STATUS = {STALL: redir.STALLED, BABBLE: redir.BABBLED}
BULK_TYPE = 2


@dataclass
class Transfer:
    """A bulk transfer that waits."""

    id: int
    header: BulkHeader
    data: bytes


def listen(path: Path) -> socket.socket:
    """Where QEMU is to connect to: before it starts, so that there is nothing to wait for."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen(1)
    return listening


class UsbServer:
    """One device and its connection."""

    def __init__(self, device: UsbDevice, link: socket.socket) -> None:
        self.device, self.link = device, link
        self.link.setblocking(False)
        self.closed = False  # by QEMU
        self._framing = Framing()
        self._waiting: dict[int, deque[Transfer]] = {}
        self._connected = False
        self._out = bytearray(self._framing.hello())
        self._flush()

    # In and out

    def serve(self, now: int) -> None:
        """All that QEMU has sent, and all the device has done up to now."""
        self.device.advance(now)
        while data := self._receive():
            for packet in self._framing.feed(data):
                self._take(packet, now)
        self._follow_plug()
        while self._end_one(now):
            pass
        self._flush()

    def _receive(self) -> bytes:
        try:
            data = self.link.recv(1 << 18)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        self.closed = self.closed or not data
        return data

    def _flush(self) -> None:
        while self._out and not self.closed:
            try:
                sent = self.link.send(self._out)
            except BlockingIOError:
                return
            except OSError:
                self.closed = True
                return
            del self._out[:sent]

    def _send(self, kind: int, body: bytes = b"", id: int = 0) -> None:
        self._out += self._framing.pack(kind, body, id)

    def unread(self) -> int:
        """Bytes that were sent and that QEMU has not read yet."""
        if self.closed:
            return 0
        self._flush()
        told = fcntl.ioctl(self.link, termios.TIOCOUTQ, bytes(4))
        return len(self._out) + struct.unpack("<i", told)[0]

    @property
    def next(self) -> int:
        """When serve() will have something to do by itself, in ns; NEVER: when QEMU asks."""
        due = self.device.next
        return due if self._connected and any(self._waiting.values()) else NEVER

    # The device comes and goes

    def _follow_plug(self) -> None:
        if self._framing.caps is None:
            return
        plugged = bool(self.device.counters()["plugged"])
        if plugged and not self._connected:
            self._describe()
            who = self.device.identity()
            speed = 2 if who.high_speed else 1
            numbers = struct.pack("<HHH", who.vendor, who.product, who.version)
            self._send(redir.CONNECT, bytes([speed, *who.device_class]) + numbers)
        elif self._connected and not plugged:
            self._waiting.clear()
            self._send(redir.DISCONNECT)
        self._connected = plugged

    def _describe(self) -> None:
        who = self.device.identity()
        bulk = {endpoint.address: (BULK_TYPE, endpoint.packet) for endpoint in who.endpoints}
        self._send(redir.ENDPOINTS, redir.endpoints(bulk))
        self._send(redir.INTERFACES, redir.interfaces([who.interface_class]))

    # What QEMU asks

    def _take(self, packet: Packet, now: int) -> None:
        if packet.kind == redir.RESET:
            self._waiting.clear()
            self.device.reset(now)
        elif packet.kind == redir.CONTROL:
            self._control(packet, now)
        elif packet.kind == redir.BULK:
            header = BulkHeader.of(packet.body)
            transfer = Transfer(packet.id, header, packet.body[BulkHeader.FORMAT.size :])
            self._waiting.setdefault(header.endpoint, deque()).append(transfer)
        elif packet.kind == redir.CANCEL:
            self._cancel(packet.id)
        else:
            self._settings(packet, now)

    def _settings(self, packet: Packet, now: int) -> None:
        """Configurations and alternate settings have packets of their own."""
        if packet.kind == redir.SET_CONFIGURATION:
            done = self.device.control(now, bytes([0, 9, packet.body[0], 0, 0, 0, 0, 0]))
            self._describe()
            self._send(redir.CONFIGURATION, bytes([_status(done), packet.body[0]]), packet.id)
        elif packet.kind == redir.GET_CONFIGURATION:
            done = self.device.control(now, bytes([0x80, 8, 0, 0, 0, 0, 1, 0]))
            number = done[0] if isinstance(done, bytes) else 0
            self._send(redir.CONFIGURATION, bytes([_status(done), number]), packet.id)
        elif packet.kind in (redir.SET_ALT, redir.GET_ALT):
            chosen = packet.body[1] if packet.kind == redir.SET_ALT else 0
            setup = bytes([1, 11, chosen, 0, packet.body[0], 0, 0, 0])
            done = self.device.control(now, setup)
            self._send(redir.ALT, bytes([_status(done), packet.body[0], chosen]), packet.id)

    def _control(self, packet: Packet, now: int) -> None:
        header = ControlHeader.of(packet.body)
        data = packet.body[ControlHeader.FORMAT.size :]
        done = self.device.control(now, header.setup(), data)
        if isinstance(done, int):
            self._send(redir.CONTROL, header.answer(_status(done), b"", 0), packet.id)
            return
        length = len(done) if header.request_type & 0x80 else header.length
        self._send(redir.CONTROL, header.answer(redir.SUCCESS, done, length), packet.id)

    def _end_one(self, now: int) -> bool:
        """One endpoint's oldest transfer, if it can end; what it does may let another end."""
        for waiting in self._waiting.values():
            if waiting and self._try(waiting[0], now):
                waiting.popleft()
                return True
        return False

    def _try(self, transfer: Transfer, now: int) -> bool:
        """Whether the transfer is over."""
        header = transfer.header
        if header.endpoint & 0x80:
            done = self.device.read(now, header.endpoint, header.length)
        else:
            done = self.device.write(now, header.endpoint, transfer.data)
        if done == NAK:
            return False
        if done == GONE:
            return True  # QEMU ends it with the disconnection
        data = done if isinstance(done, bytes) else b""
        length = max(done, 0) if isinstance(done, int) else len(data)
        self._send(redir.BULK, header.answer(_status(done), data, length), transfer.id)
        return True

    def _cancel(self, id: int) -> None:
        for waiting in self._waiting.values():
            for transfer in waiting:
                if transfer.id == id:
                    waiting.remove(transfer)
                    body = transfer.header.answer(redir.CANCELLED, b"", 0)
                    self._send(redir.BULK, body, id)
                    return


def _status(done: bytes | int) -> int:
    if isinstance(done, bytes) or done >= 0:
        return redir.SUCCESS
    return STATUS.get(done, redir.IO_ERROR)


def serve_forever(servers: list[UsbServer], until_s: float = float("inf")) -> None:
    """By the host's clock, until every QEMU has gone or the time is up."""
    start = time.monotonic_ns()
    while any(not server.closed for server in servers):
        now = time.monotonic_ns() - start
        if now >= until_s * 1e9:
            return
        for server in servers:
            server.serve(now)
        wait = min(min(server.next for server in servers) - now, 100_000_000) / 1e9
        links = [server.link for server in servers if not server.closed]
        select.select(links, [], [], max(wait, 0))
