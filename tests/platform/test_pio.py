"""PIO: instructions, time and pins, as chapter 3 of the RP2040's data sheet says."""

from __future__ import annotations

import itertools
import time

import bare_board as board
import bare_pio as pio
import pytest
from bare_pio import PIO0, PIO1, Block, in_, irq, jmp, mov, out, pins, pull, push, set_, wait

LED = 5
TOGGLE = [set_(pio.PINS, 1), set_(pio.PINS, 0)]


def edges(block: Block, start: int) -> list[tuple[int, int]]:
    """(cycles since a cycle, level) of all that was logged."""
    return [(cycle - start, level) for cycle, _, level in block.m.pin_edges()]


def blinking(program: list[int], base: int = PIO0, **settings: object) -> tuple[Block, int]:
    """A program on SM0 whose SET pin and first side-set pin is logged; enabled."""
    block = Block(base)
    block.load(program)
    block.select(LED)
    settings.setdefault("pinctrl", pins(set_base=LED, set_count=1, side_base=LED))
    settings.setdefault("execctrl", pio.execution((0, len(program) - 1)))
    block.set_up(**settings)
    block.execute(set_(pio.PINDIRS, 1))
    block.m.log_pin(LED)
    return block, block.enable(0)


@pytest.mark.parametrize("base", [PIO0, PIO1])
def test_one_instruction_a_cycle_and_the_wrap_is_free(base: int) -> None:
    block, start = blinking(TOGGLE, base)
    block.wait(6)
    assert edges(block, start) == [(n, n % 2) for n in range(1, 7)]


def test_delays_follow_the_instruction() -> None:
    program = [set_(pio.PINS, 1, delay=3), set_(pio.PINS, 0, delay=31)]
    block, start = blinking(program)
    block.wait(80)
    assert edges(block, start) == [(1, 1), (5, 0), (37, 1), (41, 0), (73, 1), (77, 0)]


def test_a_divider_with_a_fraction_spreads_its_cycles() -> None:
    block, start = blinking(TOGGLE, divider=2.5)
    block.wait(20)
    times = [cycle for cycle, _ in edges(block, start)]
    assert [b - a for a, b in itertools.pairwise(times)] == [2, 3, 2, 3, 2, 3, 2]


@pytest.mark.parametrize("divider", [1 + 1 / 256, 3.25, 15.625, 1000 + 255 / 256])
def test_a_divider_does_not_drift(divider: float) -> None:
    block, start = blinking(TOGGLE, divider=divider)
    block.wait(int(divider * 300) + 2)
    times = [cycle - 1 for cycle, _ in edges(block, start)]
    assert times == [int(n * divider) for n in range(len(times))] and len(times) >= 300


def test_divider_0_is_65536() -> None:
    block, start = blinking(TOGGLE, divider=0)
    block.wait(65540)
    assert edges(block, start) == [(1, 1), (65537, 0)]


def test_the_divider_runs_while_the_machine_is_off() -> None:
    block, start = blinking(TOGGLE, divider=10)
    block.wait(12)
    block.write(pio.CTRL, 0)
    block.wait(13)
    block.write(pio.CTRL, 1)
    block.wait(20)
    assert edges(block, start) == [(1, 1), (11, 0), (31, 1), (41, 0)]


def test_two_dividers_restarted_together_run_in_step() -> None:
    block = Block()
    block.load([*TOGGLE])
    block.select(4, 5)
    for number in (0, 1):
        block.set_up(number, pins(set_base=4 + number, set_count=1), pio.execution((0, 1)),
                     divider=3.5)  # fmt: skip
        block.execute(set_(pio.PINDIRS, 1), number)
        block.m.log_pin(4 + number)
    block.enable(0)
    block.wait(5)
    block.enable(0, 1)
    block.wait(40)
    found = block.m.pin_edges()
    after = [edge for edge in found if edge[0] > block.m.now - 40]
    assert [c for c, pin, _ in after if pin == 4][-8:] == [c for c, pin, _ in after if pin == 5][
        -8:
    ]


def test_side_set_comes_with_the_first_cycle_even_of_what_waits() -> None:
    program = [pull(delay=1 << 4 | 2), mov(pio.Y, pio.Y, delay=0)]  # side 1 [2], side 0
    block, start = blinking(
        program, pinctrl=pins(set_base=LED, set_count=1, side_base=LED, side_count=1)
    )
    block.wait(50)
    assert edges(block, start) == [(1, 1)]
    block.write(pio.TXF, 1)  # at 50: it is done in the cycle that ends at 51, then 2 of delay
    block.wait(50)
    assert edges(block, start) == [(54, 0), (55, 1)]


def test_optional_side_set_and_directions() -> None:
    optional = 1 << 4  # of two bits: the enable, the pin
    program = [jmp(1, delay=optional | 1 << 3), jmp(2, delay=7), jmp(0, delay=optional)]
    block, start = blinking(
        program,
        pinctrl=pins(side_base=LED, side_count=2, set_base=LED, set_count=1),
        execctrl=pio.execution(side_en=1),
    )
    block.wait(12)
    assert edges(block, start) == [(1, 1), (10, 0), (11, 1)]
    assert block.read(pio.PADOE) == 1 << LED
    block.write(pio.CTRL, 0)
    block.set_up(0, pins(side_base=LED, side_count=1), pio.execution(side_pindir=1))
    block.execute(jmp(0))
    assert block.read(pio.PADOE) == 0 and block.read(pio.PADOUT) == 1 << LED


def test_side_set_goes_over_set_and_the_higher_machine_over_the_lower() -> None:
    block = Block()
    block.load([set_(pio.PINS, 3, delay=0), jmp(1)])  # side 0
    block.load([set_(pio.PINS, 1), jmp(3)], at=2)
    block.set_up(0, pins(set_base=8, set_count=2, side_base=8, side_count=1))
    block.set_up(1, pins(set_base=9, set_count=1))
    block.execute(jmp(2), 1)
    block.set_up(2, pins(set_base=10, set_count=1))
    block.execute(jmp(2), 2)
    block.enable(0, 1)
    block.wait(1)
    assert block.read(pio.PADOUT) >> 8 & 7 == 2
    block.execute(set_(pio.PINS, 0), 1)
    block.write(block.sm(0, pio.INSTR), set_(pio.PINS, 3))  # in one cycle
    block.write(block.sm(1, pio.INSTR), set_(pio.PINS, 0))
    block.wait(1)
    assert block.read(pio.PADOUT) >> 8 & 7 == 0


def test_own_output_is_seen_two_cycles_later_and_at_once_past_the_synchroniser() -> None:
    program = [set_(pio.PINS, 1), in_(pio.PINS, 1), in_(pio.PINS, 1), in_(pio.PINS, 1),
               in_(pio.PINS, 1), push(), jmp(6)]  # fmt: skip
    for bypass, seen in ((0, 0b0011), (1 << LED, 0b1111)):
        block, _ = blinking(
            program,
            pinctrl=pins(set_base=LED, set_count=1, in_base=LED),
            shiftctrl=pio.shifts(0),
        )
        block.write(pio.CTRL, 0)
        block.write(pio.BYPASS, bypass)
        block.execute(set_(pio.PINS, 0))
        block.execute(jmp(0))
        block.wait(5)
        block.enable(0)
        block.wait(10)
        while block.read(pio.FLEVEL) >> 4 & 15 > 1:
            block.read(pio.RXF)
        assert block.read(pio.RXF) == seen


@pytest.mark.parametrize("bypass, latency", [(0, 3), (1, 1)])
def test_wait_pin_goes_on_so_many_cycles_after_the_edge(bypass: int, latency: int) -> None:
    program = [wait(1, 1, 2), set_(pio.PINS, 1), wait(0, 0, 12), set_(pio.PINS, 0)]
    block, start = blinking(program, pinctrl=pins(set_base=LED, set_count=1, in_base=10))
    block.write(pio.BYPASS, bypass << 12)
    block.m.pin_drive(12, 0)
    for at, level in ((40, 1), (60, 0), (61, 1), (70, 0), (100, 1)):
        block.m.pin_drive(12, level, at=start + at)
    block.wait(150)
    found = edges(block, start)
    seen = [(40 + latency + 1, 1), (60 + latency + 1, 0)]  # the wait's cycle, then that of SET
    again = [(seen[-1][0] + 2, 1), (70 + latency + 1, 0), (100 + latency + 1, 1)]
    assert found == seen + again


def test_a_pulse_of_one_cycle_is_seen() -> None:
    program = [wait(1, 0, 12), set_(pio.PINS, 1), jmp(2)]
    block, start = blinking(program)
    block.m.pin_drive(12, 0)
    block.m.pin_drive(12, 1, at=start + 40)
    block.m.pin_drive(12, 0, at=start + 41)
    block.wait(100)
    assert edges(block, start) == [(44, 1)]


COUNT = [wait(1, 0, 12), wait(0, 0, 12), jmp(0, pio.X_DEC)]  # X loses one a period


def periods(block: Block) -> int:
    block.write(pio.CTRL, 0)
    block.execute(mov(pio.ISR, pio.X))
    block.execute(push())
    return -block.read(pio.RXF) & 0xFFFFFFFF


def test_a_wave_is_edges_for_a_block_that_reads_pins() -> None:
    block, start = blinking(COUNT)
    block.m.pin_wave(12, 50, start + 20)
    block.wait(1000)
    assert periods(block) == 10


def test_so_is_pwm() -> None:
    block, _ = blinking(COUNT)
    slice6 = board.PWM + 6 * 0x14
    block.m.bus_write(slice6 + 0x10, 99)  # TOP
    block.m.bus_write(slice6 + 0x0C, 30)  # CC of channel A
    board.select(block.m, 12, 4)
    block.m.bus_write(slice6, 1)
    block.wait(1020)
    assert periods(block) == 10


def test_what_waits_or_is_off_costs_nothing() -> None:
    def seconds_of_the_host(program: list[int], cycles: int) -> float:
        block, _ = blinking(program)
        begin = time.perf_counter()
        block.wait(cycles)
        return time.perf_counter() - begin

    busy = seconds_of_the_host([jmp(0)], 500_000)
    for program in ([pull()], [push(), jmp(0)], [wait(1, 0, 12)], [wait(1, 2, 0)], [irq(0, 1)]):
        assert seconds_of_the_host(program, 50_000_000) * 5 < busy, program


def test_autopull_and_autopush_move_words_by_themselves() -> None:
    program = [out(pio.X, 8), in_(pio.X, 8)]
    block, start = blinking(
        program, shiftctrl=pio.shifts(pio.AUTOPULL | pio.AUTOPUSH | pio.OUT_RIGHT, 16, 16)
    )
    block.wait(10)
    assert block.read(pio.FDEBUG) == 1 << 24, "it has stalled"
    block.write(pio.FDEBUG, 1 << 24)
    block.write(pio.TXF, 0xAAAA1234)
    block.write(pio.TXF, 0xBBBB5678)
    block.wait(1)  # a cycle fills the OSR
    assert block.read(pio.FLEVEL) & 15 == 1
    block.wait(4)
    assert block.read(pio.FLEVEL) & 0xFF == 0x10, "the second was pulled with the last bits"
    assert block.read(pio.RXF) == 0x3412
    assert block.read(pio.FDEBUG) == 0
    block.wait(5)
    assert block.read(pio.FLEVEL) & 0xFF == 0x10 and block.read(pio.FDEBUG) == 1 << 24
    assert block.read(pio.RXF) == 0x7856
    assert start


def test_autopull_fills_the_osr_in_a_delay_too() -> None:
    block, _ = blinking([out(pio.NULL, 32, delay=31), jmp(1)],
                        shiftctrl=pio.shifts(pio.AUTOPULL))  # fmt: skip
    block.write(pio.TXF, 1)
    block.wait(5)
    assert block.read(pio.FLEVEL) & 15 == 0
    block.write(pio.TXF, 2)
    assert block.read(pio.FLEVEL) & 15 == 1
    block.wait(1)
    assert block.read(pio.FLEVEL) & 15 == 0


def test_a_push_that_may_not_wait_drops_and_says_so() -> None:
    block = Block()
    block.set_up()
    for value in range(6):
        block.execute(set_(pio.X, value))
        block.execute(mov(pio.ISR, pio.X))
        block.execute(push(block=0))
    assert block.read(pio.FDEBUG) == 1 and block.read(pio.FSTAT) & 0x101 == 1
    assert [block.read(pio.RXF) for _ in range(4)] == [0, 1, 2, 3]
    block.execute(push())
    assert block.read(pio.RXF) == 0, "the ISR was cleared with what was dropped"
    assert block.read(pio.RXF) == 0 and block.read(pio.FDEBUG) == 1 | 1 << 8


def test_pull_of_nothing_copies_x_and_is_no_stall() -> None:
    block = Block()
    block.set_up()
    block.execute(set_(pio.X, 21))
    block.execute(pull(block=0))
    block.execute(mov(pio.ISR, pio.OSR))
    block.execute(push())
    assert (block.read(pio.RXF), block.read(pio.FDEBUG)) == (21, 0)


def test_sticky_flags_of_fifos_and_their_levels() -> None:
    block = Block()
    for flags, depths in ((0, (4, 4)), (pio.JOIN_TX, (8, 0)), (pio.JOIN_RX, (0, 8))):
        block.set_up(shiftctrl=pio.shifts(flags))
        tx, rx = depths
        for value in range(tx + 1):
            block.write(pio.TXF, value)
        assert block.read(pio.FLEVEL) & 15 == tx and block.read(pio.FSTAT) >> 16 & 1 == 1
        assert block.read(pio.FDEBUG) == 1 << 16, "a word was written too many"
        block.write(pio.FDEBUG, 1 << 16)
        for value in range(rx):
            block.execute(set_(pio.Y, value))
            block.execute(mov(pio.ISR, pio.Y))
            block.execute(push())
        assert block.read(pio.FLEVEL) >> 4 & 15 == rx and block.read(pio.FSTAT) & 1 == 1
        assert (block.read(pio.FSTAT) >> 8 & 1, block.read(pio.FSTAT) >> 24 & 1) == (
            rx == 0,
            tx == 0,
        )
        assert [block.read(pio.RXF) for _ in range(rx)] == list(range(rx))


def test_fdebug_of_a_machine_that_goes_on_waiting_is_set_again() -> None:
    block, _ = blinking([pull()])
    block.wait(5)
    block.write(pio.FDEBUG, 0xFFFFFFFF)
    assert block.read(pio.FDEBUG) == 0
    block.wait(1)
    assert block.read(pio.FDEBUG) == 1 << 24


def test_flags_between_machines_take_a_cycle() -> None:
    block = Block()
    block.load([irq(0x10, waits=1), set_(pio.PINS, 1), jmp(2)])  # flag 0 + 2
    block.load([wait(1, 2, 0x11), jmp(4)], at=3)  # flag 1 + 1
    block.select(LED)
    block.set_up(2, pins(set_base=LED, set_count=1))
    block.set_up(1)
    block.execute(set_(pio.PINDIRS, 1), 2)
    block.execute(jmp(3), 1)
    block.m.log_pin(LED)
    start = block.enable(1, 2)
    block.wait(1)
    assert block.read(pio.IRQ) == 4
    block.wait(1)
    assert block.read(pio.IRQ) == 0 and block.pc(1) == 4, "the wait has cleared it"
    block.wait(10)
    assert edges(block, start) == [(4, 1)]  # 3: IRQ WAIT sees it cleared, 4: SET


@pytest.mark.parametrize("base, line", [(PIO0, 7), (PIO0, 8), (PIO1, 9), (PIO1, 10)])
def test_interrupts_have_two_lines_a_block(base: int, line: int) -> None:
    block = Block(base)
    at = 12 * ((line - 7) % 2)
    assert block.read(pio.INTR) == 0xF0, "four FIFOs have room"
    block.write(pio.INTE + at, 1 << 9 | 1 << 0)
    block.write(pio.INTF + at, 1 << 11)
    assert block.read(pio.INTS + at) == 1 << 11
    block.write(pio.INTF + at, 0)
    block.write(pio.IRQ_FORCE, 2 | 0x10)
    assert (block.read(pio.INTS + at), block.read(pio.INTR)) == (1 << 9, 0x2F0)
    block.write(pio.IRQ, 2)
    assert block.read(pio.INTS + at) == 0
    block.m.bus_write(board.NVIC_ENABLE, 1 << line)
    block.set_up()
    block.load([push()])
    block.m.bus_write(0xE000E280, 1 << line)  # drop what was pending
    now = block.m.now
    block.enable(0)
    assert board.run_to_handler(block.m, 100) - now in range(15, 18)
    assert board.active_interrupt(block.m) == line


def test_what_is_written_to_instr_is_executed_at_once_whatever_the_divider() -> None:
    block, _ = blinking([jmp(0)], divider=1000)
    block.write(pio.INSTR, set_(pio.PINS, 1))
    block.wait(1)
    assert block.m.pin_level(LED) == 1
    block.write(pio.CTRL, 0)
    block.write(pio.INSTR, jmp(17))
    block.wait(1)
    assert block.pc() == 17
    block.write(pio.INSTR, pull())
    block.wait(5)
    assert block.read(pio.EXECCTRL) >> 31 == 1 and block.read(pio.INSTR) == pull()
    block.write(pio.TXF, 7)
    block.write(pio.CTRL, 1)
    block.wait(1000)
    assert block.read(pio.EXECCTRL) >> 31 == 0 and block.read(pio.FLEVEL) == 0


def test_out_exec_runs_the_word_in_the_next_cycle() -> None:
    program = [pull(), out(pio.EXEC, 16, delay=31), set_(pio.PINS, 0), jmp(3)]
    block, start = blinking(program)
    block.write(pio.TXF, set_(pio.PINS, 1, delay=4))
    block.wait(60)
    assert edges(block, start) == [(3, 1), (8, 0)], "the delay is that of what was executed"


def test_sticky_outputs_are_asserted_again() -> None:
    block = Block()
    sticky, inline = 1 << 17, 1 << 18 | 31 << 19
    block.set_up(1, pins(out_base=8, out_count=1), pio.execution(more=sticky | inline))
    block.set_up(0, pins(set_base=8, set_count=1))
    block.load([jmp(0)])
    block.enable(1)
    for data, level in ((1 << 31 | 1, 1), (0, 0)):  # bit 31: whether it is written
        block.write(pio.TXF + 4, data)
        block.execute(pull(), 1)
        block.execute(out(pio.PINS, 32), 1)
        block.execute(set_(pio.PINS, 0), 0)
        assert block.read(pio.PADOUT) >> 8 & 1 == level


def test_pins_wrap_around_and_overrides_apply() -> None:
    block = Block()
    block.set_up(0, pins(out_base=28, out_count=8, in_base=28))
    block.write(pio.TXF, 0xF5)
    block.execute(pull())
    block.execute(out(pio.PINS, 8))
    assert block.read(pio.PADOUT) == 0x5000000F
    block.execute(mov(pio.OSR, pio.NULL, pio.INVERT))
    block.execute(out(pio.PINDIRS, 8))
    board.select(block.m, 0, 6 | 1 << 8)  # inverted
    block.select(1)
    assert (block.m.pin_level(0), block.m.pin_level(1)) == (0, 1)
    block.execute(mov(pio.PINS, pio.NULL))
    assert (block.m.pin_level(0), block.m.pin_level(1)) == (1, 0)


def test_restart_clears_what_no_register_holds() -> None:
    block, _ = blinking([irq(3, waits=1), jmp(1)])
    block.execute(in_(pio.NULL, 7))
    block.wait(5)
    block.write(pio.IRQ, 8)
    block.write(pio.CTRL, 1 << 4)
    assert block.pc() == 0
    block.set_up(shiftctrl=pio.shifts(push_at=7))
    block.execute(push(if_full=1))
    assert block.read(pio.FLEVEL) == 0, "nothing was counted in the ISR"


def test_reset_and_what_is_not_there() -> None:
    block = Block()
    block.set_up(3, 0x12345678)
    block.write(pio.IRQ_FORCE, 0xFF)
    assert block.read(pio.CFGINFO) == 0x00200404
    block.m.bus_write(board.RESETS + board.SET, 1 << 10)
    before = len(block.m.unimplemented())
    assert block.read(pio.IRQ) == 0
    assert "in reset: PIO0" in block.m.unimplemented()[before]
    block.m.bus_write(board.RESETS + board.CLEAR, 1 << 10)
    assert block.read(block.sm(3, pio.PINCTRL)) == 5 << 26 and block.read(pio.IRQ) == 0
    assert block.read(0x150) == 0 and "PIO0+0x150" in block.m.unimplemented()[-1]
    block.execute(in_(5, 3))
    assert "reserved source" in block.m.unimplemented()[-1]


def test_set_clear_and_flip_of_registers() -> None:
    block = Block()
    block.write(pio.CTRL + 0x2000, 5)
    assert block.read(pio.CTRL) == 5
    block.write(pio.CTRL + 0x3000, 1)
    assert block.read(pio.CTRL) == 4
    block.write(pio.INTE + 0x1000, 0xF00)
    assert block.read(pio.INTE) == 0xF00
