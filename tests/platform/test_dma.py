"""DMA between memories: registers, transfers, chains, interrupts, as chapter 2.5 of the RP2040's
data sheet says."""

from __future__ import annotations

import random
import struct

import bare_board as board
import bare_dma as dma
import pytest
from bare_dma import DATA, FROM, START, TO, Dma, loaded


@pytest.mark.parametrize("size", dma.SIZES)
def test_a_datum_a_cycle(size: int) -> None:
    d = loaded()
    d.stored(*range(TO, TO + 8 * size, 4))
    start = d.start(3, FROM, TO, 8, dma.control(3, size))
    d.wait(START + 7)
    assert d.busy(3) is False and d.read(dma.INTR) == 1 << 3
    assert d.times(start) == [START + n for n in range(8)]
    assert d.m.read(TO, 8 * size + 4) == DATA[: 8 * size] + bytes(4)
    assert (d.get(3, dma.READ), d.get(3, dma.WRITE)) == (FROM + 8 * size, TO + 8 * size)


def test_count_and_busy_as_it_goes() -> None:
    d = loaded()
    d.start(0, FROM, TO, 5)
    seen = []
    for _ in range(START + 6):
        seen.append((d.get(0, dma.COUNT), d.busy(0)))
        d.wait(1)
    assert seen == [(5, True)] * START + [(n, n > 0) for n in (4, 3, 2, 1, 0, 0)]
    assert d.read(dma.TCR) == 5, "what it is loaded with the next time"
    d.write(0x0C, dma.control(0))
    assert d.get(0, dma.COUNT) == 5 and d.busy(0)


@pytest.mark.parametrize("group", range(4))
def test_all_sets_of_registers_are_the_same_and_their_last_triggers(group: int) -> None:
    d = loaded()
    fields = dma.SETS[group]
    value = {dma.READ: FROM, dma.WRITE: TO, dma.COUNT: 2, dma.CTRL: dma.control(7)}
    for place, field in enumerate(fields):
        assert not d.busy(7)
        d.write(0x40 * 7 + 0x10 * group + 4 * place, value[field])
    value[dma.CTRL] |= dma.BUSY
    for other, names in enumerate(dma.SETS):
        got = [d.read(0x40 * 7 + 0x10 * other + 4 * place) for place in range(4)]
        assert got == [value[field] for field in names], other
    d.wait(START + 2)
    assert d.words(TO, 2) == list(struct.unpack("<2I", DATA[:8]))


def test_addresses_that_stay_and_rings() -> None:
    d = loaded()
    d.start(0, FROM, TO, 3, dma.control(0, 1, dma.INCR_WRITE))
    d.start(1, FROM, TO + 4, 3, dma.control(1, 1, dma.INCR_READ))
    both = dma.INCR_READ | dma.INCR_WRITE
    d.start(2, FROM + 6, TO + 8, 20, dma.control(2, 2, both, ring=3))
    d.start(3, FROM, TO + 64 + 12, 6, dma.control(3, 4, both | dma.RING_WRITE, ring=4))
    d.wait(100)
    assert d.m.read(TO, 5) == DATA[:1] * 3 + bytes(1) + DATA[2:3]
    halves = [FROM + (6 + 2 * n) % 8 for n in range(20)]
    assert d.m.read(TO + 8, 40) == b"".join(DATA[a - FROM : a - FROM + 2] for a in halves)
    expected = bytearray(16)
    for n in range(6):
        at = (12 + 4 * n) % 16
        expected[at : at + 4] = DATA[4 * n : 4 * n + 4]
    assert d.m.read(TO + 64, 16) == bytes(expected)
    assert d.get(3, dma.WRITE) == TO + 64 + (12 + 24) % 16


@pytest.mark.parametrize("size", dma.SIZES)
def test_bytes_are_swapped(size: int) -> None:
    d = loaded()
    flags = dma.INCR_READ | dma.INCR_WRITE | dma.BSWAP
    d.start(0, FROM, TO, 4, dma.control(0, size, flags))
    d.wait(20)
    data = [DATA[size * n : size * (n + 1)][::-1] for n in range(4)]
    assert d.m.read(TO, 4 * size) == b"".join(data)


def test_channels_follow_one_another() -> None:
    d = loaded()
    d.stored(TO, TO + 16)
    d.set_up(5, FROM, TO + 16, 1, dma.control(5))
    start = d.start(2, FROM, TO, 1, dma.control(2, chain=5))
    d.wait(30)
    assert d.times(start) == [START, 2 * START]
    assert d.read(dma.INTR) == 1 << 2 | 1 << 5


def test_a_list_of_control_blocks_ends_with_a_null_trigger() -> None:
    """2.5.6.2: channel 0 writes blocks to the third set of channel 1, which is quiet."""
    d = loaded()
    blocks = [(TO, 1, FROM), (TO + 100, 7, FROM + 9), (TO + 50, 4, FROM + 30)]
    quiet = dma.INCR_READ | dma.INCR_WRITE | dma.QUIET
    d.put(1, dma.CTRL, dma.control(1, 1, quiet, chain=0))
    ring = dma.INCR_READ | dma.INCR_WRITE | dma.RING_WRITE
    words = [
        w for block in [*blocks, (0, 0, 0)] for w in (dma.control(1, 1, quiet, chain=0), *block)
    ]
    d.fill(FROM + 0x1000, struct.pack(f"<{len(words)}I", *words))
    d.start(0, FROM + 0x1000, dma.DMA + 0x70, 4, dma.control(0, 4, ring | dma.QUIET, ring=4))
    d.wait(200)
    for to, count, source in blocks:
        assert d.m.read(to, count) == DATA[source - FROM : source - FROM + count]
    assert d.read(dma.INTR) == 1 << 1, "the trigger of nothing told, nothing else"
    assert not d.busy(0) and not d.busy(1)


@pytest.mark.parametrize("line", [0, 1])
def test_interrupts_have_two_lines(line: int) -> None:
    d = loaded()
    enable, force, state = (at + 0x10 * line for at in (dma.INTE0, dma.INTF0, dma.INTS0))
    d.m.bus_write(board.NVIC_ENABLE, 1 << 11 + line)
    d.write(enable, 1 << 4)
    assert d.read(enable) == 1 << 4
    d.start(5, FROM, TO, 1)
    d.wait(10)
    assert (d.read(state), d.read(dma.INTR)) == (0, 1 << 5), "not enabled"
    d.start(4, FROM, TO, 1)
    assert board.run_to_handler(d.m, 100) and board.active_interrupt(d.m) == 11 + line
    assert (d.read(state), d.read(dma.INTR)) == (1 << 4, 3 << 4)
    d.write(state, 1 << 4)
    assert (d.read(state), d.read(dma.INTR)) == (0, 1 << 5)
    d.write(dma.INTR, 1 << 5)
    d.write(force, 1 << 9)
    assert (d.read(state), d.read(dma.INTR), d.read(force)) == (1 << 9, 0, 1 << 9)
    other = dma.INTS0 + 0x10 * (1 - line)
    assert d.read(other) == 0


def test_the_end_of_a_quiet_channel_is_not_told() -> None:
    d = loaded()
    d.start(0, FROM, TO, 1, dma.control(0, 4, dma.QUIET))
    d.wait(10)
    assert d.read(dma.INTR) == 0 and not d.busy(0)
    d.write(0x1C, 0)  # COUNT of the second set: a null trigger
    assert d.read(dma.INTR) == 1


def test_channels_take_turns() -> None:
    d = loaded()
    words = [TO + 64 * n for n in (1, 4, 9)]
    d.stored(*words)
    for n, to in zip((1, 4, 9), words, strict=True):
        d.set_up(n, FROM, to, 4, dma.control(n, 4, dma.INCR_READ))
    d.write(dma.MULTI, 1 << 1 | 1 << 4 | 1 << 9)
    assert d.read(dma.MULTI) == 0
    d.wait(30)
    assert [at for _, at, _ in d.m.stores()] == words * 4


def test_each_begins_so_long_after_its_trigger_whatever_others_do() -> None:
    d = loaded()
    d.start(0, FROM, TO, 100)
    d.stored(TO + 512)
    d.wait(20)
    start = d.start(1, FROM, TO + 512, 1)
    d.wait(50)
    assert d.times(start) == [START]


def test_high_priority_channels_go_once_each_before_one_of_the_others() -> None:
    d = loaded()
    high, low = (2, 7), (0, 5)
    words = {n: TO + 64 * n for n in high + low}
    d.stored(*words.values())
    for n, to in words.items():
        d.set_up(n, FROM, to, 4, dma.control(n, 4, dma.HIGH if n in high else 0))
    d.write(dma.MULTI, sum(1 << n for n in words))
    d.wait(40)
    order = [2, 7, 0, 2, 7, 5, 2, 7, 0, 2, 7, 5, 0, 5, 0, 5]
    assert [(at - TO) // 64 for _, at, _ in d.m.stores()] == order


def test_one_that_is_off_listens_to_nothing_and_one_that_is_turned_off_waits() -> None:
    d = loaded()
    d.start(0, FROM, TO, 4, dma.control(0, on=0))
    d.wait(20)
    assert not d.busy(0) and d.m.read(TO, 4) == bytes(4)
    d.start(0, FROM, TO, 6)
    d.wait(START + 1)
    d.put(0, dma.CTRL, dma.control(0, on=0))
    d.wait(50)
    assert d.busy(0) and d.get(0, dma.COUNT) == 4
    d.write(0x0C, dma.control(0))  # is no second start
    d.wait(20)
    assert not d.busy(0) and d.m.read(TO, 28) == DATA[:24] + bytes(4)


def test_abort() -> None:
    d = loaded()
    d.set_up(6, FROM, TO + 128, 1, dma.control(6))
    d.start(0, FROM, TO, 100, dma.control(0, chain=6))
    d.start(1, FROM, TO + 400, 3)
    d.wait(20)
    d.write(dma.ABORT, 1)
    assert d.read(dma.ABORT) == 0 and not d.busy(0) and d.get(0, dma.COUNT) == 0
    moved = d.get(0, dma.READ) - FROM
    d.wait(200)
    assert d.m.read(TO, 104) == DATA[:moved] + bytes(104 - moved) and 0 < moved < 100
    assert d.read(dma.INTR) == 1 << 1 and d.m.read(TO + 128, 4) == bytes(4)


@pytest.mark.parametrize(
    "enable, of, count, told",
    [(dma.INTE0, 3, 100, True), (dma.INTE1, 3, 100, True), (dma.INTE0, 4, 100, False),
     (dma.INTE0, 3, 1, False)],
)  # fmt: skip
def test_an_abort_whose_interrupt_may_come(enable: int, of: int, count: int, told: bool) -> None:
    """RP2040-E13: where the channel is busy and its interrupt enabled."""
    d = loaded()
    d.write(enable, 1 << of)
    d.start(3, FROM, TO, count)
    d.wait(20)
    d.write(dma.ABORT, 1 << 3)
    assert [("E13" in line) for line in d.m.unimplemented()] == [True] * told


def test_two_with_nothing_to_move_that_start_one_another() -> None:
    """Time goes on, with an interrupt each time."""
    d = loaded()
    d.set_up(5, FROM, TO, 0, dma.control(5, chain=2))
    d.start(2, FROM, TO, 0, dma.control(2, chain=5))
    begun = d.m.now
    d.wait(1000)
    assert d.m.now == begun + 1000 and d.read(dma.INTR) == 1 << 2 | 1 << 5
    assert d.busy(2) != d.busy(5)


def test_asleep_while_a_channel_waits_that_starts_one_which_interrupts() -> None:
    d = Dma()
    d.m.bus_write(board.NVIC_ENABLE + 0x80, 1 << 13)  # the board's own wake-up is off
    d.m.bus_write(board.NVIC_ENABLE, 1 << 11)
    d.write(dma.INTE0, 1 << 7)
    d.set_up(7, FROM, TO, 1, dma.control(7))
    d.start(2, board.UART1, TO, 1, dma.control(2, 1, 0, dma.UART_RX + 2, chain=7))
    assert d.m.run(d.m.now + 1000).reason == "time"
    d.write(dma.ABORT, 1 << 2)
    assert d.m.run(d.m.now + 1000).reason == "halt"


@pytest.mark.parametrize(
    "source, to, flag",
    [(0x20050000, TO, dma.READ_ERROR), (0xD0000004, TO, dma.READ_ERROR),
     (FROM, 0x10000800, dma.WRITE_ERROR), (FROM, 0xE000E100, dma.WRITE_ERROR)],
)  # fmt: skip
def test_an_error_ends_the_channel_and_is_told(source: int, to: int, flag: int) -> None:
    d = loaded()
    d.set_up(1, FROM, TO + 64, 1, dma.control(1))
    d.start(0, source, to, 8, dma.control(0, chain=1, flags=dma.QUIET))
    d.wait(30)
    ctrl = d.get(0, dma.CTRL)
    assert ctrl & (7 << 29 | dma.BUSY) == flag | dma.AHB_ERROR
    assert d.read(dma.INTR) == 1, "quiet or not, and no other follows"
    d.put(0, dma.CTRL, dma.control(0) | flag)
    assert d.get(0, dma.CTRL) >> 29 == 0
    d.start(0, FROM, TO, 2)
    d.wait(10)
    assert d.m.read(TO, 8) == DATA[:8]


def test_reset_and_what_is_not_there() -> None:
    d = loaded()
    assert [d.get(n, dma.CTRL) for n in range(12)] == [n << 11 for n in range(12)]
    assert d.read(dma.N_CHANNELS) == 12 and d.read(dma.LEVELS) == 0
    d.start(0, FROM, TO, 100)
    d.m.bus_write(board.RESETS + board.SET, 1 << 2)
    assert d.read(dma.N_CHANNELS) == 0 and "in reset: DMA" in d.m.unimplemented()[-1]
    d.m.bus_write(board.RESETS + board.CLEAR, 1 << 2)
    d.wait(200)
    assert d.m.read(TO, 4) == bytes(4) and d.get(0, dma.COUNT) == 0
    d.write(dma.SNIFF_CTRL, 1)
    assert "sniffer" in d.m.unimplemented()[-1]
    d.start(0, FROM, TO, 1, dma.control(0, flags=dma.SNIFF))
    assert "sniffer" in d.m.unimplemented()[-1]
    d.start(1, FROM, TO, 1, dma.control(1, treq=37))
    assert "not modelled" in d.m.unimplemented()[-1]
    d.start(2, FROM, TO, 0)
    assert "nothing to move" in d.m.unimplemented()[-1]
    d.wait(10)
    assert d.read(dma.INTR) >> 2 & 1 == 1 and not d.busy(2)
    assert d.read(0x460) == 0 and "DMA+0x460" in d.m.unimplemented()[-1]


def test_set_clear_and_flip_of_registers() -> None:
    d = loaded()
    d.write(dma.INTE0 + 0x2000, 5)
    d.write(dma.INTE0 + 0x3000, 1)
    d.write(dma.INTE0 + 0x1000, 0xFF000)
    assert d.read(dma.INTE0) == 4, "bits of channels only"


def programs(seed: int) -> tuple[list[tuple[int, ...]], bytes]:
    """Channels one after the other (source, to, count, size, read and write step, ring, chain), and
    what memory holds in the end."""
    r = random.Random(seed)
    order = r.sample(range(12), r.randint(2, 8))
    memory = bytearray(r.randbytes(512))
    channels = []
    for n, following in zip(order, order[1:] + order[-1:], strict=True):
        size, ring = r.choice(dma.SIZES), r.choice([0, 0, 3, 4, 5])
        steps, ring_write = (r.randint(0, 1), r.randint(0, 1)), r.randint(0, 1)
        count = r.randint(1, 24)
        source, to = (r.randrange(0, 256, 4) + r.randrange(2) * 128 for _ in range(2))
        channels.append((n, source, to, count, size, *steps, ring, ring_write, following))
        for _ in range(count):
            memory[to : to + size] = memory[source : source + size]
            moved = [source + size * steps[0], to + size * steps[1]]
            if ring:
                which, at = ring_write, (source, to)[ring_write]
                moved[which] = at >> ring << ring | moved[which] & (1 << ring) - 1
            source, to = moved
    return channels, bytes(memory)


@pytest.mark.parametrize("seed", range(40))
def test_random_chains(seed: int) -> None:
    channels, expected = programs(seed)
    d = Dma()
    r = random.Random(seed)
    r.sample(range(12), r.randint(2, 8))
    d.fill(FROM, r.randbytes(512))
    for n, source, to, count, size, step_read, step_write, ring, ring_write, chain in channels:
        flags = step_read << 4 | step_write << 5 | ring_write << 10
        d.set_up(n, FROM + source, FROM + to, count, dma.control(n, size, flags, ring=ring,
                 chain=chain))  # fmt: skip
    d.write(dma.MULTI, 1 << channels[0][0])
    d.wait(2000)
    assert d.m.read(FROM, 512) == expected
    assert d.read(dma.INTR) == sum(1 << channel[0] for channel in channels)
