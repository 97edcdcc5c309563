"""The usbredir server, against the other end of the protocol as QEMU plays it."""

from __future__ import annotations

import contextlib
import socket
import struct

import pytest
from takt.can.usb_device import NEVER, UsbDevice
from takt.can.usb_redir import Framing, ProtocolError
from takt.can.usb_server import UsbServer
from takt.errors import UserError

MS = 1_000_000
CAPS = 0b1111_1010  # as QEMU 7.2 says, bulk streams excepted
HELLO, CONNECT, DISCONNECT, RESET, INTERFACES, ENDPOINTS, SET_CONFIGURATION = range(7)
CONFIGURATION, CANCEL, CONTROL, BULK = 8, 21, 100, 101
SUCCESS, CANCELLED, IO_ERROR, STALLED, BABBLED = 0, 1, 3, 4, 6


class Qemu:
    """The other end. It keeps what came as (type, id, body)."""

    def __init__(self, device: UsbDevice | None = None, caps: int = CAPS) -> None:
        self.device = device or UsbDevice()
        self.link, theirs = socket.socketpair()
        self.link.setblocking(False)
        self.server = UsbServer(self.device, theirs)
        self.now = 0
        self._held, self._long_ids = b"", False
        body = b"test".ljust(64, b"\0") + struct.pack("<I", caps)
        self.link.send(struct.pack("<III", HELLO, len(body), 0) + body)

    def exchange(self, *packets: tuple[int, int, bytes]) -> list[tuple[int, int, bytes]]:
        for kind, id, body in packets:
            self.link.send(struct.pack("<IIQ", kind, len(body), id) + body)
        self.server.serve(self.now)
        return self.received()

    def received(self) -> list[tuple[int, int, bytes]]:
        with contextlib.suppress(BlockingIOError):
            self._held += self.link.recv(1 << 20)
        packets = []
        while self._held:
            layout = struct.Struct("<IIQ" if self._long_ids else "<III")
            kind, length, id = layout.unpack_from(self._held)
            packets.append((kind, id, self._held[layout.size : layout.size + length]))
            self._held = self._held[layout.size + length :]
            self._long_ids = self._long_ids or kind == HELLO
        return packets

    def control(self, setup: bytes, data: bytes = b"") -> tuple[int, bytes]:
        kind, request, value, index, length = struct.unpack("<BBHHH", setup)
        body = struct.pack("<BBBBHHH", 0x80 & kind, request, kind, 0, value, index, length)
        ((_, id, answer),) = self.exchange((CONTROL, 7, body + data))
        assert id == 7
        return answer[3], answer[10:]

    def configured(self) -> Qemu:
        self.exchange((SET_CONFIGURATION, 1, b"\1"))
        return self

    def read(self, id: int, size: int = 4096, endpoint: int = 0x82):
        return self.exchange((BULK, id, bulk(endpoint, size)))

    def write(self, id: int, data: bytes):
        return self.exchange((BULK, id, bulk(0x02, len(data)) + data))


def bulk(endpoint: int, size: int) -> bytes:
    return struct.pack("<BBHIH", endpoint, 0, size & 0xFFFF, 0, size >> 16)


def command(number: int, to: int = 0x3E) -> bytes:
    return bytes([number, to, 1, 0]).ljust(32, b"\0")


def test_it_introduces_its_device():
    kinds = {kind: body for kind, _, body in Qemu().exchange()}
    assert list(kinds) == [HELLO, ENDPOINTS, INTERFACES, CONNECT]
    assert struct.unpack("<BBBBHHH", kinds[CONNECT]) == (2, 0xFF, 0, 0, 0x0BFD, 0x0105, 0x0100)
    types, sizes = kinds[ENDPOINTS][:32], struct.unpack_from("<32H", kinds[ENDPOINTS], 96)
    assert [types[0], types[16], types[2], types[18], types[1]] == [0, 0, 2, 2, 255]
    assert (sizes[2], sizes[18], len(kinds[ENDPOINTS])) == (512, 512, 160)
    assert kinds[INTERFACES][:4] == b"\1\0\0\0" and kinds[INTERFACES][36] == 0xFF


def test_a_gs_usb_is_a_full_speed_device():
    connect = Qemu(UsbDevice("gs")).exchange()[-1][2]
    assert struct.unpack("<BBBBHHH", connect)[:1] == (1,)
    assert struct.unpack("<BBBBHHH", connect)[4:6] == (0x1D50, 0x606F)


def test_nothing_but_the_hello_goes_before_the_other_hello():
    ours, theirs = socket.socketpair()
    UsbServer(UsbDevice(), theirs).serve(0)
    ours.setblocking(False)
    said = ours.recv(1 << 16)
    assert said[:4] == b"\0\0\0\0" and len(said) == 12 + 68


def test_control_requests_are_answered():
    qemu = Qemu()
    qemu.exchange()
    status, device = qemu.control(bytes([0x80, 6, 0, 1, 0, 0, 18, 0]))
    assert status == SUCCESS and device[8:12] == b"\xfd\x0b\x05\x01"
    assert qemu.control(bytes([0xC0, 99, 0, 0, 0, 0, 4, 0])) == (STALLED, b"")


def test_configuring_tells_the_endpoints_anew():
    qemu = Qemu()
    qemu.exchange()
    answers = qemu.exchange((SET_CONFIGURATION, 5, b"\1"))
    assert [kind for kind, _, _ in answers] == [ENDPOINTS, INTERFACES, CONFIGURATION]
    assert answers[-1][1:] == (5, b"\0\1")


def test_a_read_waits_for_data_and_reads_end_in_order():
    qemu = Qemu().configured()
    assert qemu.read(1) == [] and qemu.read(2) == []
    answers = qemu.write(3, command(34))
    ends = [(id, body[0], body[1], len(body) - 10) for kind, id, body in answers]
    assert sorted(ends) == [(1, 0x82, SUCCESS, 32), (3, 0x02, SUCCESS, 0)]
    assert [id for _, id, _ in qemu.write(4, command(38))] in ([2, 4], [4, 2])


def test_frames_come_when_their_time_comes():
    qemu = Qemu().configured()
    parameters = bytes([16, 2, 1, 0]) + (500_000).to_bytes(4, "little") + bytes([13, 2, 1, 1])
    qemu.write(1, parameters.ljust(32, b"\0") + command(26, 2))
    assert len(qemu.read(2)[0][2]) == 10 + 3 * 32
    assert qemu.server.next == NEVER
    qemu.device.inject(5 * MS, 0, 0x123, b"abc")
    assert qemu.read(3) == []
    assert qemu.server.next == 5 * MS
    qemu.now = 5 * MS - 1
    assert qemu.exchange() == []
    qemu.now += 1
    ((_, id, body),) = qemu.exchange()
    assert id == 3 and body[10] == 106 and body[30:33] == b"abc"


def test_a_transfer_is_cancelled():
    qemu = Qemu().configured()
    qemu.read(1)
    ((kind, id, body),) = qemu.exchange((CANCEL, 1, b""))
    assert (kind, id, body[1]) == (BULK, 1, CANCELLED)
    assert [id for _, id, _ in qemu.write(2, command(34))] == [2]


@pytest.mark.parametrize(
    ("fault", "status"), [("stall", STALLED), ("error", IO_ERROR), ("babble", BABBLED)]
)
def test_faults_are_statuses(fault, status):
    qemu = Qemu().configured()
    qemu.device.fault(fault, argument=0x82)
    assert qemu.read(1)[0][2][1] == status


def test_it_is_pulled_out_and_put_in():
    qemu = Qemu().configured()
    qemu.read(1)
    qemu.device.fault("unplug", ns=MS)
    qemu.now = MS
    assert [kind for kind, _, _ in qemu.exchange()] == [DISCONNECT]
    qemu.device.plug(qemu.now, True)
    assert [kind for kind, _, _ in qemu.exchange()] == [ENDPOINTS, INTERFACES, CONNECT]
    assert qemu.configured().read(2) == []


def test_a_reset_ends_what_waits():
    qemu = Qemu().configured()
    qemu.read(1)
    assert qemu.exchange((RESET, 0, b"")) == []
    assert qemu.device.counters()["configured"] == 0


def test_packets_may_come_in_pieces():
    qemu = Qemu()
    qemu.exchange()
    body = bytes([0x80, 8, 0x80, 0, 0, 0, 0, 0, 1, 0])
    for byte in struct.pack("<IIQ", CONTROL, 10, 9) + body:
        assert qemu.received() == []
        qemu.link.send(bytes([byte]))
        qemu.server.serve(0)
    assert qemu.received()[0][:2] == (CONTROL, 9)


def test_unread_bytes_are_counted():
    qemu = Qemu()
    qemu.server.serve(0)
    assert qemu.server.unread() > 300
    qemu.received()
    assert qemu.server.unread() == 0


def test_a_qemu_that_ends_closes_the_server():
    qemu = Qemu()
    qemu.link.close()
    qemu.server.serve(0)
    assert qemu.server.closed


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<III", CONTROL, 10, 1) + bytes(10),  # before the hello
        struct.pack("<III", HELLO, 3, 0) + bytes(3),
        struct.pack("<III", HELLO, 1 << 30, 0),
        struct.pack("<III", HELLO, 68, 0) + bytes(68),  # lacks what is needed
    ],
)
def test_what_is_no_usbredir_is_refused(data):
    with pytest.raises(ProtocolError):
        list(Framing().feed(data))


def test_bad_settings_are_refused_by_name():
    with pytest.raises(UserError, match="bulk"):
        UsbDevice(bulk=1)
    with pytest.raises(UserError, match="channels"):
        UsbDevice(channels=6)
    with pytest.raises(UserError, match="leaf"):
        UsbDevice("leaf")
    with pytest.raises(UserError, match="melt"):
        UsbDevice().fault("melt")
