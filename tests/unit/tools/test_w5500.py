"""The Ethernet chip against hosts of its world; scapy decodes all that was on the cable."""

from __future__ import annotations

import logging
from itertools import pairwise
from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.errors import UserError
from takt.world.bench import Bench
from takt.world.parts.net import services
from takt.world.world import load

logging.getLogger("scapy").setLevel(logging.ERROR)
from scapy.layers.dhcp import BOOTP, DHCP  # noqa: E402
from scapy.layers.dns import DNS, DNSQR  # noqa: E402
from scapy.layers.inet import ICMP, IP, TCP, UDP  # noqa: E402
from scapy.layers.l2 import ARP, Ether  # noqa: E402
from scapy.packet import Raw  # noqa: E402
from scapy.utils import rdpcap, wrpcap  # noqa: E402

PINS = {f"GP{n}": n for n in range(30)}
MS = 125_000
MAC, IP_OWN, HOST = "02:11:22:33:44:55", "192.168.1.50", "192.168.1.9"
PLAYED = "02:aa:aa:aa:aa:aa"  # of frames in a file
WORLD = '[parts.net]\ntype = "w5500"\nselect = 5\ninterrupt = 6\n'
COMMON, SOCKET, TX, RX = 0, 1, 2, 3
CLOSED, INIT, LISTEN, ESTABLISHED, CLOSE_WAIT, UDP_OPEN = 0, 0x13, 0x14, 0x17, 0x1C, 0x22
OPEN, TO_LISTEN, CONNECT, DISCON, CLOSE, SEND, RECV = 1, 2, 4, 8, 0x10, 0x20, 0x40
IR_CON, IR_DISCON, IR_RECV, IR_TIMEOUT, IR_SENDOK = 1, 2, 4, 8, 0x10


def address(text):
    return bytes(map(int, text.split(".")))


class Driver:
    """What a program does with the chip. Sockets' blocks are 4 n + 1 to 4 n + 3."""

    def __init__(self, folder, hosts="", more="", setup=True):
        (folder / "world.toml").write_text(WORLD + more + hosts)
        self.folder, self.machine = folder, FakeMachine()
        self.bench = Bench(self.machine, load(folder, SimpleNamespace(pins=PINS)), self.machine.hz)
        self.device = self.machine.spi[0, 5]
        if setup:
            self.write(0, 1, address("192.168.1.1") + address("255.255.255.0"))
            self.write(0, 9, bytes.fromhex(MAC.replace(":", "")) + address(IP_OWN))

    def exchange(self, block, at, data, write, mode=0):
        self.device.select()
        for byte in (at >> 8, at & 0xFF, block << 3 | write << 2 | mode):
            self.device.transfer(byte, 8)
        found = bytes(self.device.transfer(byte, 8) for byte in data)
        self.device.deselect()
        return found

    def write(self, block, at, data):
        self.exchange(block, at, data, True)

    def read(self, block, at, count):
        return self.exchange(block, at, bytes(count), False)

    def number(self, block, at, count=2):
        return int.from_bytes(self.read(block, at, count), "big")

    def wait(self, ms=5):
        self.bench.run(self.machine.now + round(ms * MS))

    # Sockets.

    def open(self, n, mode, port):
        self.write(4 * n + SOCKET, 0, bytes([mode]))
        self.write(4 * n + SOCKET, 4, port.to_bytes(2, "big"))
        self.command(n, OPEN)

    def command(self, n, command):
        self.write(4 * n + SOCKET, 1, bytes([command]))
        assert self.read(4 * n + SOCKET, 1, 1) == b"\0"

    def aim(self, n, to, port):
        self.write(4 * n + SOCKET, 12, address(to) + port.to_bytes(2, "big"))

    def status(self, n):
        return self.number(4 * n + SOCKET, 3, 1)

    def happened(self, n):
        """Interrupts, which are cleared."""
        found = self.number(4 * n + SOCKET, 2, 1)
        self.write(4 * n + SOCKET, 2, bytes([found]))
        return found

    def send(self, n, data):
        at = self.number(4 * n + SOCKET, 0x24)
        self.write(4 * n + TX, at, data)
        self.write(4 * n + SOCKET, 0x24, (at + len(data) & 0xFFFF).to_bytes(2, "big"))
        self.command(n, SEND)

    def take(self, n, count=None):
        have = self.number(4 * n + SOCKET, 0x26)
        count = have if count is None else min(count, have)
        at = self.number(4 * n + SOCKET, 0x28)
        data = self.read(4 * n + RX, at, count)
        self.write(4 * n + SOCKET, 0x28, (at + count & 0xFFFF).to_bytes(2, "big"))
        self.command(n, RECV)
        return data

    # The cable.

    def frames(self):
        """All that were on it, each of which scapy would have made just so."""
        path = self.folder / "cable.pcap"
        path.write_bytes(self.bench.files()["net.pcap"])
        found = list(rdpcap(str(path)))
        for frame in found:
            if frame.src == PLAYED:
                continue
            assert len(frame) >= 60
            again = frame.copy()
            for layer, names in ((IP, ("len", "chksum")), (UDP, ("len", "chksum")),
                                 (TCP, ("chksum", "dataofs")), (ICMP, ("chksum",))):  # fmt: skip
                if layer in again:
                    for name in names:
                        delattr(again[layer], name)
            assert bytes(again) == bytes(frame), frame.show(dump=True)
        times = [frame.time for frame in found]
        assert times == sorted(times)
        return found

    def said(self, source):
        """The bytes of a TCP stream, put in order by their numbers."""
        parts, first = {}, None
        for frame in self.frames():
            if TCP not in frame or frame[IP].src != source:
                continue
            segment = frame[TCP]
            if segment.flags.S:
                first = segment.seq + 1
            held = bytes(segment.payload)[: frame[IP].len - 40 - (4 if segment.flags.S else 0)]
            if held:
                parts[segment.seq] = held
        whole = b""
        for number in sorted(parts):
            assert number == first + len(whole)
            whole += parts[number]
        return whole


def table(ip=HOST, **rows):
    """A host of the world."""
    text = "".join(f"{key} = {value}\n" for key, value in rows.items())
    return f'[[parts.net.hosts]]\nip = "{ip}"\n{text}'


def test_registers_after_power_on(tmp_path):
    chip = Driver(tmp_path, setup=False)
    assert chip.read(0, 0x39, 1) == b"\4" and chip.number(0, 0x2E, 1) & 7 == 7
    assert chip.read(0, 0x19, 3) == b"\x07\xd0\x08" and chip.read(0, 0, 0x13) == bytes(0x13)
    for n in range(8):
        block = 4 * n + SOCKET
        assert chip.read(block, 0x1E, 4) == b"\2\2\x08\0" and chip.status(n) == CLOSED
        assert chip.read(block, 0x16, 1) == b"\x80" and chip.number(block, 0x20) == 2048
    chip.write(0, 0x39, rb"\9")
    assert chip.read(0, 0x39, 1) == b"\4"
    chip.write(0, 15, address(IP_OWN))
    chip.write(0, 0, b"\x80")
    assert chip.read(0, 15, 4) == bytes(4)


def test_modes_of_the_frame(tmp_path):
    chip = Driver(tmp_path)
    assert chip.exchange(0, 15, bytes(6), False, mode=2) == address(IP_OWN)[:2] + bytes(4)
    chip.exchange(0, 15, b"\1\2\3\4\5\6", True, mode=3)
    assert chip.read(0, 15, 4) == b"\1\2\3\4" and chip.read(0, 0x13, 2) == b"\0\0"
    chip.machine.spi_mode = 1
    assert chip.read(0, 0x39, 1) == b"\0"
    assert chip.bench.summary()["net"]["selected in a wrong SPI mode"] == 1


def test_a_datagram_goes_and_is_answered(tmp_path):
    chip = Driver(tmp_path, table(udp='[[7, "hex 00 ff 10"]]'))
    chip.open(2, 2, 4000)
    assert chip.status(2) == UDP_OPEN
    chip.aim(2, HOST, 7)
    chip.send(2, b"hello")
    assert chip.happened(2) == 0, "the address is looked for"
    chip.wait()
    assert chip.happened(2) == IR_SENDOK | IR_RECV
    assert chip.take(2) == address(HOST) + b"\x00\x07" + b"\x00\x03" + b"\x00\xff\x10"
    kinds = [frame.summary().split(" / ")[1].split()[0] for frame in chip.frames()]
    assert kinds == ["ARP", "ARP", "IP", "IP"]
    out = chip.frames()[2]
    assert (out[IP].src, out[IP].dst, out.src) == (IP_OWN, HOST, MAC)
    assert (out[UDP].sport, out[UDP].dport, out[Raw].load[:5]) == (4000, 7, b"hello")
    assert chip.bench.summary()["net"][HOST] == {"answered": 1}
    chip.write(4 * 2 + SOCKET, 0x24, b"\x12\x34")
    assert chip.number(4 * 2 + SOCKET, 0x24) == 5, "a pointer counts from SEND on"
    chip.send(2, b"again")
    assert chip.happened(2) == IR_SENDOK, "the address is known"


def test_packets_for_others_go_to_the_gateway(tmp_path):
    chip = Driver(tmp_path, table("192.168.1.1"))
    chip.open(0, 2, 4000)
    chip.aim(0, "8.8.8.8", 53)
    chip.send(0, b"?")
    chip.wait()
    asked, answer, out = chip.frames()
    assert asked[ARP].pdst == "192.168.1.1" and out.dst == answer[ARP].hwsrc
    assert out[IP].dst == "8.8.8.8"
    chip.aim(0, "192.168.1.255", 9)
    chip.send(0, b"all")
    assert chip.frames()[-1].dst == "ff:ff:ff:ff:ff:ff"


def test_an_address_that_nobody_has(tmp_path):
    chip = Driver(tmp_path)
    chip.write(0, 0x19, b"\x00\x64\x02")  # 10 ms, two more times
    chip.open(0, 2, 4000)
    chip.aim(0, HOST, 7)
    chip.send(0, b"x")
    chip.wait(29)
    assert chip.happened(0) == 0
    chip.wait(2)
    assert chip.happened(0) == IR_TIMEOUT and chip.status(0) == UDP_OPEN
    assert [frame[ARP].op for frame in chip.frames()] == [1, 1, 1]
    chip.open(1, 1, 4001)
    chip.aim(1, HOST, 80)
    chip.command(1, CONNECT)
    chip.wait(100)
    assert chip.happened(1) == IR_TIMEOUT and chip.status(1) == CLOSED


def test_datagrams_that_come(tmp_path):
    hosts = table(send='[["10 ms", 4000, "one"], ["20 ms", 4000, "two"], ["30 ms", 1, "no"]]')
    chip = Driver(tmp_path, hosts)
    chip.open(3, 2, 4000)
    chip.write(4 * 3 + SOCKET, 0x1E, b"\1")
    chip.wait(50)
    data = chip.take(3)
    assert data[:4] == address(HOST) and data[6:11] == b"\0\3one" and data[-3:] == b"two"
    assert chip.bench.summary()["net"]["datagrams dropped"] == 1  # for no socket


def test_what_has_no_room_is_dropped(tmp_path):
    text = "x" * 600
    chip = Driver(tmp_path, table(send=f'[["1 ms", 4000, "{text}"], ["2 ms", 4000, "{text}"]]'))
    chip.open(0, 2, 4000)
    chip.write(SOCKET, 0x1E, b"\1")
    chip.wait(20)
    assert chip.number(SOCKET, 0x26) == 608
    chip.take(0)
    assert chip.bench.summary()["net"]["datagrams dropped"] == 1


def test_a_connection_to_a_server(tmp_path):
    answer = "a" * 3000
    chip = Driver(tmp_path, table(tcp=f'[[80, "\\r\\n\\r\\n", "{answer}"]]'))
    chip.open(1, 1, 5000)
    assert chip.status(1) == INIT
    chip.aim(1, HOST, 80)
    chip.command(1, CONNECT)
    chip.wait()
    assert chip.status(1) == ESTABLISHED and chip.happened(1) == IR_CON
    chip.send(1, b"GET / HTTP/1.0\r\n")
    assert chip.happened(1) == 0
    assert chip.number(4 + SOCKET, 0x20) == 2048 - 16
    chip.wait()
    assert chip.happened(1) == IR_SENDOK and chip.number(4 + SOCKET, 0x20) == 2048
    chip.send(1, b"\r\n")
    chip.wait()
    assert chip.happened(1) & IR_RECV and chip.number(4 + SOCKET, 0x26) == 2048
    chip.wait(100)
    assert chip.number(4 + SOCKET, 0x26) == 2048, "there is no room for more"
    got = chip.take(1, 700)
    chip.wait(2)
    assert chip.number(4 + SOCKET, 0x26) == 2048, "the other end was told at once"
    while chip.status(1) != CLOSE_WAIT or chip.number(4 + SOCKET, 0x26):
        got += chip.take(1, 700)
        chip.wait()
    assert got == answer.encode() and chip.happened(1) & IR_DISCON
    chip.command(1, DISCON)
    chip.wait()
    assert chip.status(1) == CLOSED
    assert chip.said(IP_OWN) == b"GET / HTTP/1.0\r\n\r\n" and chip.said(HOST) == got
    flags = [str(frame[TCP].flags) for frame in chip.frames() if TCP in frame]
    assert flags[:3] == ["S", "SA", "A"] and flags.count("FA") == 2 and "R" not in "".join(flags)
    windows = [f[TCP].window for f in chip.frames() if TCP in f and f[IP].src == IP_OWN]
    assert 0 in windows and max(windows) == 2048


def test_much_is_sent_through_a_ring(tmp_path):
    chip = Driver(tmp_path, table(tcp='[[9, "end", "thanks"]]'))
    chip.open(0, 1, 5000)
    chip.aim(0, HOST, 9)
    chip.command(0, CONNECT)
    chip.wait()
    sent = b""
    for n in range(60):
        piece = bytes((n + k) % 251 for k in range(1 + 37 * n % 2000))
        chip.send(0, piece)
        chip.wait()
        sent += piece
    chip.send(0, b"end")
    chip.wait()
    assert chip.said(IP_OWN) == sent + b"end" and chip.take(0) == b"thanks"
    assert max(len(f[TCP].payload) for f in chip.frames() if TCP in f) == 1460


def test_a_server_that_speaks_first_and_has_turns(tmp_path):
    chip = Driver(tmp_path, table(tcp='[[23, "", "name? ", "\\n", "word? ", "\\n", "bye"]]'))
    chip.open(0, 1, 5000)
    chip.aim(0, HOST, 23)
    chip.command(0, CONNECT)
    for question, answer in ((b"name? ", b"ann\n"), (b"word? ", b"x\ny\n")):
        chip.wait()
        assert chip.take(0) == question and chip.status(0) == ESTABLISHED
        chip.send(0, answer)
    chip.wait()
    assert chip.take(0) == b"bye" and chip.status(0) == CLOSE_WAIT


def test_a_caller(tmp_path):
    chip = Driver(tmp_path, table(connect='[["10 ms", 80, "hello"], ["50 ms", 81, "x"]]'))
    for n in (0, 1):
        chip.open(n, 1, 80)
        chip.command(n, TO_LISTEN)
    assert chip.status(0) == chip.status(1) == LISTEN
    chip.wait(20)
    assert (chip.status(0), chip.status(1)) == (ESTABLISHED, LISTEN)
    assert chip.happened(0) == IR_CON | IR_RECV and chip.take(0) == b"hello"
    assert chip.read(SOCKET, 12, 4) == address(HOST)
    chip.send(0, b"welcome")
    chip.wait()
    chip.command(0, DISCON)
    chip.wait(50)
    assert chip.status(0) == CLOSED
    assert chip.bench.summary()["net"][HOST]["calls"] == [
        "closed, 7 bytes: welcome",
        "reset, 0 bytes",
    ]
    chip.frames()


def test_a_port_where_nobody_listens(tmp_path):
    chip = Driver(tmp_path, table())
    chip.open(0, 1, 5000)
    chip.aim(0, HOST, 80)
    chip.command(0, CONNECT)
    chip.wait()
    assert chip.status(0) == CLOSED and chip.happened(0) == IR_DISCON
    assert str(chip.frames()[-1][TCP].flags) == "RA"


def played(folder, *packets, hosts="", gap=0.01):
    """A chip to which frames come that scapy has made, 10 ms after another."""
    for n, packet in enumerate(packets, 1):
        packet.time = n * gap
    wrpcap(str(folder / "in.pcap"), list(packets))
    return Driver(folder, hosts, 'play = "in.pcap"\n')


def to_chip(**how):
    return Ether(src=PLAYED, dst=MAC) / IP(src="192.168.1.77", dst=IP_OWN, **how)


def test_frames_of_a_file(tmp_path):
    asks = Ether(src=PLAYED, dst="ff:ff:ff:ff:ff:ff") / ARP(
        op=1, hwsrc=PLAYED, psrc="192.168.1.77", pdst=IP_OWN
    )
    damaged = to_chip() / UDP(sport=1, dport=4000, chksum=0x1234) / b"bad"
    other = Ether(src=PLAYED, dst="02:99:99:99:99:99") / IP(dst=IP_OWN) / UDP(dport=4000)
    chip = played(
        tmp_path, asks, to_chip() / ICMP(id=7, seq=3) / b"ping pong", damaged, other,
        to_chip() / UDP(sport=1, dport=4000) / b"good", to_chip() / TCP(sport=9, dport=80, seq=5),
        to_chip(flags="MF") / UDP(sport=1, dport=4000) / b"a fragment",
    )  # fmt: skip
    chip.open(0, 2, 4000)
    chip.wait(100)
    mine = [frame for frame in chip.frames() if frame.src == MAC]
    assert mine[0][ARP].op == 2 and mine[0][ARP].psrc == IP_OWN
    assert mine[1][ICMP].type == 0 and (mine[1][ICMP].id, mine[1][ICMP].seq) == (7, 3)
    assert bytes(mine[1][ICMP].payload)[:9] == b"ping pong"
    assert str(mine[2][TCP].flags) == "RA" and mine[2][TCP].ack == 6 and len(mine) == 3
    assert chip.take(0)[8:] == b"good" and chip.number(SOCKET, 0x26) == 0
    came = [frame for frame in chip.frames() if frame.src != MAC]
    assert abs(float(came[0].time) - 0.01) < 1e-6


def test_no_pings(tmp_path):
    chip = played(tmp_path, to_chip() / ICMP())
    chip.write(0, 0, b"\x10")
    chip.wait(50)
    assert [frame.src for frame in chip.frames()] == [PLAYED]


def test_a_segment_that_is_not_acknowledged_is_sent_again(tmp_path):
    """The other end shakes hands and says no more."""
    asks = Ether(src=PLAYED, dst="ff:ff:ff:ff:ff:ff") / ARP(
        op=1, hwsrc=PLAYED, psrc="192.168.1.77", pdst=IP_OWN
    )
    hand = {"sport": 9, "dport": 80, "window": 5000}
    number = (0 << 28) + (1 << 20)
    chip = played(
        tmp_path, asks, to_chip() / TCP(**hand, seq=100, flags="S"),
        to_chip() / TCP(**hand, seq=101, ack=number + 1, flags="A"),
    )  # fmt: skip
    chip.write(0, 0x19, b"\x00\x64\x02")  # 10 ms, two more times
    chip.open(0, 1, 80)
    chip.command(0, TO_LISTEN)
    chip.wait(40)
    assert chip.status(0) == ESTABLISHED
    chip.send(0, b"anybody?")
    chip.wait(200)
    assert chip.status(0) == CLOSED and chip.happened(0) & IR_TIMEOUT
    sent = [f for f in chip.frames() if TCP in f and f.src == MAC and f[IP].len > 40]
    data = [f for f in sent if b"anybody?" in bytes(f[TCP].payload)]
    pauses = [round(float(b.time - a.time) * 1000) for a, b in pairwise(data)]
    assert pauses == [10, 20] and len({f[TCP].seq for f in data}) == 1


def test_interrupts(tmp_path):
    chip = Driver(tmp_path, table(udp='[[7, "x"]]'))
    chip.open(2, 2, 4000)
    chip.aim(2, HOST, 7)
    chip.write(0, 0x18, b"\x04")
    chip.write(4 * 2 + SOCKET, 0x2C, bytes([IR_RECV]))
    chip.send(2, b"?")
    chip.wait()
    levels = [(pin, level) for _, pin, level in chip.machine.driven]
    assert levels == [(6, 1), (6, 0)] and chip.number(0, 0x17, 1) == 4
    chip.happened(2)
    assert chip.machine.driven[-1][1:] == (6, 1)


def test_what_is_not_modelled_is_told(tmp_path):
    chip = Driver(tmp_path)
    chip.open(0, 4, 0)
    assert chip.status(0) == CLOSED
    chip.open(1, 0x82, 4000)
    chip.command(2, 0x22)
    chip.read(4, 0, 1)
    chip.read(0, 0x80, 1)
    assert chip.bench.summary()["net"]["not modelled"] == {
        "command 0x22": 1, "no such block": 1, "no such register": 1,
        "socket of mode 0x04": 1, "socket of mode 0x82": 1,
    }  # fmt: skip


MISTAKES = {
    "no table": ('hosts = [1]\n', "hosts are tables"),
    "no address": (table().replace(f'ip = "{HOST}"\n', ""), "number 1: it has no address"),
    "a wrong address": (table("192.168.1.256"), "'192.168.1.256' is no address"),
    "an address twice": (table() + table(), f"two have the address {HOST}"),
    "an unknown key": (table(http="1"), "unknown key 'http'"),
    "no port": (table(udp='[[0, "x"]]'), "udp: 0 is no port"),
    "no row": (table(udp="[[80]]"), "no list of rows with 2 values"),
    "no turns": (table(tcp='[[80, "x"]]'), "no list of a port and turns"),
    "no time": (table(send='[["1 V", 4, "x"]]'), "send: '1 V': 'V' is not a unit of time"),
    "a long datagram": (table(udp=f'[[7, "{"x" * 1473}"]]'), "fragments"),
    "no file": ('play = "none.pcap"\n', "'none.pcap' cannot be read"),
    "no pcap": ('play = "world.toml"\n', "it is no pcap file"),
    "half a pcap": ('play = "half.pcap"\n', "is not whole"),
    "another link": ('play = "link.pcap"\n', "link type 101"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(tmp_path, case):
    wrpcap(str(tmp_path / "half.pcap"), [to_chip() / ICMP()])
    half = (tmp_path / "half.pcap").read_bytes()
    (tmp_path / "half.pcap").write_bytes(half[:-3])
    (tmp_path / "link.pcap").write_bytes(half[:20] + b"\x65\0\0\0" + half[24:])
    text, what = MISTAKES[case]
    with pytest.raises(UserError) as caught:
        Driver(tmp_path, text)
    assert what in caught.value.what and caught.value.fix


def test_segments_out_of_order_and_twice(tmp_path):
    hand = {"sport": 9, "dport": 80, "window": 5000, "ack": (1 << 20) + 1}
    asks = Ether(src=PLAYED, dst="ff:ff:ff:ff:ff:ff") / ARP(
        op=1, hwsrc=PLAYED, psrc="192.168.1.77", pdst=IP_OWN
    )
    chip = played(
        tmp_path, asks, to_chip() / TCP(sport=9, dport=80, window=5000, seq=100, flags="S"),
        to_chip() / TCP(**hand, seq=101, flags="A"),
        to_chip() / TCP(**hand, seq=106, flags="A") / b"later",
        to_chip() / TCP(**hand, seq=101, flags="A") / b"first",
        to_chip() / TCP(**hand, seq=101, flags="A") / b"first",
        to_chip() / TCP(**hand, seq=106, flags="A") / b"later",
        to_chip() / TCP(**hand, seq=107, flags="RA"),
        to_chip() / TCP(**hand, seq=111, flags="RA"),
    )  # fmt: skip
    chip.open(0, 1, 80)
    chip.command(0, TO_LISTEN)
    chip.wait(85)
    assert chip.status(0) == ESTABLISHED and chip.take(0) == b"firstlater"
    answers = [f[TCP].ack for f in chip.frames() if TCP in f and f.src == MAC]
    assert answers == [101, 101, 106, 106, 111]
    chip.wait(10)
    assert chip.status(0) == CLOSED and chip.happened(0) & IR_DISCON


def lease(kind, **asked):
    """What a DHCP server answers: its kind, and all of it."""
    options = [("message-type", kind), *asked.items(), "end"]
    question = BOOTP(xid=0x1234, flags=0x8000, chaddr=b"\2\1\2\3\4\5") / DHCP(options=options)
    own, gives = address("192.168.1.1"), address("192.168.1.50")
    raw = services.dhcp(bytes(question), own, gives, b"\xff\xff\xff\0")
    if raw is None:
        return None, {}
    answer = BOOTP(raw)
    assert (answer.op, answer.xid, answer.chaddr[:6]) == (2, 0x1234, b"\2\1\2\3\4\5")
    found = dict(option for option in answer[DHCP].options if isinstance(option, tuple))
    return found["message-type"], found | {"yiaddr": answer.yiaddr}


def test_addresses_are_given():
    kind, told = lease("discover")
    assert kind == 2 and told["yiaddr"] == "192.168.1.50"
    assert told["server_id"] == told["router"] == told["name_server"] == "192.168.1.1"
    assert told["subnet_mask"] == "255.255.255.0" and told["lease_time"] == 86400
    kind, told = lease("request", requested_addr="192.168.1.50", server_id="192.168.1.1")
    assert kind == 5 and told["yiaddr"] == "192.168.1.50"
    assert lease("request", requested_addr="192.168.1.51")[0] == 6
    assert lease("request", requested_addr="192.168.1.50", server_id="192.168.1.2")[0] is None
    assert lease("release")[0] is None
    assert services.dhcp(b"x" * 300, bytes(4), bytes(4), bytes(4)) is None


def test_names_are_found():
    names = {"time.example.org": address(HOST)}
    question = DNS(id=77, rd=1, qd=DNSQR(qname="Time.example.org"))
    answer = DNS(services.dns(bytes(question), names))
    assert (answer.id, answer.qr, answer.rcode, answer.an[0].rdata) == (77, 1, 0, HOST)
    assert answer.an[0].rrname == b"Time.example.org."
    unknown = DNS(services.dns(bytes(DNS(qd=DNSQR(qname="no.org"))), names))
    assert (unknown.rcode, unknown.ancount) == (3, 0)
    assert services.dns(b"short", names) is None
