"""Bytes, formats and mistakes: what comes over the bus and what the sketch is told."""

from __future__ import annotations

import pytest
from conftest import EVERY
from devices import Complement

pytestmark = EVERY
EINVAL, ECONTEXT = -4, -3
SELECT = 17
SIZES = [1, 7, 8, 9, 20, 300]
SLOW, FAST = 250e3, 7.8125e6  # 8 MHz is not possible, the next below is


@pytest.fixture(scope="module")
def device(board):
    return Complement()


@pytest.fixture(scope="module")
def done(run, device):
    r = run("spi_transfers", spi={SELECT: device}).to(0.3)
    assert r.values("over") == [1]
    return r


EXPECTED = {
    "words": 20, "words_wrong": 0, "send_only": 3, "receive_only": 3, "zero": 0,
    "lsb": 0xFE, "word": 0xEDCB, "block": 0xFEFD, "legacy": 0xAA,
    "einval_bus": EINVAL, "einval_closed": EINVAL, "einval_bits": EINVAL, "einval_hz": EINVAL,
    "einval_pins": EINVAL, "locked": ECONTEXT, "ended": EINVAL,
}  # fmt: skip
# The uno moves bytes only: no frames of 12 bits, and the device answers each half of one of 16.
UNO = {"words": EINVAL, "words_wrong": 19, "send_only": EINVAL, "word": 0xCBFF}


def test_what_the_sketch_is_told(done, board) -> None:
    expected = EXPECTED | (UNO if board == "uno" else {})
    assert done.values("moved") == SIZES * 2
    assert done.values("wrong") == [0] * 12
    found = {name: [value & 0xFFFF for value in done.values(name)] for name in expected}
    assert found == {name: [value & 0xFFFF] for name, value in expected.items()}


def test_what_the_device_saw(done, device, board) -> None:
    text = [i * 7 % 256 for i in range(300)]
    blocks = [text[:n] for n in SIZES] * 2
    words = [i * 100 for i in range(20)]
    if board != "uno":
        blocks += [words, words[:3]]
    word = [0x12, 0x34, 0, 0] if board == "uno" else [0x1234, 0]
    blocks += [[0] * 3, [0x80, 0], word, [1, 2, 3], [0x55, 0]]
    assert device.blocks == blocks


def test_it_takes_what_the_wire_takes(done, board) -> None:
    if board != "pico":
        pytest.skip("the CPU is slower than the wire")
    times = iter(done.values("us"))
    for hz in (SLOW, FAST):
        for n in SIZES:
            least = (n * 9.5 - 1.5) / hz * 1e6  # in mode 0 there is a gap between frames
            idle = 32 / hz * 1e6 if hz == SLOW and n % 4 else 0  # seen by a time-out
            assert least <= next(times) < 1.05 * least + idle + 80, (hz, n)


def test_only_slow_and_long_transfers_interrupt(done, board) -> None:
    """Sizes 7 to 300 at 250 kHz, every four frames."""
    counts = {one["name"]: one["count"] for one in done.result().interrupts()}
    if board != "pico":
        assert "SPI" not in counts, "threads serve every transfer"
        return
    assert 300 / 4 <= counts["SPI"] <= (7 + 8 + 9 + 20 + 300) / 4 + 8


def test_nobody_missed_anything(done) -> None:
    assert [thread["misses"] for thread in done.result().threads()] == [0]
