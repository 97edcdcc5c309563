/*
 * For assembler: what a thread that leaves by itself has on its stack, and how it comes back.
 *
 *      saved sp -> r8 r9 r10 r11 r4 r5 r6 r7 pc
 *
 * Where the program is optimised at link time (PORT_LTO, sem_lto.c), the word on top says how to
 * come back, for a thread that has left by inlined code has nothing else there:
 *
 *      saved sp -> port_frame r8 ... pc        or        saved sp -> pc
 */
#ifndef TAKT_PORT_FRAME_H
#define TAKT_PORT_FRAME_H

/* r4-r7 and the return address have been pushed; r4-r7 are lost. */
.macro push_frame
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    push    {r4-r7}
#if PORT_LTO
    ldr     r4, =port_frame
    push    {r4}
#endif
.endm

/* r1 is lost. The stack pointer moves only when r8-r11 are good: an interrupt may come anywhere,
 * and one that abandons a pop leaves anything in its registers. */
.macro take_frame
    mov     r1, sp
    ldmia   r1!, {r4-r7}
    mov     r8, r4
    mov     r9, r5
    mov     r10, r6
    mov     r11, r7
    add     sp, #16
    pop     {r4-r7, pc}
.endm

.macro pop_frame
#if PORT_LTO
    pop     {pc}
#else
    take_frame
#endif
.endm

#endif
