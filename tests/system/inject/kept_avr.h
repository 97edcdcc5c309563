/*
 * uint32_t registers_kept(uint32_t seed, int (*fn)(void *), void *arg) for AVR: calls fn(arg) with known
 * values in all registers that a function must preserve, and returns 0 if they still are there.
 */
    .text
    .global registers_kept
    .type registers_kept, @function
registers_kept:
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29
    push    r\n
    .endr
    push    r22
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29
    mov     r\n, r22
    inc     r22
    .endr
    movw    r30, r20
    movw    r24, r18
    icall
    pop     r22
    ldi     r24, 0
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29
    cpse    r\n, r22
    ldi     r24, 1
    inc     r22
    .endr
    mov     r22, r24
    clr     r23
    clr     r24
    clr     r25
    .irp    n, 29, 28, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2
    pop     r\n
    .endr
    ret
    .size registers_kept, . - registers_kept
