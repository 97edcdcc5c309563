"""The display of dots against a framebuffer that is written by the data sheet's tables."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.errors import UserError
from takt.world.bench import Bench
from takt.world.world import load

PINS = {f"GP{n}": n for n in range(30)} | {"A0": 26}
I2C = '[parts.oled]\ntype = "ssd1306"\n'
SPI = f"{I2C}select = 10\ndc = 9\n"
ON = [0x8D, 0x14, 0xAF]
UPRIGHT = [0xA1, 0xC8]  # as modules are wired


class Machine(FakeMachine):
    """Pins have the levels that a test gives them."""

    def __init__(self):
        super().__init__()
        self.levels: dict[int, int] = {}

    def pin_level(self, pin):
        return self.levels.get(pin, 1)


def bench_of(folder, text):
    (folder / "world.toml").write_text(text)
    return Bench(Machine(), load(folder, SimpleNamespace(pins=PINS)), FakeMachine.hz)


class OnI2c:
    """Firmware that sends what it has in one message."""

    def __init__(self, folder, text=I2C):
        self.bench = bench_of(folder, text)
        self.part = self.bench.world.parts["oled"]

    def command(self, *data):
        assert all(self.bench.machine.i2c_write(0x3C, 0x00, *data))

    def data(self, *data):
        assert all(self.bench.machine.i2c_write(0x3C, 0x40, *data))

    def rows(self):
        """The panel's dots as text."""
        size = range(self.part.height)
        return ["".join(".#"[self.part.lit(x, y)] for x in range(128)) for y in size]


class OnI2cByteByByte(OnI2c):
    """With a control byte before each."""

    def command(self, *data):
        pairs = [byte for one in data for byte in (0x80, one)]
        assert all(self.bench.machine.i2c_write(0x3C, *pairs))

    def data(self, *data):
        pairs = [byte for one in data for byte in (0xC0, one)]
        assert all(self.bench.machine.i2c_write(0x3C, *pairs))


class OnSpi(OnI2c):
    def __init__(self, folder, text=SPI):
        super().__init__(folder, text)

    def send(self, dc, data):
        self.bench.machine.levels[9] = dc
        self.bench.machine.spi_transfer(10, *data)

    def command(self, *data):
        self.send(0, data)

    def data(self, *data):
        self.send(1, data)


BUSES = [OnI2c, OnI2cByteByByte, OnSpi]


@pytest.mark.parametrize("bus", BUSES)
def test_a_picture_as_libraries_send_it(tmp_path, bus):
    board = bus(tmp_path)
    board.command(0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0xD3, 0x00, 0x40, *ON, 0x20, 0x00, *UPRIGHT)
    board.command(0xDA, 0x12, 0x81, 0xCF, 0xD9, 0xF1, 0xDB, 0x40, 0xA4, 0xA6)
    board.command(0x21, 0, 127, 0x22, 0, 7)
    board.data(*[0] * 1024)
    board.command(0x21, 3, 4, 0x22, 1, 2)
    board.data(0xFF, 0x01, 0x80, 0x0F)
    rows = board.rows()
    lit = {(x, y) for y, row in enumerate(rows) for x, dot in enumerate(row) if dot == "#"}
    assert lit == {
        *((3, 8 + y) for y in range(8)),
        (4, 8),
        (3, 23),
        *((4, 16 + y) for y in range(4)),
    }
    found = board.bench.summary()["oled"]
    assert found["lit_dots"] == len(lit) and found["contrast"] == 0xCF
    assert found["unknown_commands"] == found["not_modelled"] == []
    assert found["data_bytes"] == 1028


def test_it_is_dark_until_pump_and_display_are_on(tmp_path):
    board = OnI2c(tmp_path)
    board.command(0xA5)
    for command in (0xAF, 0xAE, 0x8D, 0x14):
        board.command(command)
        assert board.bench.summary()["oled"]["lit_dots"] == 0
    assert board.bench.machine.i2c_read(0x3C, 1) == [0x40]
    board.command(0xAF)
    assert board.bench.summary()["oled"]["lit_dots"] == 128 * 64
    assert board.bench.machine.i2c_read(0x3C, 1) == [0]
    board.command(0xA4)
    assert 3500 < board.bench.summary()["oled"]["lit_dots"] < 4700  # noise


# The data sheet's tables of multiplex ratio, scan direction, offset and start line (10-1, 10-2):
# COM output -> row and RAM that it shows; None: nothing.
TABLE = [
    (64, False, 0, 0, {0: 0, 63: 63}),
    (64, False, 8, 0, {0: 8, 55: 63, 56: 0, 63: 7}),
    (64, False, 0, 8, {0: 8, 55: 63, 56: 0, 63: 7}),
    (56, False, 0, 0, {0: 0, 55: 55, 56: None, 63: None}),
    (56, False, 8, 0, {0: 8, 47: 55, 48: None, 55: None, 56: 0, 63: 7}),
    (56, False, 0, 8, {0: 8, 55: 63, 56: None, 63: None}),
    (64, True, 0, 0, {0: 63, 63: 0}),
    (64, True, 8, 0, {0: 7, 7: 0, 8: 63, 63: 8}),
    (64, True, 0, 8, {0: 7, 7: 0, 8: 63, 63: 8}),
    (48, True, 0, 0, {0: 47, 47: 0, 48: None, 63: None}),
    (48, True, 8, 0, {0: None, 7: None, 8: 47, 55: 0, 56: None, 63: None}),
    (48, True, 0, 8, {0: 55, 47: 8, 48: None}),
    (48, True, 8, 16, {0: None, 8: 63, 55: 16, 56: None}),
]


@pytest.mark.parametrize(("mux", "remapped", "offset", "start", "shows"), TABLE)
def test_outputs_show_the_rows_of_the_data_sheet(tmp_path, mux, remapped, offset, start, shows):
    """Each row of the RAM is told by its binary number, in the first seven columns, and a mark."""
    board = OnI2c(tmp_path)
    board.command(*ON, 0x20, 0, 0x21, 0, 127, 0x22, 0, 7, 0xA0)
    for page in range(8):
        rows = [page * 8 + bit for bit in range(8)]
        columns = [sum((row >> n & 1) << row % 8 for row in rows) for n in range(6)]
        board.data(*columns, 0xFF, *[0] * 121)
    board.command(0xA8, mux - 1, 0xD3, offset, 0x40 | start, 0xC8 if remapped else 0xC0)
    for com, row in shows.items():
        dots = board.rows()[63 - com][::-1]  # COM0 is the lowest row, SEG0 the right edge
        if row is None:
            assert "#" not in dots
        else:
            assert sum((dots[n] == "#") << n for n in range(6)) == row and dots[6] == "#"


class Oracle:
    """A picture in memory: cells are written in the order that a window says."""

    def __init__(self, height):
        self.height = height
        self.ram = [[False] * 128 for _ in range(64)]
        self.mirrored = self.upwards = self.inverted = False
        self.mux, self.offset, self.start = 64, 0, 0

    def write(self, cells, data):
        for (page, column), byte in zip(cells, data, strict=True):
            segment = 127 - column if self.mirrored else column
            for bit in range(8):
                self.ram[8 * page + bit][segment] = bool(byte >> bit & 1)

    def rows(self):
        scanned = list(range(self.mux))
        scanned = (scanned[::-1] if self.upwards else scanned) + [None] * (64 - self.mux)
        turn = -self.offset % 64 if self.upwards else self.offset
        outputs = scanned[turn:] + scanned[:turn]
        rows = []
        for com in reversed(range(self.height)):
            ram = None if outputs[com] is None else self.ram[(outputs[com] + self.start) % 64]
            lit = [False] * 128 if ram is None else [dot != self.inverted for dot in ram]
            rows.append("".join(".#"[dot] for dot in reversed(lit)))
        return rows


def window(chance):
    """A window's sides, and its cells in the order in which they are written, again and again."""
    first, page = chance.randrange(128), chance.randrange(8)
    columns = range(first, chance.randrange(first, 128) + 1)
    pages = range(page, chance.randrange(page, 8) + 1)
    vertical = chance.random() < 0.5
    if vertical:
        cells = [(page, column) for column in columns for page in pages]
    else:
        cells = [(page, column) for page in pages for column in columns]
    sides = [0x21, columns[0], columns[-1], 0x22, pages[0], pages[-1]]
    return [0x20, int(vertical), *sides], cells


def by_page(chance):
    """The same of page addressing: to the end of the columns, and again from their beginning."""
    column, page = chance.randrange(128), chance.randrange(8)
    places = [[0x20, 2], [0xB0 | page], [column & 15], [0x10 | column >> 4]]
    chance.shuffle(places)
    cells = [(page, (column + n) % 128) for n in range(128)]
    return [byte for place in places for byte in place], cells


@pytest.mark.parametrize("height", [64, 32])
@pytest.mark.parametrize("seed", range(6))
def test_any_commands_do_what_an_oracle_does(tmp_path, seed, height):
    chance = random.Random(seed)
    bus = BUSES[seed % 3]
    text = f'{SPI if bus is OnSpi else I2C}size = "128x{height}"\n'
    board, oracle = bus(tmp_path, text), Oracle(height)
    board.command(*ON, 0x20, 0, 0x21, 0, 127, 0x22, 0, 7)
    board.data(*[0] * 1024)
    for _ in range(60):
        if chance.random() < 0.5:
            commands, cells = chance.choice((window, by_page))(chance)
            data = chance.randbytes(chance.randrange(1, 300))
            board.command(*commands)
            board.data(*data)
            oracle.write((cells * 300)[: len(data)], data)
        else:
            random_setting(chance, board, oracle)
        assert board.rows() == oracle.rows()
    found = board.bench.summary()["oled"]
    assert found["unknown_commands"] == found["not_modelled"] == []


def random_setting(chance, board, oracle):
    which, value = chance.randrange(6), chance.randrange(64)
    yes = chance.random() < 0.5
    if which == 0:
        oracle.mirrored = yes
        board.command(0xA0 | yes)
    elif which == 1:
        oracle.upwards = yes
        board.command(0xC8 if yes else 0xC0)
    elif which == 2:
        oracle.inverted = yes
        board.command(0xA6 | yes)
    elif which == 3:
        oracle.mux = max(value, 15) + 1
        board.command(0xA8, oracle.mux - 1)
    elif which == 4:
        oracle.offset = value
        board.command(0xD3, value)
    else:
        oracle.start = value
        board.command(0x40 | value)


def test_what_is_no_command_or_not_modelled_is_told(tmp_path):
    board = OnI2c(tmp_path)
    board.command(
        0x26,
        0,
        0,
        0,
        7,
        0,
        0xFF,
        0x2A,
        0,
        0,
        0,
        7,
        1,
        0xA3,
        0,
        64,
        0x2F,
        0x2E,
        0xE3,
        0xF0,
        0xD6,
        1,
        0xA8,
        7,
        0xDA,
        0x02,
    )
    found = board.bench.summary()["oled"]
    assert found["unknown_commands"] == ["0xf0"] and found["commands"] == 10
    assert found["not_modelled"] == [
        "8 rows",
        "COM outputs in the order 0x02, which is not the panel's",
        "scrolling",
        "zoom",
    ]


def test_parameters_may_come_in_messages_of_their_own(tmp_path):
    board = OnI2c(tmp_path)
    board.command(0x81)
    board.command(0x33)
    assert board.bench.summary()["oled"]["contrast"] == 0x33


def test_reset_holds_it_and_begins_anew(tmp_path):
    board = OnSpi(tmp_path, f"{SPI}reset = 8\n")
    machine = board.bench.machine
    board.command(*ON, 0xA5, 0x81, 0x10)
    machine.coming = [(1000, 8, 0), (2000, 8, 1)]
    assert board.bench.summary()["oled"]["lit_dots"] == 8192
    board.bench.run(1500)
    board.command(0xAF)
    board.bench.run(3000)
    found = board.bench.summary()["oled"]
    assert (found["display"], found["lit_dots"], found["contrast"]) == ("off", 0, 0x7F)
    assert found["resets"] == 1 and found["bytes_while_reset"] == 1
    assert 8 in machine.watched


def test_words_of_other_lengths_are_told(tmp_path):
    board = OnSpi(tmp_path)
    board.bench.machine.spi_transfer(10, 0xAF, bits=16)
    assert board.bench.summary()["oled"]["words_not_of_8_bits"] == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"{I2C}address = 0x3e\n", "too large"),
        (f"{I2C}dc = 9\n", "dc is given, but it is on I2C"),
        (f"{I2C}select = 9\n", "needs 'dc'"),
        (f"{SPI}address = 0x3c\n", "address is given, but it is on SPI"),
        (f"{I2C}select = 9\ndc = 9\n", "on one pin"),
        (f'{SPI}[parts.b]\ntype = "ad5206"\nselect = 10\n', "chip select 10"),
        (f'{I2C}[parts.b]\ntype = "ssd1306"\n', "address 0x3c of I2C 0"),
    ],
)
def test_mistakes(tmp_path, text, what):
    with pytest.raises(UserError, match=what):
        bench_of(tmp_path, text)
