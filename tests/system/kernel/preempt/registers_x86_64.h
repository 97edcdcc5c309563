/*
 * uint32_t registers_disturbed(uint32_t seed) for sim: what a function must preserve (rbx, rbp, r12 to
 * r15, the rounding mode of SSE) gets values made from the seed, a while passes in pieces that end
 * where sim takes interrupts, and all are looked at.
 */

    .text
    .global registers_disturbed
    .type registers_disturbed, @function
registers_disturbed:
    .irp    reg, rbx, rbp, r12, r13, r14, r15
    push    %\reg
    .endr
    movl    %edi, %edi          /* 64 bits of it */
    sub     $24, %rsp           /* 8: the caller's mode, 12: the seed's, 16: the seed */
    stmxcsr 8(%rsp)
    movl    %edi, 16(%rsp)
    movl    %edi, %eax
    andl    $0x6000, %eax
    orl     $0x1F80, %eax
    movl    %eax, 12(%rsp)
    ldmxcsr 12(%rsp)
    lea     1(%rdi), %rbx
    lea     2(%rdi), %rbp
    lea     3(%rdi), %r12
    lea     4(%rdi), %r13
    lea     5(%rdi), %r14
    lea     6(%rdi), %r15
    .rept   16
    call    __sanitizer_cov_trace_pc@PLT
    .endr
    movl    16(%rsp), %edi
    movl    $1, %eax
    .irp    reg, rbx, rbp, r12, r13, r14, r15
    inc     %rdi
    cmp     %rdi, %\reg
    jne     1f
    .endr
    stmxcsr 16(%rsp)
    movl    16(%rsp), %edx
    andl    $0x6000, %edx
    movl    12(%rsp), %ecx
    andl    $0x6000, %ecx
    cmpl    %ecx, %edx
    jne     1f
    xorl    %eax, %eax
1:  ldmxcsr 8(%rsp)
    add     $24, %rsp
    .irp    reg, r15, r14, r13, r12, rbp, rbx
    pop     %\reg
    .endr
    ret
    .size registers_disturbed, . - registers_disturbed
    .section .note.GNU-stack, "", @progbits
