"""The strip of lamps: pulses as data sheets have them, and as they do not."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.world.bench import Bench
from takt.world.world import load

PINS = {f"GP{n}": n for n in range(30)} | {"A0": 26}
STRIP = '[parts.strip]\ntype = "neopixel"\npin = 6\ncount = {}\n'
CYCLE = 8  # ns, at 125 MHz
RESET = 300_000


class Wire:
    """Edges of pulses, in ns."""

    def __init__(self):
        self.edges, self.ns = [], 8_000_000

    def pulse(self, high, low):
        self.edges += [(self.ns // CYCLE, 6, 1), ((self.ns + high) // CYCLE, 6, 0)]
        self.ns += high + low

    def bits(self, data, zero=(400, 850), one=(800, 450)):
        for byte in data:
            for bit in range(7, -1, -1):
                self.pulse(*(one if byte >> bit & 1 else zero))

    def frame(self, data, **how):
        self.bits(data, **how)
        self.ns += RESET


def seen(folder, wire, count=2, more=""):
    (folder / "world.toml").write_text(STRIP.format(count) + more)
    bench = Bench(FakeMachine(wire.edges), load(folder, SimpleNamespace(pins=PINS)), FakeMachine.hz)
    bench.run(wire.ns // CYCLE)
    bench.finish()
    return bench


WELL = {"malformed_bits": 0, "frames_cut_short": 0, "frames_too_long": 0}


def test_green_comes_first(tmp_path):
    wire = Wire()
    wire.frame([0x01, 0x02, 0x03, 0xF0, 0x00, 0xFF])
    bench = seen(tmp_path, wire)
    assert bench.summary()["strip"] == {"frames": 1, "colours": ["020103", "00f0ff"], **WELL}
    part = bench.world.parts["strip"]
    assert part.quantity("light", 0) == pytest.approx((6 + 0xF0 + 0xFF) / (6 * 255))


@pytest.mark.parametrize(
    ("order", "data", "colour"),
    [
        ("RGB", [1, 2, 3], "010203"),
        ("GRB", [1, 2, 3], "020103"),
        ("GRBW", [1, 2, 3, 4], "02010304"),
    ],
)
def test_orders(tmp_path, order, data, colour):
    wire = Wire()
    wire.frame(data)
    found = seen(tmp_path, wire, 1, f'order = "{order}"\n').summary()["strip"]
    assert found["colours"] == [colour] and found["malformed_bits"] == 0


@pytest.mark.parametrize(
    ("zero", "one", "well"),
    [
        ((224, 1000), (584, 600), True),  # the shortest
        ((544, 1000), (1000, 600), True),  # the longest
        ((312, 938), (812, 438), True),  # by counted loops at 16 MHz
        ((200, 1000), (800, 450), False),
        ((400, 850), (1100, 450), False),
        ((400, 1600), (800, 450), False),  # too long from rise to rise
        ((400, 232), (800, 450), False),  # too short
        ((400, 256), (800, 450), True),
        ((400, 850), (800, 20_000), False),  # as by an interrupt
        ((400, 200), (800, 450), False),
        ((400, 850), (800, 200), False),
    ],
)
def test_pulses_within_the_data_sheets_are_well(tmp_path, zero, one, well):
    """And what bits they are is taken even so."""
    wire = Wire()
    wire.frame([0xAA, 0x55, 0x0F], zero=zero, one=one)
    found = seen(tmp_path, wire, 1).summary()["strip"]
    assert found["colours"] == ["55aa0f"] and found["frames"] == 1
    assert (found["malformed_bits"] == 0) == well


def test_each_malformed_bit_is_counted(tmp_path):
    wire = Wire()
    wire.bits([0xFF, 0xFF])
    wire.pulse(150, 1000)
    wire.pulse(1200, 500)
    wire.pulse(565, 600)
    wire.pulse(570, 600)
    wire.pulse(400, 30_000)
    wire.pulse(400, 850)
    wire.pulse(800, 450)
    wire.pulse(800, RESET)
    found = seen(tmp_path, wire, 1).summary()["strip"]
    assert found["malformed_bits"] == 5 and found["colours"] == ["ffff" + f"{0b01010011:02x}"]


@pytest.mark.parametrize(("reset", "frames"), [("280 us", 1), ("50 us", 2)])
def test_a_pause_ends_a_frame_of_some_lamps_only(tmp_path, reset, frames):
    wire = Wire()
    wire.bits([1, 2, 3])
    wire.ns += 100_000
    wire.frame([4, 5, 6])
    found = seen(tmp_path, wire, 2, f'reset = "{reset}"\n').summary()["strip"]
    assert found["frames"] == frames
    assert found["colours"] == (["020103", "050406"] if frames == 1 else ["050406", "000000"])


def test_frames_too_short_and_too_long(tmp_path):
    wire = Wire()
    wire.frame([9, 9, 9, 9, 9, 9])
    wire.frame([1, 2, 3, 4])
    wire.frame([7, 7, 7, 8, 8, 8, 5, 5, 5])
    wire.frame([1, 1, 1])
    found = seen(tmp_path, wire).summary()["strip"]
    assert found["frames"] == 4 and found["colours"] == ["010101", "080808"]
    assert found["frames_cut_short"] == 1 and found["frames_too_long"] == 1
    frames = seen(tmp_path, wire).world.parts["strip"].pictures()[1].contents["frames"]
    assert [colours for _, colours in frames] == [
        "090909 090909",
        "020103 090909",
        "070707 080808",
        "010101 080808",
    ]


def test_a_frame_counts_when_its_pause_is_over(tmp_path):
    wire = Wire()
    wire.bits([1, 2, 3])
    wire.ns += 200_000
    assert seen(tmp_path, wire).summary()["strip"]["frames"] == 0
    wire.ns += 100_000
    bench = seen(tmp_path, wire)
    assert bench.summary()["strip"]["frames"] == 1
    cycle, _ = bench.world.parts["strip"].frames[0]
    (fell, _, _) = wire.edges[-1]
    assert bench.ns(cycle - fell) == 280_000


def test_the_light_of_a_strip_is_that_of_now(tmp_path):
    """A frame is seen as soon as its pause is over, though no other follows."""
    wire = Wire()
    wire.frame([255] * 6)
    wire.ns += 20_000_000
    more = '[parts.p]\ntype = "potentiometer"\npin = "A0"\nposition = "strip.light"\n'
    volts = [volts for _, _, volts in seen(tmp_path, wire, 2, more).machine.analog]
    assert volts[0] == 0 and volts[-1] == pytest.approx(3.3)


@pytest.mark.parametrize("seed", range(5))
def test_any_frames_within_the_data_sheets(tmp_path, seed):
    chance = random.Random(seed)
    wire, count = Wire(), chance.randrange(1, 30)
    frames = [chance.randbytes(3 * count) for _ in range(10)]
    for data in frames:
        for byte in data:
            for bit in range(7, -1, -1):
                lengths = range(73, 125) if byte >> bit & 1 else range(28, 68)  # of 8 ns
                high = chance.choice(lengths)
                low = chance.randrange(max(28, 83 - high), 230 - high)
                wire.pulse(CYCLE * high, CYCLE * low)
        wire.ns += RESET
    bench = seen(tmp_path, wire, count)
    found, part = bench.summary()["strip"], bench.world.parts["strip"]
    assert found["malformed_bits"] == 0 and found["frames"] == 10

    def colours(data):
        lamps = [data[n : n + 3] for n in range(0, len(data), 3)]
        return [bytes((red, green, blue)).hex() for green, red, blue in lamps]

    assert found["colours"] == colours(frames[-1])
    kept = [one.split() for _, one in part.pictures()[1].contents["frames"]]
    assert kept == [colours(data) for data in frames]


def test_pictures(tmp_path):
    wire = Wire()
    wire.frame([0x10, 0xFF, 0x20, 0, 0, 0])
    wire.frame([0xFF, 0x10, 0x20, 0, 0, 0])
    now, frames = seen(tmp_path, wire).world.parts["strip"].pictures()
    assert now.rows == [[("■ ", "#48ff63"), ("· ", "")]]  # as a screen shows that light
    assert now.contents == {"colours": ["10ff20", "000000"]}
    canvas = now.canvas
    middle = 3 * (15 * canvas.width + 15)
    assert (canvas.width, canvas.height) == (56, 30)
    assert canvas.rgb[middle : middle + 3] == bytes((0x48, 0xFF, 0x63))
    assert frames.name == "frames" and frames.rows == []
    assert frames.canvas.rgb[:3] == bytes((0xFF, 0x48, 0x63))
    assert frames.canvas.rgb[-3 * 44 :][:3] == bytes((0x48, 0xFF, 0x63))
