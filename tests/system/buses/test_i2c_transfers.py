"""Bytes, refusals and mistakes: what comes over the bus and what the sketch is told."""

from __future__ import annotations

import pytest
from conftest import EVERY
from devices import Memory, Refuser, Stretcher

pytestmark = EVERY
EINVAL, ECONTEXT = -4, -3
FINE, TOO_LONG, ABSENT, REFUSED, OTHER = 0, 1, 2, 3, 4
BYTE_US = {("uno", 100e3): 35, ("uno", 400e3): 59}  # at 400 kHz nothing of it overlaps
MORE_US = {"stm32f051": 700}  # others: 500
MEMORY, REFUSER, SLOW = 0x50, 0x51, 0x53


@pytest.fixture(scope="module")
def devices(board):
    return {MEMORY: Memory(), REFUSER: Refuser(3), SLOW: Stretcher(20_000)}


@pytest.fixture(scope="module")
def done(run, devices):
    r = run("i2c_transfers", devices).to(1)
    assert r.values("over") == [1]
    return r


EXPECTED = {
    "put1": FINE, "put20": FINE, "put_most": FINE, "put_more": TOO_LONG,
    "held": FINE, "got": 20, "available": 20, "peek": 100, "wrong": 0, "end": -1,
    "inner": 3, "inner0": 101,
    "nobody": ABSENT, "nobody_got": 0, "refused": REFUSED, "refused_long": REFUSED, "slow": FINE,
    "probe": FINE, "probe_nobody": ABSENT, "no_begin": OTHER,
    "long_out": 201, "long_both": 200, "long_same": 1, "fast": 250, "fast_same": 1,
    "einval_bus": EINVAL, "einval_address": EINVAL, "einval_time": EINVAL,
    "einval_closed": EINVAL, "einval_pins": EINVAL, "einval_hz": EINVAL, "locked": ECONTEXT,
    "ended": OTHER, "clamped": FINE,
}  # fmt: skip


def test_what_the_sketch_is_told(done) -> None:
    assert {name: done.values(name) for name in EXPECTED} == {
        name: [value] for name, value in EXPECTED.items()
    }


def test_what_the_devices_saw(done, devices) -> None:
    memory = devices[MEMORY]
    wanted = bytearray(range(256))
    wanted[0:1] = bytes([100])
    wanted[20:40] = bytes(range(100, 120))
    most = done.values("most")[0] - 1
    wanted[64 : 64 + most] = bytes(range(100, 100 + most))
    wanted[10:210] = bytes(i * 7 % 256 for i in range(1, 201))
    assert memory.cells == wanted
    ones = ["W", "P"] * 3  # the fourth was too long
    repeated = ["W", "R", "P"]  # no stop before the repeated start
    assert memory.seen == ones + repeated * 2 + ["W", "P"] * 2 + repeated * 2 + ["W", "P"]
    assert devices[SLOW].cells[7:10] == bytes([100, 101, 102])


def test_the_wire_is_kept_busy(done, board) -> None:
    """Nine bits a byte, addresses included, and not half a millisecond more (the stm32f051 needs
    some of that to print); on the uno a byte also waits for its interrupt."""
    for name, count, hz in (
        ("long_out_us", 202, 100e3), ("long_both_us", 203, 100e3), ("fast_us", 253, 400e3)
    ):  # fmt: skip
        least = count * 9 / hz * 1e6
        more = MORE_US.get(board, 500) + count * BYTE_US.get((board, hz), 0)
        assert least < done.values(name)[0] < least + more, name


def test_interrupts_are_few(done, devices, board) -> None:
    """The RP2040 has a FIFO; elsewhere every byte is an interrupt."""
    counts = {one["name"]: one["count"] for one in done.result().interrupts()}
    transactions = devices[MEMORY].seen.count("P") + 10
    every = 12 if board == "pico" else 1
    assert counts["Wire"] < 2 * transactions + (3 * 250 + 60) / every


def test_nobody_missed_anything(done) -> None:
    assert [thread["misses"] for thread in done.result().threads()] == [0]
