"""Exceptions of a Cortex-M0 against what was measured on one: Appendix A of the Ell-i thesis, the
cycles between two edges of a pin on an STM32F051 at 8 MHz, where flash has no wait state."""

from __future__ import annotations

import pytest

PREPARE = """
    .macro edge mask        // two cycles
    str \\mask, [r7]
    .endm
_start:
    ldr r0, =0x40021014     // clock of port A
    ldr r1, =0x00020014
    str r1, [r0]
    ldr r0, =0x48000000     // PA6 is an output
    ldr r1, =1 << 12
    str r1, [r0]
    ldr r0, =0xe000ed20     // PendSV below SVC
    ldr r1, =0x00c00000
    str r1, [r0]
    movs r1, #3             // interrupts 0 and 1
    ldr r0, =0xe000e100
    str r1, [r0]
    ldr r5, =0xe000ed04     // ICSR
    movs r6, #1
    lsls r6, #28            // PENDSVSET
    ldr r7, =0x48000018     // BSRR
    movs r4, #1 << 6
    lsls r3, r4, #16
start:
"""

# What is measured: the code between the edges, by the thesis's name for it, and its cycles there
MEASURED = {
    "STR + PendSV asynchronous delay + exception entry + toggle": (
        "edge r4\n str r6, [r5]\n nop\n nop\n nop\n bkpt 0\nhandler: edge r3\n bkpt 0",
        {"pendsv": "handler"},
        21,
    ),
    "SVC + exception entry + toggle": (
        "edge r4\n svc 0\n bkpt 0\nhandler: edge r3\n bkpt 0",
        {"svc": "handler"},
        20,
    ),
    "BX + tail chaining + toggle": (
        "svc 0\n bkpt 0\nfirst: str r6, [r5]\n nop\n nop\n edge r4\n bx lr\n"
        "second: edge r3\n bkpt 0",
        {"svc": "first", "pendsv": "second"},
        17,
    ),
    "BX + exception return + toggle": (
        "svc 0\n edge r3\n bkpt 0\nhandler: edge r4\n bx lr",
        {"svc": "handler"},
        18,
    ),
}


@pytest.mark.parametrize("name", MEASURED)
def test_the_thesis_measured(assemble, name: str) -> None:
    source, handlers, cycles = MEASURED[name]
    firmware = assemble(PREPARE + source + "\n", chip="stm32f051", **handlers)
    machine = firmware.machine
    machine.log_pin(6)
    machine.run(10_000)
    (rise, _, high), (fall, _, low) = machine.pin_edges()
    assert (high, low) == (1, 0)
    assert fall - rise == cycles
