"""What threads are delivered, against the same program stepped through instruction by instruction:
there the place in the code says who it was."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from avr_board import assembled
from takt.machine.machine import Machine

A, B, GOES_ON, LEFT, ASLEEP = 0, 1, 0, 1, 0xFFFF
Spans = list[tuple[int, int, int]]  # thread, from, to

# Two threads. A is interrupted, and every other time preempted: it runs away() before it returns to
# where it was. B runs then, is interrupted, calls something on the main stack and, with SLEEPS,
# sleeps there; then it lets A go on. An interrupt may come just before A is back, and preempt it
# once more.
TWO = """
    .equ VARS, 0x20001c00   @ sp of A, sp of B, who runs, count of interrupts
_start:
    ldr r7, =VARS
    movs r0, #0
    str r0, [r7, #8]
    str r0, [r7, #12]
    ldr r0, =0x20001800 - 20
    ldr r1, =b_code + 1
    str r1, [r0, #16]
    str r0, [r7, #4]
    ldr r0, =0xE000E100
    movs r1, #1
    str r1, [r0]
    ldr r0, =0x20001400
    msr psp, r0
    movs r1, #2
    msr control, r1
a_code:
    isb
1:  adds r2, #1
    push {r2, r3}
    mov r3, sp
    mov sp, r3
    muls r3, r2
    pop {r2, r3}
    b 1b
a_end:
    nop
handler:
    ldr r0, =VARS
    ldr r1, [r0, #12]
    adds r1, #1
    str r1, [r0, #12]
    lsrs r1, #1
    bcs 1f
    ldr r1, [r0, #8]
    cmp r1, #0
    bne 1f
    mrs r0, psp
    subs r0, #32
    msr psp, r0
    movs r2, #1
    lsls r2, #24
    str r2, [r0, #28]
    ldr r1, =away
    str r1, [r0, #24]
    cpsid i
1:  bx lr
    .align 2
away:
    push {r4-r7}
    ldr r7, =VARS
    mov r0, sp
    str r0, [r7]
    movs r1, #1
    str r1, [r7, #8]
    ldr r0, [r7, #4]
    mov sp, r0
b_resume:
    pop {r4-r7, pc}
b_code:
    cpsie i
    .rept 20
    nop
    .endr
    movs r0, #0
    msr control, r0
    isb
    .rept 20
    nop
    .endr
    cpsid i
    .if SLEEPS
    wfi
    .endif
b_slept:
    movs r0, #2
    msr control, r0
    isb
    ldr r0, =b_code + 1
    mov lr, r0
    push {r4-r7, lr}
    ldr r7, =VARS
    mov r0, sp
    str r0, [r7, #4]
    movs r1, #0
    str r1, [r7, #8]
    ldr r0, [r7]
    mov sp, r0
a_back:
    pop {r4-r7}
    cpsie i
    svc 0
svc:
    mrs r0, psp
    adds r0, #32
    msr psp, r0
    bx lr
"""
STACKS = {A: (0x20001000, 0x20001400), B: (0x20001400, 0x20001800)}


def merged(spans: Iterable[tuple[int, int, int]]) -> Spans:
    found: Spans = []
    for who, start, end in spans:
        if found and found[-1][0] == who and found[-1][2] == start:
            found[-1] = (who, found[-1][1], end)
        elif end > start:
            found.append((who, start, end))
    return found


def stepped(
    m: Any, until: int, entries: set[int], comes: int, own: Callable[[int, bool], int | None]
) -> Spans:
    """own: whose an address of code is, also: if the CPU has slept since B came, which is at
    `comes`. A step is an instruction or the entry of an exception, after which the code is at one
    of `entries`; an exit is part of the instruction that causes it."""
    spans, slept = [], False
    while m.now < until:
        pc, before = m.pc, m.now
        m.step()
        slept = slept and pc != comes
        who = own(pc, slept)
        if m.now == before:  # asleep, at the end for ever
            slept = True
            if m.run(before + 1).reason != "time":
                break
        elif who is not None and m.pc not in entries:
            spans.append((who, before, m.now))
    return merged(spans)


def seen(m: Any, until: int) -> tuple[Spans, np.ndarray]:
    """As the machine says, asked now and then."""
    parts = [m.delivered()]
    while m.now < until and m.run(min(until, m.now + 777)).reason == "time":
        parts.append(m.delivered())
    rows = np.concatenate(parts)
    threads = rows[rows["thread"] != ASLEEP]
    spans = [(int(r["thread"]), int(r["cycle"]), int(r["cycle"] + r["cycles"])) for r in threads]
    return merged(spans), rows


def pends(m: Any, irq: int, seed: int) -> int:
    """Interrupts at random distances; the end."""
    at, source = m.now + 300, random.Random(seed)
    for _ in range(300):
        m.pend_irq(irq, at)
        at += source.choice((3, 30, 70, 200, 400)) + source.randrange(40)
    return at


@pytest.mark.parametrize("sleeps", [0, 1])
@pytest.mark.parametrize("chip", ["rp2040", "stm32f051"])
def test_two_threads_and_preemptions(assemble, chip: str, sleeps: int) -> None:
    source = f".equ SLEEPS, {sleeps}\n{TWO}"
    made = [assemble(source, chip=chip, irq="handler", svc="svc") for _ in range(2)]
    one, other = (firmware.machine for firmware in made)
    at = made[0].at

    def own(pc: int, slept: bool) -> int | None:
        if at("a_code") <= pc < at("a_end"):
            return A
        return B if at("b_resume") <= pc < at("b_slept" if slept else "a_back") else None

    for low, high in STACKS.values():
        other.deliver(low, high)
    end = pends(one, 0, sleeps)
    assert pends(other, 0, sleeps) == end
    told = stepped(one, end, {at("handler"), at("svc")}, at("b_resume"), own)
    found, rows = seen(other, end)
    last = min(told[-1][2], found[-1][2])
    cut = [[s for s in spans if s[2] < last] for spans in (told, found)]
    assert len(cut[0]) > 150 and {A, B} == {who for who, _, _ in cut[0]}
    assert cut[0] == cut[1]
    left = rows[(rows["thread"] == B) & (rows["end"] == LEFT)]
    assert len(left) > 30 and not len(rows[(rows["thread"] == A) & (rows["end"] == LEFT)])
    slept = rows["cycles"][rows["thread"] == ASLEEP].sum(dtype=np.int64)
    assert slept == other.sleep_cycles and (slept > 0) == bool(sleeps)


BACK = """
_start:
    ldr r0, =0xE000E100
    movs r1, #1
    str r1, [r0]
    ldr r0, =0x20001400
    msr psp, r0
    movs r0, #0
    movs r1, #2
    msr control, r1
own:
    nop
    nop
    msr control, r0
    wfi
    nop
    nop
    msr control, r1
again:
    nop
    nop
    nop
end:
    b end
handler:
    bx lr
"""


def test_who_slept_and_goes_on_is_delivered_from_its_stack_on(assemble) -> None:
    firmware = assemble(BACK, irq="handler")
    m: Machine = firmware.machine
    m.deliver(0x20001000, 0x20001400)
    begin = firmware.run_to("own")
    m.pend_irq(0, 1000)
    again = firmware.run_to("again")
    end = firmware.run_to("end")
    rows = m.delivered()
    first, asleep, second = rows
    assert (first["cycle"], first["cycles"], first["end"]) == (begin, 2 + 3 + 2, LEFT)
    assert (asleep["thread"], asleep["cycle"]) == (ASLEEP, begin + 7)
    assert asleep["cycle"] + asleep["cycles"] == 1000
    assert (second["cycle"], second["cycles"], second["end"]) == (again, end - again, GOES_ON)


VECTOR = 4  # of INT0
AVR = """
_start:
    ldi r16, hi8(0x8ff)
    out IO(SPH), r16
    ldi r16, lo8(0x8ff)
    out IO(SPL), r16
    clr r20
    clr r21
    ldi r26, lo8(0x3ff - 2)  ; B as it left, to begin at b_code
    ldi r27, hi8(0x3ff - 2)
    ldi r16, hi8(pm(b_code))
    sts 0x3fe, r16
    ldi r16, lo8(pm(b_code))
    sts 0x3ff, r16
    ldi r16, hi8(0x2ff)
    out IO(SPH), r16
    ldi r16, lo8(0x2ff)
    out IO(SPL), r16
a_code:
    sei
1:  adiw r24, 1
    push r24
    rcall 2f
    pop r24
    rjmp 1b
2:  ret
a_end:
handler:                  ; r21: B runs; r20: counts
    inc r20
    sbrs r20, 0
    tst r21
    brne plain
    sbrc r20, 0
    rjmp plain
    inc r21
    in r28, IO(SPL)
    in r29, IO(SPH)
    out IO(SPH), r27
    out IO(SPL), r26
b_resume:
    ret
b_code:
    sei
    .rept 30
    nop
    .endr
    cli
    ldi r16, lo8(pm(b_code))
    push r16
    ldi r16, hi8(pm(b_code))
    push r16
    in r26, IO(SPL)
    in r27, IO(SPH)
    clr r21
    out IO(SPH), r29
    out IO(SPL), r28
a_back:
    nop
plain:
    reti
"""


def test_two_threads_and_preemptions_on_an_avr(tmp_path: Path) -> None:
    made = [assembled(tmp_path, AVR, INT0="handler") for _ in range(2)]
    one, other = made
    at = one.symbol

    def own(pc: int, _slept: bool) -> int | None:
        if at("a_code") <= pc < at("a_end"):
            return A
        return B if at("b_resume") <= pc < at("a_back") else None

    for low, high in ((0x200, 0x300), (0x300, 0x400)):
        other.deliver(0x800000 + low, 0x800000 + high)
    end = pends(one, 1, 7)
    assert pends(other, 1, 7) == end
    told = stepped(one, end, {VECTOR}, at("b_resume"), own)
    found, rows = seen(other, end)
    last = min(told[-1][2], found[-1][2])
    cut = [[s for s in spans if s[2] < last] for spans in (told, found)]
    assert len(cut[0]) > 150 and {A, B} == {who for who, _, _ in cut[0]}
    assert cut[0] == cut[1]
    assert len(rows[(rows["thread"] == B) & (rows["end"] == LEFT)]) > 30


ENDED = """
_start:
    ldr r0, =0xE000E100
    movs r1, #1
    str r1, [r0]
    ldr r4, =0x20001400 - 64
    ldr r0, =0x20001400
    msr psp, r0
    movs r1, #2
    msr control, r1
    sub sp, #128
own:
    nop
    b own
handler:
    mrs r0, psp
    subs r0, #32
    msr psp, r0
    movs r2, #1
    lsls r2, #24
    str r2, [r0, #28]
    ldr r1, =away
    str r1, [r0, #24]
    bx lr
    .align 2
away:
    nop
    mov sp, r4
anew:
    nop
    nop
    b end
end:
    b end
"""


def test_a_thread_that_begins_anew_while_preempted_is_delivered_from_there_on(assemble) -> None:
    firmware = assemble(ENDED, irq="handler")
    m: Machine = firmware.machine
    m.deliver(0x20001000, 0x20001400)
    begin = firmware.run_to("own")
    m.pend_irq(0, begin + 300)
    anew, end = firmware.run_to("anew"), firmware.run_to("end")
    first, second = m.delivered()[-2:]
    assert begin + 300 <= first["cycle"] + first["cycles"] < begin + 304
    assert (second["cycle"], second["cycles"]) == (anew, end - anew)


# A calls what may let another go on, which the dispatcher on the main stack finds: A itself, or one
# more or less urgent, which lets A go on after that.
YIELDS = """
_start:
    ldr r0, =0x20001400 - 64
    msr psp, r0
    movs r1, #2
    msr control, r1
    isb
    nop
begin:
    nop
    bl unlock
after:
    nop
    nop
end:
    b end
    nop
unlock:
    push {r4, lr}
    cpsid i
    nop
    bl dispatch
    nop
on:
    cpsie i
    pop {r4, pc}
unlock_end:
    nop
dispatch:
    push {r4, lr}
    movs r1, #0
    nop
leave:
    msr control, r1
left:
    .rept 50
    nop
    .endr
    movs r1, #2
    msr control, r1
    mov r4, sp
    ldr r0, =NEXT
    mov sp, r0
other:
    nop
    nop
    nop
    mov sp, r4
    nop
    pop {r4, pc}
"""


@pytest.mark.parametrize(
    ("goes_on", "sp"), [("a more urgent one", 0x20001000), ("itself", 0), ("another", 0x20001800)]
)
def test_a_call_that_lets_a_more_urgent_one_go_on_is_preempted(assemble, goes_on, sp) -> None:
    """Where the stack is left; the others' cycles are the caller's."""
    firmware = assemble(f".equ NEXT, {sp or 0x20001400 - 128:#x}\n{YIELDS}")
    m: Machine = firmware.machine
    for low in (0x20000C00, 0x20001000, 0x20001400):
        m.deliver(low, low + 0x400)
    m.deliver_yields(firmware.at("unlock"), firmware.at("unlock_end"))
    begin, left = firmware.run_to("begin"), firmware.run_to("left")
    m.run(left + 20)
    told = m.delivered()  # before it is known
    other, on, end = (firmware.run_to(name) for name in ("other", "on", "end"))
    rows = np.concatenate([told, m.delivered()])
    spans = [(int(r["thread"]), int(r["cycle"]), int(r["cycle"] + r["cycles"])) for r in rows]
    mine = merged(span for span in spans if span[0] == 1 and span[2] > begin)
    back = other + 4
    if goes_on == "itself":
        assert [(s[1] <= begin, s[2]) for s in mine] == [(True, end)]
        return
    assert len(mine) == 2
    first, second = mine
    if goes_on == "another":
        assert (first[2], second[1:]) == (other, (back, end))
        assert len(rows[(rows["thread"] == 1) & (rows["end"] == LEFT)]) == 1
    else:
        assert (first[2], second[1:]) == (left, (on + 1, end))
        assert not len(rows[(rows["thread"] == 1) & (rows["end"] == LEFT)])
