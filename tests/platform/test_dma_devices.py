"""DMA paced by devices' FIFOs, and what accesses to devices take."""

from __future__ import annotations

import struct

import bare_board as board
import bare_dma as dma
import bare_i2c as i2c
import bare_pio as pio
import pytest
from bare_dma import DATA, FROM, START, TO, WORDS, Dma, loaded, strip

SPI0, SPI1 = 0x4003C000, 0x40040000


def levels(edges: list[tuple[int, int, int]], first: int, step: int, count: int) -> list[int]:
    """Of a pin that was low, in the middle of `count` bits."""
    seen, level, k = [], 0, 0
    for n in range(count):
        while k < len(edges) and edges[k][0] <= first + step * n + step // 2:
            level = edges[k][2]
            k += 1
        seen.append(level)
    return seen


@pytest.mark.parametrize("block_number, base", [(0, pio.PIO0), (1, pio.PIO1)])
def test_pio_gets_a_word_as_soon_as_there_is_room(block_number: int, base: int) -> None:
    d = loaded()
    block = strip(d, base=base)
    txf = base + pio.TXF + 4
    d.stored(txf)
    treq = 8 * block_number + dma.PIO_TX + 1
    start = d.start(2, FROM, txf, 10, dma.control(2, flags=dma.INCR_READ, treq=treq))
    d.wait(100)
    assert d.times(start) == [START + n for n in range(4)] and d.busy(2)
    began = block.enable(1)
    d.wait(10 * 32 * 10 + 100)
    stores = d.times(began)
    # The machine has taken a word at its first tick, then one every 32 bits.
    assert stores[0] == 1 + START and len(stores) == 6
    assert all(abs(at - 1 - START - 320 * n) <= 5 for n, at in enumerate(stores))
    assert block.read(pio.FDEBUG) & 0xFF0000 == 0, "never a word too many"
    bits = [word >> n & 1 for word in WORDS[:10] for n in range(32)]
    edges = d.m.pin_edges()
    first = edges[0][0] - 10 * bits.index(1)
    assert levels(edges, first, 10, 320) == bits
    assert block.read(pio.FDEBUG) >> 24 & 2, "and then there are none"


def test_nothing_is_moved_after_the_end() -> None:
    """While the FIFO goes on asking."""
    d = loaded()
    block = strip(d)
    txf = pio.PIO0 + pio.TXF + 4
    d.start(0, FROM, txf, 3, dma.control(0, flags=dma.INCR_READ, treq=dma.PIO_TX + 1))
    d.wait(100)
    assert block.read(pio.FLEVEL) >> 8 & 15 == 3 and d.get(0, dma.READ) == FROM + 12
    assert d.m.unimplemented() == []


@pytest.mark.parametrize("asleep", [True, False])
def test_words_of_pio_are_taken_as_they_come(asleep: bool) -> None:
    d = loaded(None if asleep else board.board())  # whose instruction takes two cycles
    block = pio.Block(pio.PIO0, d.m)
    block.load([pio.mov(pio.ISR, pio.X), pio.push(), pio.jmp(0, pio.X_DEC, delay=20)])
    block.set_up(2)
    block.execute(pio.set_(pio.X, 31), 2)
    d.stored(*range(TO, TO + 64, 4))
    d.start(0, pio.PIO0 + pio.RXF + 8, TO, 16,
            dma.control(0, flags=dma.INCR_WRITE, treq=dma.PIO_RX + 2))  # fmt: skip
    began = block.enable(2)
    d.wait(16 * 23 + 40)
    assert d.words(TO, 16) == [31 - n for n in range(16)]
    assert d.times(began) == [2 + 23 * n + START for n in range(16)]  # pushed by the second one


def uart(d: Dma, baud: int, dmacr: int) -> float:
    divider = round(board.HZ * 4 / baud)
    for offset, value in ((0x24, divider >> 6), (0x28, divider & 63), (0x2C, 0x70), (0x30, 0x301),
                          (0x48, dmacr)):  # fmt: skip
        d.m.bus_write(board.UART1 + offset, value)
    for pin in (4, 5):
        board.select(d.m, pin, 2)
    return 10 * divider / 4


def test_a_serial_port_sends_without_the_cpu() -> None:
    d = loaded()
    frame = uart(d, 115200, 2)
    start = d.start(0, FROM, board.UART1, 100,
                    dma.control(0, 1, dma.INCR_READ, dma.UART_TX + 2))  # fmt: skip
    d.wait(int(101 * frame))
    sent = d.m.uart_take(1)
    assert bytes(byte for _, byte in sent) == DATA[:100]
    assert all(abs(cycle - start - START - n * frame) < 100 for n, (cycle, _) in enumerate(sent, 1))
    assert d.m.unimplemented() == []


def test_a_serial_port_is_read_and_asks_only_when_told_to() -> None:
    d = loaded()
    frame = uart(d, 115200, 0)
    d.m.uart_send(1, b"Takt")
    d.start(3, board.UART1, TO, 4, dma.control(3, 1, dma.INCR_WRITE, dma.UART_RX + 2))
    d.wait(int(6 * frame))
    assert d.get(3, dma.COUNT) == 4, "RXDMAE is off"
    d.m.bus_write(board.UART1 + 0x48, 1)
    d.wait(40)
    assert d.m.read(TO, 5) == b"Takt\0" and not d.busy(3)


def test_spi_both_ways() -> None:
    d = loaded()
    for offset, value in ((0x10, 2), (0, 3 << 8 | 0x80 | 7), (4, 3), (0x24, 3)):  # looped
        d.m.bus_write(SPI1 + offset, value)
    start = d.start(1, SPI1 + 8, TO, 40, dma.control(1, 1, dma.INCR_WRITE, dma.SPI_RX + 2))
    d.start(0, FROM, SPI1 + 8, 40, dma.control(0, 1, dma.INCR_READ, dma.SPI_TX + 2))
    bit = 2 * 4
    d.wait(40 * 8 * bit + 2 * START)
    assert d.m.read(TO, 41) == DATA[:40] + bytes(1) and not d.busy(1)
    assert d.m.unimplemented() == []
    assert start


def test_i2c_writes() -> None:
    m = i2c.opened()
    device = i2c.Device(m)
    m.i2c_device(0, 0x20, device)
    d = Dma(m)
    commands = [*DATA[:29], DATA[29] | i2c.STOP]
    d.fill(FROM, struct.pack("<30H", *commands))
    m.bus_write(i2c.I2C0 + 0x8C, 8)  # ask below nine words
    m.bus_write(i2c.I2C0 + 0x88, 2)
    d.start(0, FROM, i2c.I2C0 + i2c.DATA, 30, dma.control(0, 2, dma.INCR_READ, dma.I2C_TX))
    d.wait(40)
    assert m.bus_read(i2c.I2C0 + i2c.TXFLR) == 9, "none has left yet"
    i2c.run_until(m, i2c.STOPPED)
    assert device.seen == ["W", *DATA[:30], "P"] and m.unimplemented() == []


def test_i2c_reads() -> None:
    m = i2c.opened()
    m.i2c_device(0, 0x20, i2c.Device(m, DATA[:12]))
    d = Dma(m)
    m.bus_write(i2c.I2C0 + 0x90, 0)
    m.bus_write(i2c.I2C0 + 0x88, 1)
    d.start(0, i2c.I2C0 + i2c.DATA, TO, 12, dma.control(0, 1, dma.INCR_WRITE, dma.I2C_RX))
    i2c.put(m, *[i2c.READ] * 11, i2c.READ | i2c.STOP)
    i2c.run_until(m, i2c.STOPPED)
    d.wait(20)
    assert m.read(TO, 12) == DATA[:12] and not d.busy(0)


def test_the_adc_samples_into_memory() -> None:
    d = loaded()
    d.m.adc_set(1, 1.0)
    d.m.bus_write(board.ADC + 8, 1 << 24 | 1)  # FCS: one sample, on
    d.start(1, board.ADC + 0x0C, TO + 64, 1, dma.control(1, 2, dma.INCR_WRITE, dma.ADC))
    d.m.bus_write(board.ADC, 1 | 4)
    d.wait(400)
    assert d.get(1, dma.COUNT) == 1 and d.m.bus_read(board.ADC + 0x0C) == 0, "no requests"
    d.write(dma.ABORT, 2)
    d.m.bus_write(board.ADC + 8, 1 << 24 | 8 | 1)  # and requests
    d.m.bus_write(board.ADC, 1)
    d.start(0, board.ADC + 0x0C, TO, 18, dma.control(0, 2, dma.INCR_WRITE, dma.ADC))
    begin = d.m.now
    for k in range(20):
        d.m.adc_set(0, 3.3 * k / 20, at=begin + 250 * k)
    d.m.bus_write(board.ADC, 1 | 8)  # free running: every 96 cycles of 48 MHz, 250 of ours
    d.wait(18 * 250 + START)
    got = struct.unpack("<18H", d.m.read(TO, 36))
    assert got == tuple(int(4096 * (k + 1) / 20) for k in range(18)) and not d.busy(0)
    assert d.m.bus_read(board.ADC + 8) >> 10 & 3 == 0, "no overflow"


@pytest.mark.parametrize(
    "source, to, cycles",
    [(FROM, TO, 1), (FROM, board.WATCHDOG + 0x0C, 4), (board.WATCHDOG + 0x0C, TO, 3),
     (FROM, pio.PIO0 + pio.BYPASS, 1), (board.WATCHDOG + 0x0C, board.WATCHDOG + 0x10, 4)],
)  # fmt: skip
def test_registers_behind_the_bridge_take_their_cycles(source: int, to: int, cycles: int) -> None:
    """2.1.3: the bridge to the APB adds two cycles to a read, three to a write."""
    d = loaded()
    d.stored(to)
    start = d.start(0, source, to, 6, dma.control(0, flags=0))
    d.wait(50)
    assert d.times(start) == [START + cycles * n for n in range(6)]


def test_narrow_data_are_in_all_lanes_of_a_register() -> None:
    d = loaded()
    d.start(0, FROM, pio.PIO0 + pio.BYPASS, 1, dma.control(0, 1))
    d.start(1, FROM + 4, board.WATCHDOG + 0x0C, 1, dma.control(1, 2))
    d.wait(20)
    assert d.m.bus_read(pio.PIO0 + pio.BYPASS) == DATA[0] * 0x01010101
    assert d.m.bus_read(board.WATCHDOG + 0x0C) == (DATA[4] | DATA[5] << 8) * 0x00010001


def test_the_end_wakes_the_cpu() -> None:
    """Though nothing is under way when it goes to sleep: what comes from outside ends it."""
    d = Dma(board.board())
    frame = uart(d, 115200, 1)
    d.m.write(board.LOOP, struct.pack("<2H", 0xBF30, 0xE7FD))
    d.m.set_register(15, board.LOOP)
    d.m.bus_write(board.NVIC_ENABLE, 1 << 11)
    d.write(dma.INTE0, 1)
    d.start(0, board.UART1, TO, 2, dma.control(0, 1, dma.INCR_WRITE, dma.UART_RX + 2))
    d.m.uart_send(1, b"ab", at=d.m.now + 100_000)
    sent = d.m.now + 100_000 + 2 * frame
    at = board.run_to_handler(d.m, 300_000)
    assert sent <= at <= sent + START + 30 and d.m.read(TO, 2) == b"ab"
