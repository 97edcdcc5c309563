"""Wires held low, clocks stretched for ever: a code, a bus that works again, loops undisturbed."""

from __future__ import annotations

import pytest
from conftest import EVERY
from devices import Memory, Stretcher
from takt import boards

pytestmark = EVERY
FINE, ABSENT, OTHER, TIMED_OUT = 0, 2, 4, 5
TIMEOUT_US, FREEING_US = 10_000, 5_000
OTHER_LOOP_US = 4_500  # what the more urgent loop takes meanwhile
FREEING_MORE_US = {"uno": 3_000}  # the interrupts of its steps


class Fading(Stretcher):
    """Holds SCL for ever in its fifth transaction, and is well after that."""

    def stretch(self) -> int:
        return self.cycles if self.seen.count("W") == 5 and not self.over else 0

    over = False


def undisturbed(run) -> None:
    threads = run.result().threads()
    assert [thread["misses"] for thread in threads] == [0] * len(threads)
    assert threads[0]["cpu_us_min"] >= threads[0]["least_us"]


def test_a_device_that_never_lets_go_of_the_clock(run, board) -> None:
    device, freeing = Fading(), FREEING_US + FREEING_MORE_US.get(board, 0)
    r = run("i2c_faults", {0x50: device}).to(0.5)
    codes = r.values("code")
    assert codes[:4] == [FINE] * 4 and codes[4] == TIMED_OUT
    assert set(codes[5:]) == {OTHER}, "SCL is still low: nothing can be done, and that is told"
    assert TIMEOUT_US <= r.values("us")[4] <= TIMEOUT_US + freeing
    assert max(r.values("us")[5:]) <= freeing + OTHER_LOOP_US
    assert r.values("flag") == [1]
    undisturbed(r)
    device.over = True
    r.machine.i2c_hold(0, sda=None, scl=False)
    r.to(0.7)
    assert r.values("code")[-2:] == [FINE] * 2


def test_a_clock_stretched_within_the_time_does_no_harm(run, board) -> None:
    device = Stretcher(boards.load(board).clock_hz // 400)  # 2.5 ms before each byte
    r = run("i2c_faults", {0x50: device}).to(0.3)
    assert set(r.values("code")) == {FINE}
    assert min(r.values("us")) > 5000
    undisturbed(r)


@pytest.mark.parametrize("clocks", [1, 5, 9])
def test_sda_held_low_is_clocked_free(run, clocks: int) -> None:
    """A device that was interrupted while it sent: it waits for its clocks."""
    device = Memory()
    r = run("i2c_faults", {0x50: device}).to(0.1)
    before = len(device.seen)
    r.machine.i2c_hold(0, sda=True, scl=None, clocks=clocks)
    r.to(0.3)
    assert set(r.values("code")) == {FINE}, "found before the transaction, freed, and then written"
    assert len(device.seen) > before
    undisturbed(r)


def test_sda_that_stays_low_is_an_error_and_not_for_ever(run) -> None:
    device = Memory()
    r = run("i2c_faults", {0x50: device}).to(0.1)
    fine = len(r.values("code"))
    r.machine.i2c_hold(0, sda=True, scl=None)
    r.to(0.3)
    assert set(r.values("code")[fine + 1 :]) == {OTHER}
    assert max(r.values("us")[fine + 1 :]) <= FREEING_US + OTHER_LOOP_US
    undisturbed(r)
    r.machine.i2c_hold(0, sda=False, scl=None)
    r.to(0.4)
    assert r.values("code")[-2:] == [FINE] * 2


def test_a_line_pulled_low_in_the_middle(run) -> None:
    """Lost arbitration: the controller sees another level than it sends."""
    device = Memory()
    r = run("i2c_faults", {0x50: device}).to(0.1)
    hold = iter([True])

    def write(byte: int) -> bool:
        if next(hold, False):
            r.machine.i2c_hold(0, sda=True, scl=None, clocks=4)
        return True

    device.write = write
    r = r.to(0.2)
    codes = r.values("code")
    assert codes.count(OTHER) + codes.count(3) <= 1 and codes[-2:] == [FINE] * 2
    undisturbed(r)


def test_an_empty_bus_answers_at_once(run) -> None:
    r = run("i2c_faults", {0x20: Memory()}).to(0.2)
    assert set(r.values("code")) == {ABSENT}
    assert max(r.values("us")) < 1000 + OTHER_LOOP_US
    undisturbed(r)
