/*
 * uint32_t registers_disturbed(uint32_t seed) for AVR: r0 to r31 get values made from the seed and
 * SREG two patterns (T, H, S, V, N, Z, C as in 0x2A and 0x55), a while passes, and all are looked at.
 */

    .text
    .global registers_disturbed
    .type registers_disturbed, @function
registers_disturbed:
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29
    push    r\n
    .endr
    eor     r22, r23            /* one byte of all four */
    eor     r22, r24
    eor     r22, r25
    mov     r0, r22
    .irp    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    mov     r\n, r0
    .endr
    .irp    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    .if \n & 1
    com     r\n
    .endif
    .if \n & 2
    swap    r\n
    .endif
    .if \n & 4
    inc     r\n
    .endif
    .if \n & 8
    dec     r\n
    .endif
    .endr
    .irp    n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    mov     r\n, r0
    subi    r\n, \n
    .endr
    /* SREG: once with C, N, S clear and the others set, once the other way round. I stays. */
    bst     r0, 0               /* T, and nothing below changes it */
    .irp    pattern, 0, 1
    .if \pattern
    sec
    sez
    sen
    seh
    clv
    ses
    .else
    clc
    clz
    cln
    clh
    sev
    cls
    .endif
    .rept   60
    nop
    .endr
    .if \pattern
    brcc    8f
    brne    8f
    brpl    8f
    brhc    8f
    brvs    8f
    brge    8f
    .else
    brcs    8f
    breq    8f
    brmi    8f
    brhs    8f
    brvc    8f
    brlt    8f
    .endif
    rjmp    7f
8:  rjmp    9f
7:
    .endr
    /* Each of the upper half against r0, then r0 against the lower half. */
    .irp    n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    subi    r\n, -\n
    cpse    r\n, r0
    rjmp    9f
    .endr
    .irp    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    mov     r16, r0
    .if \n & 1
    com     r16
    .endif
    .if \n & 2
    swap    r16
    .endif
    .if \n & 4
    inc     r16
    .endif
    .if \n & 8
    dec     r16
    .endif
    cpse    r\n, r16
    rjmp    9f
    .endr
    clr     r16                 /* T is bit 0 of r0 */
    bld     r16, 0
    eor     r16, r0
    sbrc    r16, 0
    rjmp    9f
    ldi     r22, 0
    rjmp    6f
9:  ldi     r22, 1
6:  clr     r1
    clr     r23
    clr     r24
    clr     r25
    .irp    n, 29, 28, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2
    pop     r\n
    .endr
    ret
    .size registers_disturbed, . - registers_disturbed
