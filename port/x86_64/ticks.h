/*
 * For assembler: the time stamp counter into a field of struct x86_cpu (layout.h). Changes rax, rdx.
 */
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
