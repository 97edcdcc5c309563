"""Serial ports."""

from __future__ import annotations

import itertools
import re

import pytest
from everywhere import OURS

CLOCK = 15
EINVAL, ETIMEOUT = -4, -1
RINGS = {"stm32f051": (128, 64)}  # to send and received; others: 256 and 128
BYTE_US = 10 / 115200 * 1e6
pytestmark = pytest.mark.parametrize("board", (*OURS, "sim"))


def started(bench):
    b = bench("serial")
    b.machine.log_pin(b.pin(CLOCK))
    return b


def test_writers_wait_alone_and_their_lines_stay_whole(bench) -> None:
    b = started(bench)
    b.machine.uart_send(0, b"hello", b.cycle(200_000))
    assert b.run(600_000) == "time"
    lines = b.text.splitlines()
    assert lines[0].startswith("before the start") and lines[3].endswith("1234567")
    known = re.compile(r"[ 0-9]+|before.*|x{599}|y{299}|got .*|\w+=-?\d+")
    assert [line for line in lines if not known.fullmatch(line)] == []
    assert (lines.count("x" * 599), lines.count("y" * 299)) == (3, 3)
    assert "got hello" in lines
    assert b.values("nothing") == [ETIMEOUT]
    assert b.values("peek")[0] == ord("h")
    assert b.values("free") == [RINGS.get(b.board, (256, 128))[0]]
    assert b.values("flush_waited") == [1]
    # later than that, another thread writes while it holds a mutex that keeps everybody away
    times = [us for us, _ in b.edges(CLOCK)[1:] if us < 200_000]
    steps = [later - sooner for sooner, later in itertools.pairwise(times)]
    assert len(steps) > 175 and max(steps) < 1100 and min(steps) > 900


def test_the_wire_is_kept_busy(bench) -> None:
    b = started(bench)
    b.run(150_000)
    ends = [us for us, _ in b.sent]
    gaps = [later - sooner for sooner, later in itertools.pairwise(ends[:1500])]
    assert max(gaps) < 2 * BYTE_US
    assert abs(sum(gaps) / len(gaps) - BYTE_US) < 0.02 * BYTE_US


def test_bytes_nobody_reads_are_counted(bench) -> None:
    b = started(bench)
    b.machine.uart_send(1, bytes(range(256)) + bytes(44), b.cycle(45_000))
    b.run(300_000)
    assert b.values("port1") == [0]
    assert b.values("port2") == b.values("bits9") == [EINVAL]
    assert b.values("wrong") == [0]
    read, lost = b.values("read")[0], b.values("lost")[0]
    ring = RINGS.get(b.board, (256, 128))[1]
    assert read == ring and 0 < lost <= 300 - ring


def test_a_write_under_a_mutex_is_polled_and_whole(bench) -> None:
    b = started(bench)
    b.run(1_000_000)
    port1 = bytes(byte for _, byte in b.machine.uart_take(1))
    assert port1 == bytes(ord("a") + i % 26 for i in range(400))
    assert b.values("locked_write") == [400]
    assert b.values("closed") == [0] and b.values("write_closed") == [EINVAL]
