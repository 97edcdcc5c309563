/*
 * x86-64: the first instructions of a further CPU, which it executes in real mode from a page below
 * 1 MB that port_cpu_start() has copied this to (TRAMPOLINE). It comes to x86_cpu_entry(index) in
 * long mode, with the tables of the CPU that boots.
 */
#include "layout.h"

#define CR0_PROTECTED_ONLY 0x00000011
#define AT(label) (TRAMPOLINE + label - port_trampoline)

    .section .rodata.port_trampoline, "a", @progbits
    .balign 16
    .global port_trampoline, port_trampoline_end, port_trampoline_of
    .code16
port_trampoline:
    cli
    cld
    xorw    %ax, %ax
    movw    %ax, %ds
    lgdtl   AT(pointer)
    movl    $CR0_PROTECTED_ONLY, %eax
    movl    %eax, %cr0
    ljmpl   $SEGMENT_CODE_32, $AT(protected)

    .code32
protected:
    movw    $SEGMENT_DATA, %ax
    movw    %ax, %ds
    movw    %ax, %es
    movw    %ax, %ss
    movl    AT(stack), %esp
    movl    $port_tables, %eax
    movl    $port_long_mode, %ecx
    call    *%ecx
    ljmp    $SEGMENT_CODE, $AT(long)

    .code64
long:
    fninit
    movl    AT(index), %edi
    movl    $x86_cpu_entry, %eax
    call    *%rax
    ud2

    .balign 8
segments:
    .quad   0, SEGMENT_CODE_BITS, SEGMENT_DATA_BITS, SEGMENT_CODE_32_BITS
pointer:
    .word   pointer - segments - 1
    .long   AT(segments)
    .balign 4
port_trampoline_of:
stack:
    .long   0
index:
    .long   0
port_trampoline_end:

    .section .note.GNU-stack, "", @progbits
