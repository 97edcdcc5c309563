/*
 * x86-64: where interrupts and exceptions come in.
 *
 * Interrupts run on a stack of their own, which the CPU changes to by itself (IST 1), one at a
 * time: they are off in a handler. Exceptions have another (IST 2), so that an overflow of the
 * first can be told, and what must never find a stack in use a third (IST 3): NMI, double fault,
 * machine check.
 *
 *      rbp -> rbp r11..r8 rdi rsi rdx rcx rax  vector  rip cs rflags rsp ss
 *
 * A handler may compute with SSE and x87 (attachInterrupt() takes any function), so these are
 * saved, and it finds them as a program's start does.
 */
#include "layout.h"

#include "entry.h"

#define CODED  0x60227D00 /* exceptions for which the CPU has an error code */
#define RIP    88
#define RFLAGS 104
#define RSP    112
#define RED    128 /* bytes below a stack pointer that prebuilt libraries may use */

    .section .text.port_entries, "ax", @progbits
    .balign ENTRY_BYTES
    .global port_entries
port_entries:
    .set    vector, 0
    .rept   VECTORS
    .balign ENTRY_BYTES
    .if     vector == VECTOR_NMI
    .global port_nmi /* its first instruction: QEMU's user stops there */
port_nmi:
    .endif
    .if     vector >= VECTOR_OLD
    pushq   $vector
    jmp     port_interrupt
    .else
    .if     !(CODED >> vector & 1)
    pushq   $0
    .endif
    pushq   $vector
    jmp     port_exception
    .endif
    .set    vector, vector + 1
    .endr

    .section .text.port_interrupt, "ax", @progbits
    .balign 16
    .global port_interrupt
    .type port_interrupt, @function
port_interrupt:
    pushq   %rax
    pushq   %rcx
    pushq   %rdx
    ticks_to CPU_ENTERED
    pushq   %rsi
    pushq   %rdi
    pushq   %r8
    pushq   %r9
    pushq   %r10
    pushq   %r11
    pushq   %rbp
    movq    %rsp, %rbp
    cld
    subq    $512, %rsp
    fxsave64 (%rsp)
    fninit
    ldmxcsr port_start_mxcsr(%rip)
    cmpb    $0, %gs:CPU_WORKING
    jne     1f
    movq    RSP(%rbp), %rax
    movq    %rax, %gs:CPU_THREAD_SP
1:  movb    $1, %gs:CPU_HANDLING
    movzbl  80(%rbp), %edi
    call    port_handle
    movb    $0, %gs:CPU_HANDLING
    fxrstor64 (%rsp)
    movq    %rbp, %rsp
    movzbl  %gs:CPU_PREEMPT, %eax
    testl   %eax, %eax
    je      2f
    movb    $0, %gs:CPU_PREEMPT
    cmpb    $0, %gs:CPU_WORKING
    je      preempt
2:  note_resumed
    pop_changed
    addq    $8, %rsp
    iretq

/* The thread goes on at port_preempted (switch.S), above what it goes back with. */
preempt:
    movq    RSP(%rsp), %rcx
    subq    $RED, %rcx
    andq    $-16, %rcx
    subq    $40, %rcx
    .irp    word, 0, 8, 16, 24, 32
    movq    RIP + \word(%rsp), %rax
    movq    %rax, \word(%rcx)
    .endr
    movq    %rcx, RSP(%rsp)
    movq    $port_preempted, RIP(%rsp)
    andq    $~FLAGS_FOREIGN, RFLAGS(%rsp)
    jmp     2b
    .size port_interrupt, . - port_interrupt

/* All registers, for the report (fault.c); nothing goes back. */
    .section .text.port_exception, "ax", @progbits
    .balign 16
    .type port_exception, @function
port_exception:
    pushq   %rax
    pushq   %rbx
    pushq   %rcx
    pushq   %rdx
    pushq   %rsi
    pushq   %rdi
    pushq   %rbp
    pushq   %r8
    pushq   %r9
    pushq   %r10
    pushq   %r11
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    cld
    movq    %rsp, %rdi
    andq    $-16, %rsp
    call    port_fault
    ud2
    .size port_exception, . - port_exception

    .section .note.GNU-stack, "", @progbits
