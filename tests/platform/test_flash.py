"""The pico's flash chip, command by command, against a model of dictionaries and the data sheet's
times (W25Q16JV: 30 us for a byte, 2.5 us for each more, 0.4 ms at most; 45 ms for a sector)."""

from __future__ import annotations

import random

import bare_board as board
import pytest

SSI, SELECT = 0x18000000, 0x4001800C
CTRLR0, SSIENR, SER, BAUDR, RXFLR, SR, DR0, SPI_CTRLR0 = (
    SSI + n for n in (0x00, 0x08, 0x10, 0x14, 0x24, 0x28, 0x60, 0xF4)
)
LOW, HIGH = 0x200, 0x300
FLASH, PAGE, SECTOR = 0x10000000, 256, 4096
ENABLE, PROGRAM, READ, STATUS, ERASE = 0x06, 0x02, 0x03, 0x05, 0x20
DIVIDER = 4
IN_PLACE, TWO_LINES = 0x3F0300, 0x3B << 24 | 8 << 11 | 2 << 8 | 6 << 2


class Chip:
    def __init__(self) -> None:
        self.m = board.idle_in_ram()
        board.start_clocks(self.m)
        self.set_up((CTRLR0, 7 << 16), (BAUDR, DIVIDER), (SER, 1))

    def set_up(self, *settings: tuple[int, int]) -> None:
        self.m.bus_write(SSIENR, 0)
        for at, value in settings:
            self.m.bus_write(at, value)
        self.m.bus_write(SSIENR, 1)

    def do(self, *sent: int) -> list[int]:
        """A command, byte by byte, however long that takes."""
        self.m.bus_write(SELECT, LOW)
        got = []
        for byte in sent:
            self.m.bus_write(DR0, byte)
            board.wait(self.m, 8 * DIVIDER)
            got.append(self.m.bus_read(DR0))
        self.m.bus_write(SELECT, HIGH)
        return got

    def at(self, command: int, address: int, *data: int) -> list[int]:
        return self.do(command, *address.to_bytes(3, "big"), *data)[4:]

    def failed(self) -> object:
        stop = self.m.run(self.m.now + 1)
        assert stop.reason == "fault"
        return stop.detail

    def status(self) -> int:
        return self.do(STATUS, 0)[1]

    def busy_us(self) -> float:
        """How long from now, in steps of a status."""
        begun = self.m.now
        while self.status() & 1:
            pass
        return (self.m.now - begun) / board.US

    def write(self, address: int, *data: int) -> float:
        self.do(ENABLE)
        self.at(PROGRAM, address, *data)
        return self.busy_us()

    def erase(self, address: int) -> float:
        self.do(ENABLE)
        self.at(ERASE, address)
        return self.busy_us()


@pytest.fixture
def chip() -> Chip:
    return Chip()


def test_what_is_written_and_erased(chip: Chip) -> None:
    """Bits become 0 only, a page's end goes on at its start, a sector becomes 255."""
    oracle: dict[int, int] = {}
    draw = random.Random(4)
    base = 0x1F0000
    for _ in range(60):
        at = base + draw.randrange(3 * SECTOR)
        if draw.random() < 0.15:
            chip.erase(at)
            oracle = {k: v for k, v in oracle.items() if k // SECTOR != at // SECTOR}
            continue
        data = draw.randbytes(draw.choice((1, 2, 4, PAGE)))
        chip.write(at, *data)
        for n, byte in enumerate(data):
            place = at // PAGE * PAGE + (at + n) % PAGE
            oracle[place] = oracle.get(place, 0xFF) & byte
    for place in [*draw.sample(sorted(oracle), 50), base + 3 * SECTOR]:
        assert chip.at(READ, place, 0, 0) == [oracle.get(place + n, 0xFF) for n in (0, 1)]
    stored = chip.m.read(FLASH + base, 3 * SECTOR)
    assert stored == bytes(oracle.get(base + n, 0xFF) for n in range(3 * SECTOR))
    assert len(oracle) > 3 * PAGE


@pytest.mark.parametrize(("count", "us"), ((1, 30), (2, 32.5), (4, 37.5), (256, 400)))
def test_writing_takes_the_data_sheets_time(chip: Chip, count: int, us: float) -> None:
    step_us = 2 * 8 * DIVIDER / board.US
    assert us <= chip.write(0x1F0000, *[0] * count) <= us + 2 * step_us


def test_erasing_takes_the_data_sheets_time(chip: Chip) -> None:
    assert 45_000 <= chip.erase(0x1F0000) <= 45_001


def test_a_byte_takes_its_clocks() -> None:
    m = Chip().m
    m.bus_write(DR0, STATUS)
    m.bus_write(DR0, 0)
    begun, clocks = m.now, 8 * DIVIDER
    seen = []
    while m.now - begun < 3 * clocks:
        seen.append((m.bus_read(RXFLR), m.bus_read(SR) & 1))
        board.wait(m, clocks // 2)
    assert seen == [(0, 1), (0, 1), (1, 1), (1, 1), (2, 0), (2, 0)]


def test_it_is_selected_until_nothing_is_left_to_send(chip: Chip) -> None:
    chip.m.bus_write(SELECT, 0)
    for sent in ((STATUS,), (0x9F, 0, 0, 0)):
        for byte in sent:
            chip.m.bus_write(DR0, byte)
        board.wait(chip.m, len(sent) * 8 * DIVIDER)
    assert [chip.m.bus_read(DR0) for _ in range(5)] == [0, 0, 0xEF, 0x40, 0x15]


def test_writing_must_be_enabled_each_time(chip: Chip) -> None:
    chip.do(ENABLE)
    assert chip.status() == 2
    chip.at(PROGRAM, 0x1F0000, 0)
    assert chip.status() == 1
    chip.busy_us()
    chip.at(PROGRAM, 0x1F0001, 0)
    assert chip.failed() == "flash: command 02h, but writing is not enabled"


def test_it_takes_no_command_while_busy(chip: Chip) -> None:
    chip.do(ENABLE)
    chip.at(ERASE, 0x1F0000)
    chip.m.bus_write(SELECT, LOW)
    chip.m.bus_write(DR0, READ)
    assert chip.failed() == "flash: command 03h while it is busy"


def test_it_knows_no_other_command(chip: Chip) -> None:
    chip.m.bus_write(DR0, 0xC7)
    assert chip.failed() == "flash: command C7h is not modelled"


@pytest.mark.parametrize("busy", (False, True))
def test_it_is_not_read_in_place_meanwhile(chip: Chip, busy: bool) -> None:
    if busy:
        chip.do(ENABLE)
        chip.at(ERASE, 0x1F0000)
        chip.set_up((CTRLR0, IN_PLACE), (SPI_CTRLR0, TWO_LINES))
    else:
        chip.m.bus_read(FLASH)
    why = "made readable while it is busy" if busy else "read in place, but set up for commands"
    assert chip.failed() == f"flash: {why}"


SENDS_OTHERWISE = {
    (CTRLR0, 7 << 16 | 1 << 8): "CTRLR0 has no frames of eight bits both ways",
    (CTRLR0, 7 << 16 | 2 << 8): "CTRLR0 has no frames of eight bits both ways",
    (CTRLR0, 7 << 16 | 3 << 8): "CTRLR0 has no frames of eight bits both ways",
    (CTRLR0, 3 << 8): "CTRLR0 has no frames of eight bits both ways",
    (CTRLR0, 15 << 16): "CTRLR0 has no frames of eight bits both ways",
    (CTRLR0, 7 << 16 | 1 << 11): "CTRLR0 has no frames of eight bits both ways",
    (CTRLR0, 7 << 16 | 1 << 6): "CTRLR0 has no frames of eight bits both ways",
    (SER, 0): "SER selects no flash",
    (SER, 2): "SER selects no flash",
    (BAUDR, 0): "BAUDR stops the clock",
    (BAUDR, 1): "BAUDR stops the clock",
}


@pytest.mark.parametrize(("at", "value"), SENDS_OTHERWISE)
def test_what_the_controller_would_not_send(chip: Chip, at: int, value: int) -> None:
    chip.set_up((at, value))
    chip.m.bus_write(DR0, STATUS)
    assert chip.failed() == f"flash: data are sent, but {SENDS_OTHERWISE[at, value]}"


READS_OTHERWISE = (
    (CTRLR0, IN_PLACE & ~0x300), (CTRLR0, IN_PLACE & ~0x1F0000 | 7 << 16), (SER, 0), (BAUDR, 1),
)  # fmt: skip


@pytest.mark.parametrize(("at", "value"), READS_OTHERWISE)
def test_what_the_controller_would_not_read_in_place(chip: Chip, at: int, value: int) -> None:
    chip.set_up((CTRLR0, IN_PLACE), (SPI_CTRLR0, TWO_LINES))
    chip.m.bus_read(FLASH)
    assert chip.m.run(chip.m.now + 1).reason == "time"
    chip.set_up((at, value))
    chip.m.bus_read(FLASH + 0x1000)  # which the cache does not have
    assert chip.failed() == "flash: read in place, but set up for commands"


@pytest.mark.parametrize(("divider", "fails"), ((2, True), (3, True), (4, False)))
def test_reads_by_03h_at_50_mhz_at_most(chip: Chip, divider: int, fails: bool) -> None:
    """clk_sys is 125 MHz; a divider is even. Other commands may be faster."""
    chip.set_up((BAUDR, divider))
    assert chip.m.bus_read(BAUDR) == divider & ~1
    chip.status()
    assert chip.m.run(chip.m.now + 1).reason == "time"
    chip.at(READ, 0)
    stop = chip.m.run(chip.m.now + 1)
    assert (stop.reason == "fault") == fails
    assert not fails or "flash: command 03h faster than 50 MHz" in stop.detail


@pytest.mark.parametrize("at", (CTRLR0, BAUDR, SPI_CTRLR0))
def test_settings_are_taken_while_it_is_off(chip: Chip, at: int) -> None:
    before = chip.m.bus_read(at)
    chip.m.bus_write(at, 0x70)
    assert chip.m.bus_read(at) == before
    assert "SSI: a setting is written while it is on" in chip.m.unimplemented()[-1]
    chip.set_up((at, 0x70))
    assert chip.m.bus_read(at) == 0x70


def test_data_that_are_sent_while_it_is_off(chip: Chip) -> None:
    chip.m.bus_write(SSIENR, 0)
    chip.m.bus_write(DR0, STATUS)
    assert "SSI: data are written while it is off" in chip.m.unimplemented()[-1]
