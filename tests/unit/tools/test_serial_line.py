"""Serial devices on pins: frames are written and read here bit by bit."""

from __future__ import annotations

import pytest
from bench_of import MS, NS, S, driven, run

TX, RX = 4, 3

TERMINAL = f'[parts.t]\ntype = "serial-terminal"\ntx = {TX}\nrx = {RX}\n'


def frames(data, at, bit):
    """Edges of bytes one behind the other: 8N1, the lowest bit first."""
    level, found = 1, []
    for nth, byte in enumerate(data):
        line = "0" + f"{byte:08b}"[::-1] + "1"
        for n, wanted in enumerate(int(one) for one in line):
            if wanted != level:
                found.append((round(at + (10 * nth + n) * bit), RX, wanted))
            level = wanted
    return found


def read_back(edges, bit):
    """Bytes of a line, which is high until its first edge."""
    edges = sorted(edges)
    found, free = [], 0
    for cycle, level in edges:
        if level or cycle < free:
            continue

        def at(n, start=cycle):
            seen = [value for when, value in edges if when <= start + (n + 0.5) * bit]
            return seen[-1]

        assert (at(0), at(9)) == (0, 1)
        found.append(sum(at(1 + n) << n for n in range(8)))
        free = cycle + 9.5 * bit
    return bytes(found)


@pytest.mark.parametrize("baud", [300, 9600, 115200])
def test_what_it_sends_is_on_the_pin(tmp_path, baud):
    world = TERMINAL + f'baud = {baud}\nsend = [["1 ms", "A"], ["2 ms", "z~U"]]\n'
    bench = run(tmp_path, world, S, ())
    edges = driven(bench, TX)
    assert edges[0] == (0, 1)
    assert read_back(edges[1:], S / baud) == b"Az~U"
    starts = edges[1][0]
    assert starts == MS


@pytest.mark.parametrize("speed", [0.97, 1, 1.03])
def test_what_the_board_sends_is_heard(tmp_path, speed):
    data = bytes([0x00, 0xFF, 0x55, 0xAA, ord("h"), ord("\n")])
    edges = frames(data, 5 * MS, S / 9600 / speed)
    bench = run(tmp_path, TERMINAL, S, edges)
    part = bench.world.parts["t"]
    assert bytes(part.received) == data
    assert part.summary() == {
        "sent_bytes": 0, "received_bytes": 6, "lines": 1, "malformed_bytes": 0
    }  # fmt: skip
    assert part.first_cycle == 5 * MS + round(10 * S / 9600)


def test_another_speed_is_counted(tmp_path):
    edges = frames(b"\x00" * 20, 5 * MS, S / 4800)
    found = run(tmp_path, TERMINAL, S, edges).summary()["t"]
    assert found["malformed_bytes"] > 0


def test_a_spike_is_no_byte(tmp_path):
    edges = [(5 * MS, RX, 0), (5 * MS + round(1000 * NS), RX, 1)]
    found = run(tmp_path, TERMINAL, S, edges).summary()["t"]
    assert (found["malformed_bytes"], found["received_bytes"]) == (1, 0)


def test_a_gps_receiver_on_pins(tmp_path):
    world = f'[parts.g]\ntype = "gps-receiver"\ntx = {TX}\nbaud = 9600\nstop = "300 ms"\n'
    bench = run(tmp_path, world, S)
    sent = read_back(driven(bench, TX)[1:], S / 9600)
    assert len(sent) == bench.summary()["g"]["sent_bytes"] > 100
    for line in sent.decode().splitlines():
        body, check = line[1:].split("*")
        total = 0
        for letter in body.encode():
            total ^= letter
        assert int(check, 16) == total
