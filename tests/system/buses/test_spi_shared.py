"""Loops that share an SPI bus, polled and by interrupt: nobody's budget matters to the others."""

from __future__ import annotations

import pytest
from devices import Complement

SECOND, THIRD, FOURTH = 5, 6, 7  # chip selects of the loops
SLOW_US = 40 * 8 * 4
LARGE_US = 4000 * 8 / 7.8125
OTHER_US = 100
MORE_URGENT_US = 5_000


@pytest.fixture(scope="module")
def devices():
    return {pin: Complement() for pin in (SECOND, THIRD, FOURTH)}


@pytest.fixture(scope="module")
def done(run, devices):
    return run("spi_shared", spi=devices).to(2)


def word(done, name: str) -> int:
    return done.machine.word(done.machine.symbol(name))


def test_transfers_are_whole(done, devices) -> None:
    sizes = {pin: {len(block) for block in device.blocks[:-1]} for pin, device in devices.items()}
    assert sizes == {SECOND: {4}, THIRD: {40}, FOURTH: {4000}}
    assert word(done, "broken") == 0
    assert word(done, "whole") >= 100 + 40 + 15


def test_a_loop_without_budget_does_not_keep_the_bus(done) -> None:
    """The second loop goes on with the transfer whose loop may not; then it is its turn."""
    threads = done.result().threads()
    assert threads[3]["exhausted"] > 10
    most = word(done, "most_us")
    assert most <= max(LARGE_US, SLOW_US) * 1.1 + OTHER_US + MORE_URGENT_US


def test_everybody_gets_the_budget(done) -> None:
    assert [thread["misses"] for thread in done.result().threads()] == [0] * 4
