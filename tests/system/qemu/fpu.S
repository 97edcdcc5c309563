/* uint32_t fpu_disturbed(uint32_t seed, int (*fn)(void *), void *arg), see storm.c */
#if defined(__ARM_FP)
    .syntax unified
    .thumb
    .text
    .balign 4
    .global fpu_disturbed
    .type fpu_disturbed, %function
    .thumb_func
fpu_disturbed:
    push    {r4-r7, lr}
    sub     sp, #4
    vpush   {s16-s31}
    vmrs    r7, fpscr
    push    {r7, lr}
    mov     r4, r0
    mov     r5, r1
    and     r6, r0, #3      /* a rounding mode of its own */
    lsl     r6, r6, #22
    vmsr    fpscr, r6
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
        25, 26, 27, 28, 29, 30, 31
    add     r3, r4, #\n
    vmov    s\n, r3
    .endr
    mov     r0, r2
    movs    r7, #0
    cbz     r5, 1f
    blx     r5
    b       2f
1:
    .rept 60
    nop
    .endr
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmov    r3, s\n
    sub     r3, r3, #\n
    cmp     r3, r4
    it      ne
    addne   r7, #1
    .endr
2:
    .irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vmov    r3, s\n
    sub     r3, r3, #\n
    cmp     r3, r4
    it      ne
    addne   r7, #1
    .endr
    vmrs    r3, fpscr
    and     r3, r3, #3 << 22
    cmp     r3, r6
    it      ne
    addne   r7, #1
    pop     {r3, lr}
    vmsr    fpscr, r3
    vpop    {s16-s31}
    mov     r0, r7
    add     sp, #4
    pop     {r4-r7, pc}
    .size fpu_disturbed, . - fpu_disturbed
#endif
