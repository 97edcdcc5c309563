"""The SD card on SPI, byte by byte; what it holds is looked at with mtools."""

from __future__ import annotations

import random
import subprocess
from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.errors import UserError
from takt.world.bench import Bench
from takt.world.world import load

PINS = {f"GP{n}": n for n in range(30)}
WORLD = '[parts.card]\ntype = "sd-card"\nselect = 5\n'
BLOCK, MS = 512, 125_000
PARTITION = 128 * BLOCK
IDLE, ILLEGAL, BAD_CRC, SEQUENCE, ADDRESS, PARAMETER = 0x01, 0x04, 0x08, 0x10, 0x20, 0x40


def crc_by_division(data, bits, polynomial):
    """The remainder, bit by bit."""
    value, size = int.from_bytes(data, "big") << bits, len(data) * 8 + bits
    for at in range(size - 1, bits - 1, -1):
        if value >> at & 1:
            value ^= (1 << bits | polynomial) << at - bits
    return value


class Host:
    """A host of a card, as the specification has it; 200 clocks between bytes."""

    def __init__(self, folder, more="", image=None):
        if image is not None:
            (folder / "card.img").write_bytes(image)
            more += 'image = "card.img"\n'
        (folder / "world.toml").write_text(WORLD + more)
        self.machine = FakeMachine()
        self.bench = Bench(self.machine, load(folder, SimpleNamespace(pins=PINS)), self.machine.hz)
        self.device = self.machine.spi[0, 5]

    def byte(self, sent=0xFF):
        self.machine.now += 200
        return self.device.transfer(sent, 8)

    def bytes(self, count):
        return bytes(self.byte() for _ in range(count))

    def command(self, number, argument=0, crc=None):
        """Sends a command; R1, or None."""
        body = bytes([0x40 | number]) + argument.to_bytes(4, "big")
        crc = crc_by_division(body, 7, 0x09) << 1 | 1 if crc is None else crc
        for byte in (*body, crc):
            self.byte(byte)
        for _ in range(9):
            if not (found := self.byte()) & 0x80:
                return found
        return None

    def app(self, number, argument=0):
        assert self.command(55) in (0, IDLE)
        return self.command(number, argument)

    def wait(self, value, most=100_000):
        """Bytes until one is (not) a value."""
        for count in range(most):
            if (found := self.byte()) != value:
                return found, count
        raise AssertionError("it never ends")

    def data(self, size=BLOCK):
        """A block with a good checksum, or its error token."""
        token, _ = self.wait(0xFF)
        if token != 0xFE:
            return token
        held, crc = self.bytes(size), self.bytes(2)
        assert int.from_bytes(crc, "big") == crc_by_division(held, 16, 0x1021)
        return held

    def give(self, data, token=0xFE, crc=None):
        """A block; the data response and for how many bytes it is busy."""
        crc = crc_by_division(data, 16, 0x1021) if crc is None else crc
        for byte in (token, *data, *crc.to_bytes(2, "big")):
            self.byte(byte)
        return self.byte() & 0x1F, self.wait(0x00)[1]

    def begin(self, argument=1 << 30):
        self.device.select()
        assert self.command(0) == IDLE
        assert self.command(8, 0x1AA) == IDLE and self.bytes(4) == b"\0\0\1\xaa"
        while self.app(41, argument):
            assert self.machine.now < 200 * MS
        return self


def image(blocks=2048):
    return random.Random(1).randbytes(blocks * BLOCK)


def test_it_hears_nothing_before_cmd0_with_its_checksum(tmp_path):
    host = Host(tmp_path)
    host.device.select()
    assert host.command(8, 0x1AA) is None
    assert host.command(0, crc=0x97) is None
    assert host.command(0, crc=0x95) == IDLE


def test_what_it_has_while_idle(tmp_path):
    host = Host(tmp_path)
    host.device.select()
    host.command(0)
    for number in (9, 10, 13, 16, 17, 24, 32, 38, 6, 42):
        assert host.command(number) == IDLE | ILLEGAL, number
    assert host.command(8, 0x1AA, crc=0x89) == IDLE | BAD_CRC
    assert host.command(58, crc=0) == IDLE  # checksums are off
    assert host.bytes(4) == b"\x00\xff\x80\x00"
    assert host.command(59, 1) == IDLE and host.command(58, crc=0) == IDLE | BAD_CRC


def test_high_capacity_is_ready_for_hosts_that_know_it_only(tmp_path):
    host = Host(tmp_path)
    host.device.select()
    host.command(0)
    for _ in range(100):
        assert host.app(41, 1 << 30) == IDLE  # without CMD8
        host.machine.now += MS
    host.command(8, 0x1AA)
    assert host.app(41) == IDLE  # without HCS
    start = host.machine.now
    while host.app(41, 1 << 30):
        host.machine.now += MS
    assert 50 * MS <= host.machine.now - start < 53 * MS
    assert host.command(58) == 0 and host.bytes(4) == b"\xc0\xff\x80\x00"


def test_a_standard_card_is_ready_for_any(tmp_path):
    host = Host(tmp_path, 'capacity = "standard"\n')
    host.device.select()
    host.command(0)
    while host.command(1):
        host.machine.now += MS
    assert host.command(58) == 0 and host.bytes(4) == b"\x80\xff\x80\x00"


def field(register, high, low):
    return int.from_bytes(register, "big") >> low & (1 << high - low + 1) - 1


def test_registers(tmp_path):
    host = Host(tmp_path, image=image()).begin()
    assert host.command(9) == 0
    csd = host.data(16)
    assert field(csd, 127, 126) == 1 and (field(csd, 69, 48) + 1) * 1024 == 2048
    assert field(csd, 83, 80) == field(csd, 25, 22) == 9 and field(csd, 46, 46) == 1
    assert host.command(10) == 0
    cid = host.data(16)
    assert cid[1:8] == b"TKWORLD"
    for register in (csd, cid):
        assert register[15] == crc_by_division(register[:15], 7, 0x09) << 1 | 1
    assert host.command(13) == 0 and host.byte() == 0
    assert host.app(51) == 0 and host.data(8)[:2] == b"\x02\x05"
    assert host.app(13) == 0 and host.byte() == 0 and len(host.data(64)) == 64


@pytest.mark.parametrize("blocks", [8, 2048, 4096 * 512, 24])
def test_the_size_of_a_standard_card(tmp_path, blocks):
    (tmp_path / "card.img").touch()
    with (tmp_path / "card.img").open("r+b") as file:
        file.truncate(blocks * BLOCK)
    host = Host(tmp_path, 'capacity = "standard"\nimage = "card.img"\n').begin()
    host.command(9)
    csd = host.data(16)
    unit = 1 << field(csd, 49, 47) + 2 + field(csd, 83, 80)
    assert field(csd, 127, 126) == 0 and (field(csd, 73, 62) + 1) * unit == blocks * BLOCK


def test_blocks_are_read(tmp_path):
    held = image()
    host = Host(tmp_path, image=held).begin()
    start = host.machine.now
    assert host.command(17, 7) == 0 and host.data() == held[7 * BLOCK : 8 * BLOCK]
    assert host.machine.now - start > 0.2 * MS
    assert host.command(18, 2045) == 0
    assert [host.data() for _ in range(3)] == [
        held[n * BLOCK :][:BLOCK] for n in (2045, 2046, 2047)
    ]
    assert host.data() == 0x08  # out of range
    assert host.command(12) == 0 and host.byte() == 0xFF
    assert host.command(18, 3) == 0 and host.data() == held[3 * BLOCK :][:BLOCK]
    host.bytes(200)
    assert host.command(12) == 0 and host.bytes(20) == b"\xff" * 20
    assert host.command(12) == ILLEGAL
    assert host.command(17, 2048) == PARAMETER


def test_a_standard_card_counts_bytes_and_has_lengths(tmp_path):
    held = image()
    host = Host(tmp_path, 'capacity = "standard"\n', held).begin()
    assert host.command(17, 7 * BLOCK) == 0 and host.data() == held[7 * BLOCK : 8 * BLOCK]
    assert host.command(17, 7) == ADDRESS and host.command(24, 7) == ADDRESS
    assert host.command(16, 513) == PARAMETER and host.command(16, 16) == 0
    assert host.command(17, 7 * BLOCK + 32) == 0 and host.data(16) == held[7 * BLOCK + 32 :][:16]
    assert host.command(17, 7 * BLOCK + 500) == ADDRESS
    assert host.command(24, 0) == PARAMETER  # parts of blocks are not written


def test_blocks_are_written(tmp_path):
    host = Host(tmp_path, 'busy = "2 ms"\n', image()).begin()
    new = [bytes([n]) * BLOCK for n in range(4)]
    assert host.command(24, 3) == 0
    response, busy = host.give(new[0])
    assert response == 0x05 and 1.99 * MS <= busy * 200 <= 2.01 * MS
    assert host.app(23, 2) == 0 and host.command(25, 10) == 0
    assert [host.give(data, 0xFC)[0] for data in new[1:3]] == [0x05, 0x05]
    host.byte(0xFD)
    host.byte()
    assert host.byte() == 0 and host.wait(0)
    assert host.app(22) == 0 and host.data(4) == b"\0\0\0\2"
    for number, data in ((3, new[0]), (10, new[1]), (11, new[2])):
        assert host.command(17, number) == 0 and host.data() == data
    assert host.bench.summary()["card"]["blocks written"] == 3
    assert host.command(25, 2047) == 0 and host.give(new[3], 0xFC)[0] == 0x05
    assert host.give(new[3], 0xFC)[0] == 0x0D and host.command(12) == 0  # beyond the end
    host.wait(0)
    assert host.command(13) == 0
    assert (tmp_path / "card.img").read_bytes() == image()
    host.bench.files()["card.img"](tmp_path / "new.img")
    saved = bytearray(image())
    for number, data in ((3, new[0]), (10, new[1]), (11, new[2]), (2047, new[3])):
        saved[number * BLOCK : (number + 1) * BLOCK] = data
    assert (tmp_path / "new.img").read_bytes() == saved


def test_checksums_of_data(tmp_path):
    host = Host(tmp_path, image=image()).begin()
    assert host.command(24, 0) == 0 and host.give(bytes(BLOCK), crc=1)[0] == 0x05
    assert host.command(59, 1) == 0
    assert host.command(24, 1) == 0 and host.give(b"\1" * BLOCK, crc=1)[0] == 0x0B
    assert host.command(24, 1) == 0 and host.give(b"\1" * BLOCK)[0] == 0x05
    assert host.command(17, 1, crc=0xFF) == BAD_CRC
    found = host.bench.summary()["card"]
    assert found["wrong checksums"] == 2 and found["blocks written"] == 2


def test_erasing(tmp_path):
    host = Host(tmp_path, image=image()).begin()
    assert host.command(33, 5) == SEQUENCE and host.command(38) == SEQUENCE
    assert host.command(32, 4) == 0 and host.command(33, 5) == 0 and host.command(38) == 0
    host.wait(0)
    for number in (4, 5):
        assert host.command(17, number) == 0 and host.data() == bytes(BLOCK)
    assert host.command(17, 6) == 0 and host.data() == image()[6 * BLOCK :][:BLOCK]
    assert host.command(32, 4) == 0 and host.command(33, 5000) == 0
    assert host.command(38) == PARAMETER


def test_a_busy_card_hears_no_command_and_goes_on_unselected(tmp_path):
    host = Host(tmp_path, image=image()).begin()
    host.command(24, 0)
    for byte in (0xFE, *bytes(BLOCK + 2)):
        host.byte(byte)
    host.byte()
    host.device.deselect()
    host.device.select()
    assert host.byte() == 0 and host.command(13) == 0x00  # that is busy, not R1
    host.machine.now += MS
    assert host.byte() == 0xFF
    assert host.bench.summary()["card"]["commands while busy"] == 1


def test_what_is_cut_off_is_told_and_not_written(tmp_path):
    host = Host(tmp_path, image=image()).begin()
    host.command(24, 0)
    for byte in (0xFE, *bytes(100)):
        host.byte(byte)
    host.device.deselect()
    host.device.select()
    assert host.command(17, 0) == 0 and host.data() == image()[:BLOCK]
    found = host.bench.summary()["card"]
    assert found["cut short"] == 1 and found["blocks written"] == 0


def test_speed_and_mode_are_looked_at(tmp_path):
    host = Host(tmp_path)
    host.machine.spi_hz, host.machine.spi_mode = 10_000_000, 1
    host.device.select()
    assert host.command(0) is None
    host.machine.spi_mode = 3
    host.device.select()
    assert host.command(0) == IDLE
    found = host.bench.summary()["card"]
    assert found["clock beyond 400 kHz before that"] == 2
    assert found["selected in a wrong SPI mode"] == 1


def mtools(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout


def test_files_of_a_folder_are_on_the_card(tmp_path):
    files = {"a.txt": b"hello", "BIG.BIN": random.Random(2).randbytes(3_000_001), "empty": b""}
    deep = {f"f{n}.x": bytes([n % 256]) * n for n in range(300)}
    for name, data in files.items():
        (tmp_path / "card").mkdir(exist_ok=True)
        (tmp_path / "card" / name).write_bytes(data)
    (tmp_path / "card" / "d" / "e").mkdir(parents=True)
    for name, data in deep.items():
        (tmp_path / "card" / "d" / "e" / name).write_bytes(data)
    host = Host(tmp_path, 'files = "card"\n')
    host.device.blocks.save(tmp_path / "card.img")
    place = f"{tmp_path}/card.img@@{PARTITION}"
    for name, data in files.items():
        assert mtools("mtype", "-i", place, f"::{name}") == data
    (tmp_path / "out").mkdir()
    mtools("mcopy", "-i", place, "::d/e/*", str(tmp_path / "out"))
    assert {p.name.lower(): p.read_bytes() for p in (tmp_path / "out").iterdir()} == deep
    (tmp_path / "more").write_bytes(bytes(12_000_000))
    mtools("mcopy", "-i", place, str(tmp_path / "more"), "::MORE")
    assert mtools("mtype", "-i", place, "::BIG.BIN") == files["BIG.BIN"]
    assert mtools("minfo", "-i", place, "::").count(b"FAT16") == 1


MISTAKES = {
    "no image": ('image = "none.img"\n', "there is no file 'none.img'"),
    "an image of no blocks": ('image = "world.toml"\n', "no blocks of 512"),
    "an image of no units": ('image = "half.img"\n', "SDHC counts units of 512 KB"),
    "no folder": ('files = "none"\n', "there is no folder 'none'"),
    "a long name": ('files = "long"\n', "long/settings.json has a name that is longer than 8.3"),
    "too much": ('files = "much"\n', "more than a card of 16 MB"),
    "both": ('files = "some"\nimage = "good.img"\n', "an image or files, not both"),
    "a size that is none": (
        'image = "odd.img"\ncapacity = "standard"\n', "cannot have 20481 blocks"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(tmp_path, case):
    for name, size in (("half.img", 512), ("odd.img", 20481 * 512), ("good.img", 1 << 19)):
        (tmp_path / name).write_bytes(bytes(size))
    for name, size in (("long/settings.json", 1), ("much/a", 1 << 24), ("some/a", 1)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(bytes(size))
    text, what = MISTAKES[case]
    with pytest.raises(UserError) as caught:
        Host(tmp_path, text)
    assert what in caught.value.what and caught.value.fix
