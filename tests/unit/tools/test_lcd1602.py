"""The display of characters, driven as its data sheet's tables say, in parallel and by backpack."""

from __future__ import annotations

import random
from collections import deque
from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.errors import UserError
from takt.world.bench import Bench
from takt.world.world import load

PINS = {f"GP{n}": n for n in range(30)} | {"A0": 26}
US, MS = 125, 125_000  # cycles
RS, RW, ENABLE, LIGHT = 1, 2, 4, 8
PARALLEL = '[parts.lcd]\ntype = "lcd1602"\nrs = 12\nenable = 11\n'
FOUR, EIGHT = [5, 4, 3, 2], [20, 19, 18, 17, 5, 4, 3, 2]


class Machine(FakeMachine):
    """Pins rest low."""

    def pin_level(self, pin):
        return 0


def bench_of(folder, text):
    (folder / "world.toml").write_text(text)
    return Bench(Machine(), load(folder, SimpleNamespace(pins=PINS)), FakeMachine.hz)


class Backpack:
    """Firmware that writes by I2C, at its own times."""

    def __init__(self, bench, address=0x27, light=LIGHT):
        self.bench, self.address, self.light = bench, address, light
        self.ms = 0.0

    def wait(self, us):
        self.ms += us / 1000
        self.bench.machine.now = round(self.ms * MS)

    def pulse(self, value):
        for port in (value, value | ENABLE, value):
            assert self.bench.machine.i2c_write(self.address, port | self.light) == [True, True]

    def nibble(self, value, data=False):
        self.pulse(value << 4 | (RS if data else 0))

    def byte(self, value, data=False, us=40):
        self.nibble(value >> 4, data)
        self.nibble(value & 15, data)
        self.wait(us)

    def begin(self, lines=2):
        """Figure 24 of the data sheet: initialising by instruction, 4 bits."""
        self.wait(50_000)
        self.bench.machine.i2c_write(self.address, self.light)  # from all ones: ends a read
        self.wait(40)
        for wait in (4200, 110, 40):
            self.nibble(3)
            self.wait(wait)
        self.nibble(2)
        self.wait(40)
        for command in (0x28 if lines == 2 else 0x20, 0x0C, 0x06):
            self.byte(command)
        self.byte(0x01, us=1600)

    def read(self, data=False):
        """A byte, in two halves."""
        machine, byte = self.bench.machine, 0
        for _ in range(2):
            idle = 0xF0 | RW | self.light | (RS if data else 0)
            machine.i2c_write(self.address, idle)
            machine.i2c_write(self.address, idle | ENABLE)
            byte = byte << 4 | machine.i2c_read(self.address, 1)[0] >> 4
            machine.i2c_write(self.address, idle)
        return byte

    def text(self, text):
        for character in text:
            self.byte(ord(character), True)


def backpack(folder, size="16x2", **more):
    bench = bench_of(folder, f'[parts.lcd]\ntype = "lcd1602"\nsize = "{size}"\n')
    return Backpack(bench, **more), bench.world.parts["lcd"]


def test_initialised_by_instruction_it_shows_text(tmp_path):
    board, lcd = backpack(tmp_path)
    board.begin()
    board.text("Hello, world!")
    board.byte(0x80 | 0x40)
    board.text("5~6\\")
    found = lcd.summary()
    assert found["lines"] == ["Hello, world!", "5→6¥"]
    assert (found["display"], found["backlight"], found["lost_while_busy"]) == ("on", "on", 0)
    assert found["characters"] == 17 and found["not_modelled"] == []
    assert lcd.quantity("backlight", 0) == 1.0


def test_rows_of_a_large_one_are_halves_of_lines(tmp_path):
    board, lcd = backpack(tmp_path, "20x4")
    board.begin()
    for row, address in enumerate((0x00, 0x40, 0x14, 0x54)):
        board.byte(0x80 | address)
        board.text(f"row {row}")
    assert lcd.summary()["lines"] == ["row 0", "row 1", "row 2", "row 3"]
    board.byte(0x80 | 0x13)
    board.text("ab")
    assert lcd.lines()[0][19] == "a" and lcd.lines()[2][0] == "b"
    board.byte(0x80 | 0x27)
    board.text("cd")  # from the end of one line to the beginning of the other
    assert lcd.lines()[2][19] == "c" and lcd.lines()[1][0] == "d"


def test_what_comes_while_it_is_busy_is_lost_and_told(tmp_path):
    board, lcd = backpack(tmp_path)
    board.begin()
    board.byte(0x01, us=1000)  # clearing takes 1.52 ms
    board.byte(ord("a"), True)
    board.wait(600)
    board.byte(ord("b"), True, us=36)
    board.byte(ord("c"), True, us=38)
    board.byte(ord("d"), True)
    found = lcd.summary()
    assert found["lines"] == ["bd", ""] and found["lost_while_busy"] == 2
    assert found["first_lost_ms"] == pytest.approx(50 + 4.39 + 0.12 + 1.6 + 1, abs=0.2)


@pytest.mark.parametrize(
    ("command", "us"),
    [(0x01, 1520), (0x02, 1520), (0x03, 1520), (0x06, 37), (0x0C, 37), (0x80, 37)],
)
def test_how_long_instructions_take(tmp_path, command, us):
    for more, lost in ((-1, 1), (1, 0)):
        board, lcd = backpack(tmp_path)
        board.begin()
        board.byte(command, us=us + more)
        board.byte(ord("x"), True)
        assert lcd.summary()["lost_while_busy"] == lost


def test_power_on_takes_its_time(tmp_path):
    board, lcd = backpack(tmp_path)
    board.wait(9_000)
    board.nibble(3)
    assert lcd.summary()["lost_while_busy"] == 1
    board.begin()
    board.text("x")
    assert lcd.summary()["lines"] == ["x", ""]


def test_busy_flag_address_and_data_are_read(tmp_path):
    board, _ = backpack(tmp_path)
    board.begin()
    board.text("AB")
    assert board.read() == 0x02
    board.byte(0x80 | 0x45, us=0)
    assert board.read() == 0x80 | 0x45
    board.wait(40)
    assert board.read() == 0x45
    board.byte(0x80)
    assert [board.read(True), board.wait(40), board.read(True)][::2] == [ord("A"), ord("B")]
    board.wait(40)
    assert board.read() == 0x02
    board.byte(0x40 | 8)
    board.byte(0x15, True)
    board.byte(0x40 | 8)
    assert board.read(True) == 0x15


def test_own_characters_and_cursor_are_in_the_picture(tmp_path):
    board, lcd = backpack(tmp_path)
    board.begin()
    board.byte(0x40 | 8)
    for row in (0x00, 0x0A, 0x1F, 0x1F, 0x0E, 0x04, 0x00, 0x00):
        board.byte(row, True)
    board.byte(0x80 | 2)
    board.byte(1, True)
    board.byte(0x0E)
    found = lcd.summary()
    assert found["lines"] == ["  ₁", ""] and found["cursor"] == (0, 3)
    picture = lcd.pictures()[0]
    assert [row[0][0] for row in picture.rows] == [
        "┌────────────────┐",
        "│  ₁             │",
        "│                │",
        "└────────────────┘",
    ]
    assert picture.contents["own"].split()[1] == "000a1f1f0e040000"
    canvas, ink = picture.canvas, bytes((33, 47, 20))

    def dots(column):
        left = 16 + column * 29
        rows = [3 * ((16 + y * 5) * canvas.width + left) for y in range(8)]
        at = [[row + 15 * x for x in range(5)] for row in rows]
        return ["".join(".#"[canvas.rgb[i : i + 3] == ink] for i in row) for row in at]

    assert dots(2) == [".....", ".#.#.", "#####", "#####", ".###.", "..#..", ".....", "....."]
    assert dots(3) == ["....."] * 7 + ["#####"]
    board.byte(0x0D)
    picture = lcd.pictures()[0]
    canvas = picture.canvas
    assert dots(3) == ["#####"] * 8
    board.byte(0x08)
    assert lcd.summary()["lines"] == ["", ""] and lcd.pictures()[0].caption.endswith("off")


def test_backlight_and_dark_rows(tmp_path):
    board, lcd = backpack(tmp_path, light=0)
    board.begin(lines=1)
    board.text("one line")
    assert lcd.summary()["lines"] == ["one line", ""] and lcd.summary()["backlight"] == "off"
    board.byte(0x80 | 0x4F)
    board.text("yz")
    assert board.read() == 0x01 and lcd.lines()[0][0] == "z"


def test_what_is_not_modelled_is_told(tmp_path):
    board, lcd = backpack(tmp_path)
    board.begin()
    board.byte(0xF7, True)
    board.byte(0xDF, True)
    board.byte(0x80 | 0x30)
    found = lcd.summary()
    assert found["lines"][0] == "π°"
    assert found["not_modelled"] == [
        "dots of character 0xf7",
        "addresses between and behind the lines",
    ]


class Oracle:
    """The same by the addresses of the data sheet: what is where, and two lines that turn."""

    order = [*range(0x28), *range(0x40, 0x68)]

    def __init__(self):
        self.cells = dict.fromkeys(self.order, " ")
        self.at, self.step, self.moves = 0, 1, False
        self.turned = 0

    def next(self, step):
        self.at = self.order[(self.order.index(self.at) + step) % 80]

    def do(self, command):
        if command >= 0x80:
            self.at = command - 0x80
        elif command >= 0x18:
            self.turned += 1 if command & 4 else -1
        elif command >= 0x10:
            self.next(1 if command & 4 else -1)
        elif command >= 4:
            self.step, self.moves = (1 if command & 2 else -1), bool(command & 1)
        else:
            self.at = self.turned = 0
            if command == 1:
                self.step, self.cells = 1, dict.fromkeys(self.order, " ")

    def write(self, character):
        self.cells[self.at] = character
        self.turned -= self.step if self.moves else 0
        self.next(self.step)

    def lines(self):
        halves = [deque(self.cells[a] for a in self.order[n : n + 40]) for n in (0, 40)]
        for half in halves:
            half.rotate(self.turned)
        return ["".join(half)[:16] for half in halves]


@pytest.mark.parametrize("seed", range(20))
def test_any_instructions_do_what_an_oracle_does(tmp_path, seed):
    chance = random.Random(seed)
    board, lcd = backpack(tmp_path)
    board.begin()
    oracle = Oracle()
    for _ in range(400):
        if chance.random() < 0.6:
            character = chance.choice("abcXYZ0189+-")
            oracle.write(character)
            board.byte(ord(character), True)
        else:
            command = chance.choice(
                [1, 2, 4, 5, 6, 7, 0x10, 0x14, 0x18, 0x1C, 0x80 | chance.choice(Oracle.order)]
            )
            oracle.do(command)
            board.byte(command, us=1600)
        assert lcd.lines() == oracle.lines()
        assert board.read() == oracle.at
    assert lcd.summary()["lost_while_busy"] == 0


class Wires:
    """Writes down the edges of firmware that drives pins."""

    def __init__(self, data):
        self.data, self.edges, self.now = data, [], 60 * MS
        self.levels = {}

    def set(self, pin, level):
        if self.levels.get(pin, 0) != level:
            self.edges.append((self.now, pin, level))
            self.levels[pin] = level

    def put(self, value, rs, ns=1000, wait=40, stands=1000):
        """The upper bits of a byte, as many as there are lines."""
        self.set(12, rs)
        for n, pin in enumerate(self.data):
            self.set(pin, value >> 8 - len(self.data) + n & 1)
        self.now += stands * US // 1000
        self.set(11, 1)
        self.now += ns * US // 1000
        self.set(11, 0)
        self.now += wait * US

    def byte(self, value, rs=0, **more):
        self.put(value, rs, **more)
        if len(self.data) == 4:
            self.put(value << 4, rs, **more)

    def begin(self):
        for wait in (4200, 110, 40):
            self.put(0x30, 0, wait=wait)
        if len(self.data) == 4:
            self.put(0x20, 0)
        for command in (0x38 if len(self.data) == 8 else 0x28, 0x0C, 0x06):
            self.byte(command)
        self.byte(0x01, wait=1600)


def shown(folder, wires):
    bench = bench_of(folder, f"{PARALLEL}data = {wires.data}\n")
    bench.machine.coming = wires.edges
    bench.run(wires.now)
    return bench.summary()["lcd"]


@pytest.mark.parametrize("data", [FOUR, EIGHT])
def test_in_parallel(tmp_path, data):
    wires = Wires(data)
    wires.begin()
    for character in b"in parallel":
        wires.byte(character, 1)
    found = shown(tmp_path, wires)
    assert found["lines"] == ["in parallel", ""]
    assert found["hasty_pulses"] == found["lost_while_busy"] == 0


@pytest.mark.parametrize(
    ("how", "well"),
    [({"ns": 240}, True), ({"ns": 220}, False), ({"stands": 48}, True), ({"stands": 32}, False)],
)
def test_pulses_keep_the_data_sheets_times(tmp_path, how, well):
    wires = Wires(FOUR)
    wires.begin()
    wires.byte(ord("k"), 1)
    wires.byte(0x80 | 4)
    for character in b"ok":
        wires.set(12, 0)
        wires.byte(character, 1, **how)
    found = shown(tmp_path, wires)
    assert (found["hasty_pulses"] == 0) == well
    assert (found["lines"][0] == "k   ok") == well


def test_in_parallel_it_answers_for_as_long_as_enable_is_high(tmp_path):
    bench = bench_of(tmp_path, f"{PARALLEL}rw = 10\ndata = {EIGHT}\n")
    wires = Wires(EIGHT)
    wires.begin()
    wires.byte(0x80 | 0x45, wait=10)
    start = wires.now
    wires.set(10, 1)
    wires.now += US
    wires.set(11, 1)
    wires.now += US
    wires.set(11, 0)
    wires.now += US
    bench.machine.coming = wires.edges
    bench.run(wires.now)
    driven = [(at, pin, level) for at, pin, level in bench.machine.driven if at >= start]
    answered = {pin: level for at, pin, level in driven if at == start + US + 160 * US // 1000}
    assert [answered[pin] for pin in EIGHT] == [1, 0, 1, 0, 0, 0, 1, 1]  # busy, 45h
    assert {(at, level) for at, _, level in driven[8:]} == {(start + 2 * US, None)}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (PARALLEL, 1, "needs 'data'"),
        (f"{PARALLEL}data = [2, 3, 4]\n", 5, "not 4 or 8 pins"),
        (f"{PARALLEL}data = {FOUR}\naddress = 0x27\n", 1, "both pins and a backpack"),
        (f"{PARALLEL}data = [12, 4, 3, 2]\n", 1, "on one pin"),
        ('[parts.lcd]\ntype = "lcd1602"\nenable = 4\n', 1, "not `rs`"),
        ('[parts.lcd]\ntype = "lcd1602"\naddress = 0x30\n', 1, "no backpack has address 0x30"),
        (
            '[parts.a]\ntype = "lcd1602"\n[parts.b]\ntype = "i2c-target"\naddress = 0x27\n',
            5,
            "address 0x27 of I2C 0 belongs to 'a' and to 'b'",
        ),
    ],
)
def test_mistakes(tmp_path, text, line, what):
    with pytest.raises(UserError) as caught:
        bench_of(tmp_path, text)
    assert what in caught.value.what
    assert caught.value.where.endswith(f"world.toml:{line}")
