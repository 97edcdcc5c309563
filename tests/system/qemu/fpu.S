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
#elif defined(BOARD_PC)
/* xmm0-15, the x87 stack, and what a function must preserve: both control words, and that stack empty. */
    .text
    .global fpu_disturbed
    .type fpu_disturbed, @function
fpu_disturbed:
    .irp    reg, rbx, rbp, r12, r13
    push    %\reg
    .endr
    sub     $72, %rsp           /* 0: both words of the caller, 8: those of the seed, 16: numbers */
    stmxcsr (%rsp)
    fnstcw  4(%rsp)
    mov     %edi, %ebx
    mov     %rsi, %r13
    xor     %ebp, %ebp          /* how many are disturbed */
    mov     %ebx, %ecx
    and     $3, %ecx            /* a rounding mode of its own */
    mov     %ecx, %r12d
    shl     $13, %ecx
    or      $0x1F80, %ecx
    mov     %ecx, 8(%rsp)
    ldmxcsr 8(%rsp)
    shl     $10, %r12d
    or      $0x037F, %r12d
    mov     %r12w, 12(%rsp)
    fldcw   12(%rsp)
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    lea     \n(%rbx), %ecx
    movd    %ecx, %xmm\n
    pshufd  $0, %xmm\n, %xmm\n
    .endr
    .macro  count_if_not_equal
    setne   %cl
    movzbl  %cl, %ecx
    add     %ecx, %ebp
    .endm
    test    %r13, %r13
    jz      1f
    mov     %rdx, %rdi
    call    *%r13
    fnstenv 32(%rsp)
    cmpw    $0xFFFF, 40(%rsp)   /* tags: all empty */
    count_if_not_equal
1:  .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
    lea     \n(%rbx), %ecx
    mov     %ecx, 16(%rsp)
    fildl   16(%rsp)
    .endr
    .rept   60
    nop
    .endr
    .irp    n, 7, 6, 5, 4, 3, 2, 1, 0
    fistpl  16(%rsp)
    lea     \n(%rbx), %ecx
    cmp     %ecx, 16(%rsp)
    count_if_not_equal
    .endr
    test    %r13, %r13
    jnz     2f
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups  %xmm\n, 16(%rsp)
    lea     \n(%rbx), %ecx
    cmp     %ecx, 16(%rsp)
    count_if_not_equal
    lea     \n(%rbx), %ecx
    cmp     %ecx, 28(%rsp)
    count_if_not_equal
    .endr
2:  stmxcsr 16(%rsp)
    fnstcw  20(%rsp)
    mov     16(%rsp), %ecx
    xor     8(%rsp), %ecx
    and     $0x6000, %ecx
    movzwl  20(%rsp), %edx
    xor     %r12d, %edx
    or      %edx, %ecx
    count_if_not_equal
    ldmxcsr (%rsp)
    fldcw   4(%rsp)
    mov     %ebp, %eax
    add     $72, %rsp
    .irp    reg, r13, r12, rbp, rbx
    pop     %\reg
    .endr
    ret
    .size fpu_disturbed, . - fpu_disturbed

    .section .note.GNU-stack, "", @progbits
#endif
