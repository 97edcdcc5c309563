"""Loops that share an SPI bus, polled and by interrupt: nobody's budget matters to the others."""

from __future__ import annotations

import pytest
from devices import Complement

SECOND, THIRD, FOURTH = 5, 6, 7  # chip selects of the loops
SLOW_US = 40 * 8 * 4
LARGE = {"pico": 4000, "stm32f051": 1500}
BYTE_US = {"pico": 8 / 7.8125, "stm32f051": 5.5}  # on the wire; the M0 needs longer to move it
OTHER_US = 100
MORE_URGENT_US = 5_000


@pytest.fixture(scope="module")
def devices(board):
    return {pin: Complement() for pin in (SECOND, THIRD, FOURTH)}


@pytest.fixture(scope="module")
def done(run, devices):
    return run("spi_shared", spi=devices).to(2)


def word(done, name: str) -> int:
    return done.machine.word(done.machine.symbol(name))


def test_transfers_are_whole(done, devices, board) -> None:
    sizes = {pin: {len(block) for block in device.blocks[:-1]} for pin, device in devices.items()}
    assert sizes == {SECOND: {4}, THIRD: {40}, FOURTH: {LARGE[board]}}
    assert word(done, "broken") == 0
    assert word(done, "whole") >= 90 + 35 + 15


def test_a_loop_without_budget_does_not_keep_the_bus(done, board) -> None:
    """The second loop goes on with the transfer whose loop may not; then it is its turn."""
    threads = done.result().threads()
    assert threads[3]["exhausted"] > 10
    most = word(done, "most_us")
    large_us = LARGE[board] * BYTE_US[board]
    assert most <= max(large_us, SLOW_US) * 1.1 + OTHER_US + MORE_URGENT_US


def test_everybody_gets_the_budget(done) -> None:
    assert [thread["misses"] for thread in done.result().threads()] == [0] * 4
