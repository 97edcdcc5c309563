"""A job may be terminated within any call, and nobody else notices: what the call uses is whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import OURS
from takt import boards
from takt.build.build import build
from takt.cli.run import _Session as Session
from takt.code.elf import Program
from takt.world import world

HERE = Path(__file__).resolve().parent
BOARDS = (*OURS, "uno")
MEMORY, SELECT = 0x50, 10
SECONDS = 2
FAST_HZ, SLOW_HZ = 20_000, 100


class Memory:
    """On I2C: 256 bytes behind a pointer, each its own address."""

    pointer, fresh = 0, False

    def start(self, read: bool) -> bool:
        self.fresh = not read
        return True

    def write(self, byte: int) -> bool:
        self.pointer, self.fresh = (byte if self.fresh else self.pointer + 1), False
        return True

    def read(self, last: bool) -> int:
        self.pointer += 1
        return self.pointer - 1 & 0xFF

    def stop(self) -> None:
        pass


class Complement:
    """On SPI: answers each byte with the complement of the one before."""

    last = 0

    def select(self) -> None:
        self.last = 0

    def transfer(self, byte: int, bits: int) -> int:
        answer, self.last = ~self.last & 0xFF, byte
        return answer

    def deselect(self) -> None:
        pass


class Ran:
    """A sketch of this folder after a run."""

    def __init__(self, name: str, board: str, out: Path) -> None:
        self.built = build(HERE / name, boards.load(board), out=out)
        self.session = Session(self.built, world.load(self.built.sketch.folder, self.built.board))
        self.machine, self.world = self.session.machine, self.session.world

    def to_the_end(self) -> Ran:
        self.session.go(SECONDS, None)
        assert self.machine.fault() is None
        return self

    def numbers(self, name: str) -> list[int]:
        """An array of the sketch."""
        place = Program(self.built.elf).by_name[name]
        data = self.machine.read(place.address, place.size)
        return [int.from_bytes(data[i : i + 2], "little") for i in range(0, place.size, 2)]

    def nobody_noticed(self) -> None:
        """Jobs ended where they were, in every call; the loop got its answers and its time."""
        result = self.session.result(SECONDS)
        print({name: self.numbers(name) for name in ("jobs", "made", "wrong", "rounds")})
        (wild,) = result.jobs()
        assert wild["finished"] == 0
        assert wild["terminated"] == wild["overruns"] >= sum(self.numbers("jobs")) - 1
        assert min(self.numbers("jobs")) >= 3
        assert min(self.numbers("made")) >= 50
        assert set(self.numbers("wrong")) == {0}
        assert self.numbers("rounds")[0] >= 20
        assert [thread["misses"] for thread in result.threads()] == [0, 0]


@pytest.mark.parametrize("board", BOARDS)
def test_within_serial_analog_read_malloc_and_pulse_in(board: str, tmp_path: Path) -> None:
    ran = Ran("calls", board, tmp_path / "out")
    pins, hz = ran.built.board.pins, ran.built.board.clock_hz
    for name, volts in (("A0", 5.0), ("A1", 0.0)):
        ran.machine.adc_set(ran.world.adc_channel(pins[name]), volts)
    for pin, frequency in ((3, SLOW_HZ), (4, FAST_HZ)):
        ran.machine.pin_wave(ran.world.chip[pin], hz / frequency / 2, start_cycle=hz // 100)
    ran.to_the_end().nobody_noticed()
    text = ran.session.bench.text()
    for whole in ("<in one piece>\n", "0123456789abcdef\n"):
        assert text.count(whole) >= 20
        text = text.replace(whole, "")
    assert len(text) < 20  # the line under way at the end


@pytest.mark.parametrize("board", BOARDS)
def test_within_transfers_on_i2c_and_spi(board: str, tmp_path: Path) -> None:
    ran = Ran("buses", board, tmp_path / "out")
    ran.machine.i2c_device(0, MEMORY, Memory())
    ran.machine.spi_device(0, ran.world.chip[SELECT], Complement())
    ran.to_the_end().nobody_noticed()
