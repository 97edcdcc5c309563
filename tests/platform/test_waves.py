"""Waves on input pins: edges, levels, latches, interrupts, and what a storm costs."""

from __future__ import annotations

import itertools
import time

import bare_board as board
import pytest
from bare_board import HZ, IO_BANK0, NVIC_ENABLE, PADS, SIO
from takt.machine.machine import Machine, PlatformError
from takt.machine.wave import Random, Square

PIN = 10
INTR, INTE, INTS = IO_BANK0 + 0xF4, IO_BANK0 + 0x104, IO_BANK0 + 0x124  # of pins 8-15
LOW, HIGH, FALL, RISE = (1 << 8, 2 << 8, 4 << 8, 8 << 8)


def level(m: Machine) -> int:
    return m.bus_read(SIO + 4) >> PIN & 1


def latched(m: Machine) -> int:
    return m.bus_read(INTR) & (FALL | RISE)


def test_edges_levels_and_count() -> None:
    m = board.board()
    start = m.now + 1000
    m.pin_wave(PIN, 100, start, start + 1000)
    assert (level(m), m.pin_wave_edges(PIN)) == (0, 0)
    for _ in range(300):
        board.wait(m, 7)
        passed = m.now - start
        wanted = 0 if passed < 0 else min(passed // 100 + 1, 10)
        assert m.pin_wave_edges(PIN) == wanted
        assert level(m) == m.pin_level(PIN) == wanted & 1
    assert m.pin_wave_edges(PIN) == 10 and level(m) == 0


@pytest.mark.parametrize("half", [62.5, 1.25, 2083 + 1 / 3])
def test_fractions_of_cycles_do_not_drift(half) -> None:
    m = board.board()
    start = m.now + 10
    m.log_pin(PIN, inputs=True)
    m.pin_wave(PIN, half, start)
    board.wait(m, 50_000)
    m.run(start + 50_001)
    edges = [cycle - start for cycle, _, _ in m.pin_edges()]
    assert edges == [int(n * half + 0.5) for n in range(len(edges))]
    unseen = board.board()
    unseen.pin_wave(PIN, half, start)
    unseen.run(m.now)
    passed = itertools.takewhile(
        lambda n: int(n * half + 0.5) <= unseen.now - start, itertools.count()
    )
    assert unseen.pin_wave_edges(PIN) == len(list(passed))


@pytest.mark.parametrize("wave", [Square(9000, 62.5, 40_000), Random(9000, 7, 300, 99, 60_000)])
def test_worlds_know_the_edges_the_platform_makes(wave) -> None:
    m = board.board()
    assert m.now < wave.start
    m.log_pin(PIN, inputs=True)
    wave.drive(m, PIN)
    board.wait(m, 80_000)
    edges = [cycle for cycle, _, _ in m.pin_edges()]
    assert edges == [wave.edge(n) for n in range(wave.edges_until(m.now))]
    assert len(edges) == m.pin_wave_edges(PIN)


@pytest.mark.parametrize("period, seed", [(100, None), ((1, 300), 5), (50, 9)])
def test_a_logged_wave_is_the_same_as_an_unseen_one(period, seed) -> None:
    counts, logs = [], []
    for inputs in (False, True, True):
        m = board.board()
        start = m.now + 10
        m.log_pin(PIN, inputs=inputs)
        m.pin_wave(PIN, period, start, None, seed)
        board.wait(m, 100_000)
        m.run(start + 100_001)
        counts.append(m.pin_wave_edges(PIN))
        logs.append([(cycle - start, value) for cycle, _, value in m.pin_edges()])
    assert logs[0] == [] and logs[1] == logs[2] and len(set(counts)) == 1
    assert 0 <= counts[0] - len(logs[1]) <= 1 and logs[1][0] == (0, 1)
    distances = [b - a for (a, _), (b, _) in itertools.pairwise(logs[1])]
    shortest, longest = (100, 100) if seed is None else (1, 99) if seed == 9 else period
    assert shortest <= min(distances) and max(distances) <= longest
    if seed is not None:
        assert abs(sum(distances) / len(distances) / ((shortest + longest) / 2) - 1) < 0.1
    assert all(a != b for (_, a), (_, b) in itertools.pairwise(logs[1]))


def test_latches_hear_masked_edges_and_merge_them() -> None:
    m = board.board()
    start = m.now + 1000
    m.pin_wave(PIN, 100, start)
    m.run(start + 10)
    assert latched(m) == RISE and m.bus_read(INTR) & (LOW | HIGH) == HIGH
    m.run(start + 110)
    assert latched(m) == RISE | FALL
    m.bus_write(INTR, RISE | FALL)
    assert latched(m) == 0
    m.run(start + 210)
    assert latched(m) == RISE
    m.bus_write(INTR, RISE)
    m.run(start + 210 + 100_000)  # a thousand edges are two latches
    assert latched(m) == RISE | FALL and m.bus_read(INTS) & (RISE | FALL) == 0


@pytest.mark.parametrize("edge, offset", [(RISE, 200), (FALL, 100), (RISE | FALL, 100)])
def test_the_next_enabled_edge_interrupts_at_its_cycle(edge: int, offset: int) -> None:
    m = board.board()
    start = m.now + 1000
    m.pin_wave(PIN, 100, start)
    m.bus_write(NVIC_ENABLE, 1 << 13)
    m.run(start + 50)
    m.bus_write(INTR, RISE | FALL)
    m.bus_write(INTE, edge)
    handler = board.run_to_handler(m, 1000)
    assert start + offset + 15 <= handler <= start + offset + 16
    assert board.active_interrupt(m) == 13


def test_a_latched_edge_interrupts_as_soon_as_it_is_unmasked() -> None:
    m = board.board()
    m.pin_wave(PIN, 100, m.now, m.now + 300)
    m.bus_write(NVIC_ENABLE, 1 << 13)
    board.wait(m, 1000)
    begin = m.now
    m.bus_write(INTE, FALL)
    assert board.run_to_handler(m, 100) - begin <= 18


def test_levels_interrupt_at_every_change() -> None:
    m = board.board()
    start = m.now + 1000
    m.pin_wave(PIN, 500, start)
    m.bus_write(INTE, HIGH)
    seen = []
    while m.now < start + 2500:
        board.wait(m, 20)
        seen.append((m.bus_read(INTS) & HIGH != 0, m.now - start))
    assert all(on == (at >= 0 and at // 500 % 2 == 0) for on, at in seen)


def test_an_input_turned_off_hears_nothing() -> None:
    m = board.board()
    m.bus_write(PADS + 4 + 4 * PIN, 0x16)
    m.pin_wave(PIN, 100, m.now)
    m.bus_write(INTR, RISE | FALL)
    m.bus_write(INTE, RISE | FALL)
    board.wait(m, 1000)
    assert latched(m) == 0 and level(m) == 0
    m.bus_write(PADS + 4 + 4 * PIN, 0x56)
    board.wait(m, 110)
    assert latched(m) != 0


def test_several_waves_and_driving_a_pin_ends_one() -> None:
    m = board.board()
    start = m.now + 100
    for pin in (3, 4):
        m.pin_wave(pin, 10 * pin, start)
    m.pin_drive(3, 1, at=start + 95)
    m.run(start + 1000)
    assert m.pin_wave_edges(3) == 4 and m.pin_level(3) == 1
    assert m.pin_wave_edges(4) == (m.now - start) // 40 + 1
    m.pin_wave(4, 10, m.now)
    assert m.pin_wave_edges(4) == 1 and m.pin_level(4) == 1
    for wrong in ((31, 10), (3, 0), (3, (5, 4))):
        with pytest.raises(PlatformError):
            m.pin_wave(*wrong, 0)


# Every edge interrupts; the handler masks the pin. A timer unmasks it every 100 us.
STORM = """
_start:
    b _start
storm:
    ldr r6, =0x40054000
    movs r5, #0
    movs r0, #1
    str r0, [r6, #0x38]
    ldr r0, [r6, #0x28]
    adds r0, #100
    str r0, [r6, #0x10]
    ldr r0, =(1 << 13) | 1
    ldr r1, =0xe000e100
    str r0, [r1]
idle:
    wfi
    b idle
irq:
    mrs r0, ipsr
    movs r2, #1
    cmp r0, #16
    beq timer
    ldr r1, =0x40017100     // INTE, atomic clear
    movs r2, #0xc
    lsls r2, #8
    str r2, [r1, #4]
    adds r5, #1
    bx lr
timer:
    str r2, [r6, #0x34]
    ldr r0, [r6, #0x10]
    adds r0, #100
    str r0, [r6, #0x10]
    ldr r1, =0x400140f0     // INTR
    movs r2, #0xc
    lsls r2, #8
    str r2, [r1, #4]
    ldr r1, =0x40016100     // INTE, atomic set
    str r2, [r1, #4]
    bx lr
"""


@pytest.mark.parametrize("hz, seed", [(1_000_000, None), (10_000_000, None), (1_000_000, 7)])
def test_a_storm_costs_little_while_it_is_masked(assemble, capsys, hz: int, seed) -> None:
    firmware = assemble(STORM, irq="irq")
    m = firmware.machine
    board.start_clocks(m)
    m.set_register(15, firmware.at("storm"))
    start, seconds = m.now, 3
    m.pin_wave(PIN, HZ // hz // 2, start, None, seed)
    begin = time.perf_counter()
    m.run(start + seconds * HZ)
    host = time.perf_counter() - begin
    edges = m.pin_wave_edges(PIN)
    with capsys.disabled():
        print(f"\n{hz / 1e6:g} MHz, seed {seed}: 60 s of it take {host * 60 / seconds:.1f} s")
    assert m.register(5) in (seconds * 10_000 - 1, seconds * 10_000, seconds * 10_000 + 1)
    assert abs(edges / (2 * hz * seconds) - 1) < 0.05
