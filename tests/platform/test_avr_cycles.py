"""AVR: cycles of instructions and interrupts, counted by hand from the data sheet (instruction set
summary; "Interrupt Response Time": four cycles, four more out of sleep)."""

from __future__ import annotations

from pathlib import Path

import pytest
from avr_board import assembled, run_to
from takt.machine.avr import SP

# Cycles of one instruction after the other; 0: as the line before, under another label.
LINES = """
    ldi r30, lo8(0x200)      1
    ldi r31, hi8(0x200)      1
    movw r28, r30            1
    movw r26, r30            1
    mov r0, r16              1
    add r16, r17             1
    adc r16, r17             1
    adiw r24, 5              2
    sub r16, r17             1
    subi r16, 3              1
    sbc r16, r17             1
    sbci r16, 3              1
    sbiw r24, 5              2
    and r16, r17             1
    andi r16, 3              1
    or r16, r17              1
    ori r16, 3               1
    eor r16, r17             1
    com r16                  1
    neg r16                  1
    inc r16                  1
    dec r16                  1
    tst r16                  1
    clr r16                  1
    ser r16                  1
    mul r16, r17             2
    muls r16, r17            2
    mulsu r16, r17           2
    fmul r16, r17            2
    cp r16, r17              1
    cpc r16, r17             1
    cpi r16, 3               1
    lsl r16                  1
    lsr r16                  1
    rol r16                  1
    ror r16                  1
    asr r16                  1
    swap r16                 1
    bst r16, 3               1
    bld r16, 3               1
    sec                      1
    clc                      1
    set                      1
    clt                      1
    ld r16, X                2
    ld r16, X+               2
    ld r16, -X               2
    ld r16, Y                2
    ld r16, Y+               2
    ld r16, -Y               2
    ldd r16, Y+5             2
    ld r16, Z                2
    ld r16, Z+               2
    ld r16, -Z               2
    ldd r16, Z+5             2
    lds r16, 0x200           2
    st X, r16                2
    st X+, r16               2
    st -X, r16               2
    st Y+, r16               2
    st -Y, r16               2
    std Y+5, r16             2
    st Z+, r16               2
    st -Z, r16               2
    std Z+5, r16             2
    sts 0x200, r16           2
    lpm                      3
    lpm r16, Z               3
    lpm r16, Z+              3
    in r16, 0x1e             1
    out 0x1e, r16            1
    sbi 0x1e, 3              2
    cbi 0x1e, 3              2
    push r16                 2
    pop r16                  2
    nop                      1
    wdr                      1
    sei                      1
    cli                      1
    clr r16                  1
    clr r17                  1
    breq .+0                 2
    brne .+0                 1
    rjmp .+0                 2
    jmp 1f                   3
1:  call f                   4
f2: ret                      4
    rcall f                  3
f2: ret                      4
    ldi r30, lo8(pm(f))      1
    ldi r31, hi8(pm(f))      1
    icall                    3
f2: ret                      4
    ldi r30, lo8(pm(2f))     1
    ldi r31, hi8(pm(2f))     1
    ijmp                     2
2:  cpse r16, r17            2
#   nop                      0
    cpse r16, r17            3
#   jmp 0                    0
    ldi r17, 1               1
    cpse r16, r17            1
    nop                      1
    sbrc r16, 1              2
#   nop                      0
    sbrs r16, 1              1
    nop                      1
    sbrc r16, 1              3
#   sts 0x200, r16           0
    out 0x1e, r16            1
    sbic 0x1e, 3             2
#   nop                      0
    sbic 0x1e, 3             3
#   lds r16, 0x200           0
    sbis 0x1e, 3             1
    nop                      1
"""


def test_instructions(tmp_path: Path) -> None:
    rows = [line.rsplit(None, 1) for line in LINES.strip("\n").splitlines()]
    code = "\n".join(text.replace("#", " ") for text, _ in rows if not text.startswith("f2"))
    m = assembled(tmp_path, f"_start:\n{code}\nend: rjmp end\nf: ret")
    m.step()  # the vector
    for text, cycles in rows:
        if text.startswith("#"):
            continue
        before = m.now
        m.step()
        assert m.now - before == int(cycles), text
    assert m.pc == m.symbol("end")


SLED = """
_start:
    put MEM(EICRA), 3
    put MEM(EIMSK), 1
    sei
sled:
    .rept 64
    {op}
    .endr
isr:
    {body}
    reti
"""


@pytest.mark.parametrize(
    "op, length", [("nop", 1), ("lds r17, 0x200", 2), ("lpm", 3), ("call f", 8)]
)
def test_an_interrupt_takes_four_cycles_after_the_instruction(
    tmp_path: Path, op: str, length: int
) -> None:
    """Then the jump in the vector, 3. Calls: what runs may be its RET as well, each 4 long."""
    unit = 4 if length == 8 else length
    m = assembled(tmp_path, SLED.format(op=op, body="nop") + "f: ret", INT0="isr")
    sled = run_to(m, "sled")
    for edge in range(9, 9 + unit):
        m.reset()
        m.pin_drive(26, 0)
        m.pin_drive(26, 1, at=sled + edge)
        begun = sled + -(-edge // unit) * unit  # the next instruction would begin
        assert run_to(m, "isr") == begun + 4 + 3, edge


def test_back_from_an_interrupt_one_instruction_runs(tmp_path: Path) -> None:
    """Two are pending: the lower number first; between them RETI (4) and one instruction."""
    source = SLED.format(op="nop", body="nop").replace("EIMSK), 1", "EIMSK), 3")
    source = source.replace("EICRA), 3", "EICRA), 15") + "isr1: nop\nreti"
    m = assembled(tmp_path, source, INT0="isr", INT1="isr1")
    sled = run_to(m, "sled")
    for pin in (26, 27):
        m.pin_drive(pin, 1, at=sled + 10)
    first = run_to(m, "isr")
    assert first == sled + 10 + 4 + 3
    assert run_to(m, "isr1") == first + 1 + 4 + 1 + 4 + 3
    assert m.register(SP) == 0x8FF - 2


@pytest.mark.parametrize("on", ["sei", "out IO(SREG), r17", "rcall back"])
def test_after_interrupts_are_turned_on_one_instruction_runs(tmp_path: Path, on: str) -> None:
    source = f"""
_start:
    put MEM(EICRA), 3
    put MEM(EIMSK), 1
    ldi r17, 0x80
    nop
    nop
wait:
    nop
    nop
    {on}
on: inc r20
    inc r20
    rjmp on
back: reti
isr: rjmp isr
"""
    m = assembled(tmp_path, source, INT0="isr")
    run_to(m, "wait")
    m.pin_drive(26, 1)
    on_at = run_to(m, "on")
    count = m.register(20)
    assert run_to(m, "isr") == on_at + 1 + 4 + 3
    assert m.register(20) == (count + 1) & 255


def test_cli_comes_before_what_is_pending(tmp_path: Path) -> None:
    source = """
_start:
    put MEM(EICRA), 3
    put MEM(EIMSK), 1
again:
    sei
    cli
    rjmp again
isr: rjmp isr
"""
    m = assembled(tmp_path, source, INT0="isr")
    m.pin_drive(26, 1, at=10)
    stop = m.run(1000)
    assert stop.reason == "time" and m.pc < m.symbol("isr")


def test_sleep_costs_four_more(tmp_path: Path) -> None:
    source = """
_start:
    put MEM(EICRA), 3
    put MEM(EIMSK), 1
    put MEM(SMCR), 1
    sei
    sleep
after:
    rjmp after
isr: reti
"""
    m = assembled(tmp_path, source, INT0="isr")
    m.pin_drive(26, 1, at=1000)
    assert run_to(m, "isr") == 1000 + 4 + 4 + 3
    assert run_to(m, "after") == 1000 + 11 + 4
    slept = m.sleep_cycles
    assert slept == 1000 - (3 + 3 * 3 + 1 + 1)  # jmp, three times ldi and sts, sei, sleep


def test_a_handler_is_a_stretch_with_interrupts_off(tmp_path: Path) -> None:
    m = assembled(tmp_path, SLED.format(op="nop", body="nop"), INT0="isr")
    sled = run_to(m, "sled")
    m.log_masked()
    m.pin_drive(26, 1, at=sled + 10)
    m.run(sled + 60)
    (stretch,) = m.masked()
    assert (stretch.cycle, stretch.cycles) == (sled + 10, 4 + 3 + 1 + 4)


def test_a_vector_from_outside(tmp_path: Path) -> None:
    m = assembled(tmp_path, "_start: sei\nloop: rjmp loop\nisr: reti", TIMER0_OVF="isr")
    m.pend_irq(16, at=101)
    assert run_to(m, "isr") in (101 + 7, 102 + 7)
