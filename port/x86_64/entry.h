/*
 * For assembler: what begins and ends with a handler or a preemption.
 */

/* The time stamp counter into a field of struct x86_cpu (layout.h). Changes rax, rdx. */
    .macro ticks_to field
    rdtsc
    shlq    $32, %rdx
    orq     %rdx, %rax
    movq    %rax, %gs:\field
    .endm

/* The thread goes on, all but. */
    .macro note_resumed
    cmpb    $0, %gs:CPU_NOTES
    je      9f
    movb    $0, %gs:CPU_NOTES
    ticks_to CPU_RESUMED
9:
    .endm

/* Registers that C may change, and rbp, as they were pushed: rax first. */
    .macro pop_changed
    .irp register, rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
    popq    %\register
    .endr
    .endm
