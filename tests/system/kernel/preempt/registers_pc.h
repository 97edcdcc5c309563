/*
 * uint32_t registers_disturbed(uint32_t seed) for pc: all general registers, the flags and the 128
 * bytes below the stack pointer, which prebuilt libraries use, get values made from the seed; a
 * while passes, and all are looked at.
 */
    .text
    .global registers_disturbed
    .type registers_disturbed, @function
registers_disturbed:
    .irp    reg, rbx, rbp, r12, r13, r14, r15
    push    %\reg
    .endr
    movl    %edi, %edi          /* 64 bits of it */
    push    %rdi
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    lea     \n(%rdi), %rax
    mov     %rax, -8 * \n(%rsp)
    .endr
    .set    n, 0
    .irp    reg, rax, rbx, rcx, rdx, rsi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    .set    n, n + 1
    lea     n(%rdi), %\reg
    .endr
    .rept   24
    cmp     %rdi, %rdi          /* zero, no carry, not negative */
    nop
    jne     9f
    jc      9f
    js      9f
    cmp     %rax, %rdi          /* rax = rdi + 1: carry, negative, not zero */
    nop
    je      9f
    jnc     9f
    jns     9f
    .endr
    std
    .rept   8
    nop
    .endr
    pushfq
    cld
    testl   $0x400, (%rsp)
    lea     8(%rsp), %rsp
    je      9f
    .set    n, 0
    .irp    reg, rax, rbx, rcx, rdx, rsi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    .set    n, n + 1
    lea     -n(%\reg), %\reg
    cmp     %rdi, %\reg
    jne     9f
    .endr
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    lea     \n(%rdi), %rax
    cmp     %rax, -8 * \n(%rsp)
    jne     9f
    .endr
    cmp     %rdi, (%rsp)
    jne     9f
    xor     %eax, %eax
    jmp     8f
9:  mov     $1, %eax
8:  cld
    pop     %rdi
    .irp    reg, r15, r14, r13, r12, rbp, rbx
    pop     %\reg
    .endr
    ret
    .size registers_disturbed, . - registers_disturbed

    .section .note.GNU-stack, "", @progbits
