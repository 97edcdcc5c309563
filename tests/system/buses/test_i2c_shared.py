"""Loops that share a bus: who is next, and that nobody's budget matters to the others."""

from __future__ import annotations

import pytest
from devices import Memory

ADDRESSES = (0x22, 0x33, 0x44)
LONG_US = 61 * 9 * 10 + 100  # 60 bytes at 100 kHz, and what surrounds them
SHORT_US = 3 * 9 * 10 + 100
MORE_URGENT_US = 5_000
TIMEOUT_US, FREEING_US = 25_000, 5_000


class Listener(Memory):
    """Writes down whole transactions in a list shared by all."""

    def __init__(self, heard: list[bytes]) -> None:
        super().__init__()
        self.heard, self.bytes = heard, bytearray()

    def start(self, read: bool) -> bool:
        self.bytes.clear()
        return True

    def write(self, byte: int) -> bool:
        self.bytes.append(byte)
        return True

    def stop(self) -> None:
        self.heard.append(bytes(self.bytes))


@pytest.fixture(scope="module")
def heard(board) -> list[bytes]:
    return []


@pytest.fixture(scope="module")
def done(run, heard):
    return run("i2c_shared", {address: Listener(heard) for address in ADDRESSES}).to(2)


def test_transactions_are_whole(done, heard) -> None:
    whole = {0x22: 2, 0x33: 2, 0x44: 60}
    assert {len(set(one)) for one in heard} == {1}
    assert all(len(one) == whole[one[0]] for one in heard)
    assert {one[0] for one in heard} == set(ADDRESSES)


def test_the_most_urgent_is_next(done, heard) -> None:
    """All begin together: the third loop waits for the bus before the second does."""
    assert [one[0] for one in heard[:3]] == [0x44, 0x22, 0x33]


def test_a_loop_without_budget_does_not_keep_the_bus(done) -> None:
    """The second loop waits for one long transaction at most, and for what is more urgent."""
    least = done.result().threads()[3]
    assert least["exhausted"] > 10 and least["period_us"] == 100_000
    most = done.machine.word(done.machine.symbol("most_us"))
    assert SHORT_US - 100 < most <= LONG_US + SHORT_US + MORE_URGENT_US


def test_everybody_gets_the_budget(done) -> None:
    assert [thread["misses"] for thread in done.result().threads()] == [0] * 4


class Clinging(Listener):
    """Once holds SCL for 60 ms, longer than any time-out, in the middle of a transaction."""

    clung = False

    def stretch(self) -> int:
        if self.clung or len(self.heard) < 20 or len(self.bytes) != 30:
            return 0
        self.clung = True
        self.heard.append(b"clings")
        return 125 * 60_000


def test_a_time_out_needs_nobodys_budget(run) -> None:
    """The loop whose device clings to the clock has used its budget up, and the bus goes on."""
    heard: list[bytes] = []
    devices = {address: Listener(heard) for address in ADDRESSES[:2]}
    r = run("i2c_shared", devices | {0x44: Clinging(heard)}).to(1.5)
    after = heard[heard.index(b"clings") + 1 :]
    assert {one[0] for one in after if len(set(one)) == 1} == set(ADDRESSES)
    assert len(after) > 60
    assert [thread["misses"] for thread in r.result().threads()] == [0] * 4
    most = r.machine.word(r.machine.symbol("most_us"))
    assert most < TIMEOUT_US + FREEING_US + LONG_US + 2 * MORE_URGENT_US
