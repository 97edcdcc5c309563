/*
 * For assembler: asking for PendSV, which preempts.
 */
#ifndef TAKT_PORT_PENDSV_H
#define TAKT_PORT_PENDSV_H

#define ICSR          0xE000ED04
#define PENDSVSET_BIT 28

/* r0 and r1 are lost. */
.macro ask_for_pendsv
    ldr     r1, =ICSR
    movs    r0, #1
    lsls    r0, #PENDSVSET_BIT
    str     r0, [r1]
.endm

#endif
