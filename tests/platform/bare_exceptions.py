"""The beginning of the programs that test exceptions."""

# Enables interrupts 3 (priority 0x40) and 5 (0x80), and offers macros to pend them.
PREPARE = """
    .macro pend number
    ldr r0, =0xe000e200
    ldr r1, =1 << \\number
    str r1, [r0]
    nop                     // goes by before that is seen
    .endm
_start:
    ldr r0, =0xe000e100
    ldr r1, =(1 << 3) | (1 << 5)
    str r1, [r0]
    ldr r0, =0xe000e400
    ldr r1, =0x40000000
    str r1, [r0]
    ldr r1, =0x00008000
    str r1, [r0, #4]
    ldr r0, =0xe000ed20
    ldr r1, =0xc0c00000     // PendSV and SysTick last
    str r1, [r0]
    movs r2, #22
    movs r3, #33
"""
