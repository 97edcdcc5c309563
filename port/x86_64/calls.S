/*
 * x86-64: system calls of a C library that is built for Linux: rax is the number, rdi, rsi, rdx,
 * r10, r8, r9 are arguments; rcx and r11, in which the CPU keeps the address to go back to and the
 * flags, are the call's, all else is kept. They come to takt_system_call(number, first three) on
 * the caller's stack.
 */
    .section .text.port_call, "ax", @progbits
    .balign 16
    .global port_call
    .type port_call, @function
port_call:
    leaq    -128(%rsp), %rsp /* what the caller may have there */
    pushq   %rcx
    pushq   %r11
    pushq   %rdi
    pushq   %rsi
    pushq   %rdx
    pushq   %r8
    pushq   %r9
    pushq   %r10
    pushq   %rbp
    movq    %rsp, %rbp
    andq    $-16, %rsp
    movq    %rdx, %rcx
    movq    %rsi, %rdx
    movq    %rdi, %rsi
    movq    %rax, %rdi
    call    takt_system_call
    movq    %rbp, %rsp
    popq    %rbp
    popq    %r10
    popq    %r9
    popq    %r8
    popq    %rdx
    popq    %rsi
    popq    %rdi
    popq    %r11
    popq    %rcx
    leaq    128(%rsp), %rsp
    jmp     *%rcx
    .size port_call, . - port_call

    .section .note.GNU-stack, "", @progbits
