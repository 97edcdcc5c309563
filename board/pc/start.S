/*
 * From the boot loader to C in long mode: multiboot 1 (QEMU's -kernel) or 2 (GRUB, with UEFI, too).
 *
 * The loader enters in 32 bits without paging, eax saying which it is, ebx pointing to what it
 * knows. It takes the file as it is, by the addresses in the header, for it does not know ELF of 64
 * bits. Here the first 4 GB are mapped one to one (port/x86_64/page.c), and the CPU is switched
 * over.
 */
#include <layout.h>

#define MAGIC         0x1BADB002
#define LOADED_BY     0x2BADB002
#define WANTED        0x00010002 /* memory sizes; the addresses below count */
#define MAGIC_2       0xE85250D6
#define LOADED_BY_2   0x36D76289
#define TAG_ADDRESSES 2
#define TAG_ENTRY     3

#define ID_LONG       0x20000000
#define LARGE         0x83       /* present, writable, 2 MB */
#define TABLE         3
#define TABLES        6          /* level 4, level 3, four of level 2 */

    .section .multiboot, "a", @progbits
    .balign 4
header:
    .long   MAGIC, WANTED, -(MAGIC + WANTED)
    .long   header, __takt_load_start, __takt_data_end, __takt_bss_end, takt_entry

    .balign 8
header2:
    .long   MAGIC_2, 0, header2_end - header2, -(MAGIC_2 + header2_end - header2)
    .short  TAG_ADDRESSES, 0
    .long   24, header2, __takt_load_start, __takt_data_end, __takt_bss_end
    .short  TAG_ENTRY, 0
    .long   12, takt_entry, 0
    .short  0, 0
    .long   8
header2_end:

    .section .bss.port_tables, "aw", @nobits
    .balign PAGE
    .global port_tables
port_tables:
    .space  TABLES * PAGE

    .section .rodata.start_segments, "a", @progbits
    .balign 8
segments:
    .quad   0, SEGMENT_CODE_BITS, SEGMENT_DATA_BITS
segments_pointer:
    .word   . - segments - 1
    .long   segments

    .section .text.takt_entry, "ax", @progbits
    .code32
    .global takt_entry
takt_entry:
    cli
    cld
    movl    %eax, %esi
    cmpl    $LOADED_BY, %eax
    je      0f
    cmpl    $LOADED_BY_2, %eax
    jne     refuse
0:
    movl    $__takt_main_stack_end, %esp
    movl    %ebx, %ebp
    movl    $__takt_bss_start, %edi /* the loader may have done so */
    movl    $__takt_bss_end, %ecx
    subl    %edi, %ecx
    shrl    $2, %ecx
    xorl    %eax, %eax
    rep stosl
    movl    $0x80000001, %eax
    cpuid
    testl   $ID_LONG, %edx
    jz      refuse

    movl    $port_tables + PAGE + TABLE, port_tables
    movl    $4, %ecx
    movl    $port_tables + 2 * PAGE + TABLE, %eax
    movl    $port_tables + PAGE, %edi
1:  movl    %eax, (%edi)
    addl    $PAGE, %eax
    addl    $8, %edi
    loop    1b
    movl    $LARGE, %eax
    movl    $port_tables + 2 * PAGE, %edi
    movl    $4 * 512, %ecx
2:  movl    %eax, (%edi)
    addl    $0x200000, %eax
    addl    $8, %edi
    loop    2b

    movl    $port_tables, %eax
    call    port_long_mode
    lgdt    segments_pointer
    ljmp    $SEGMENT_CODE, $in_long_mode

/* Nothing here can tell, but a letter on the first serial port may get through. */
refuse:
    movw    $0x3F8, %dx
    movb    $'?', %al
    outb    %al, %dx
    hlt
    jmp     refuse

    .code64
in_long_mode:
    movl    $SEGMENT_DATA, %eax
    movl    %eax, %ds
    movl    %eax, %es
    movl    %eax, %ss
    xorl    %eax, %eax
    movl    %eax, %fs
    movl    %eax, %gs
    movl    $__takt_main_stack_end, %esp
    fninit
    movl    %esi, %edi
    movl    %ebp, %esi
    xorl    %ebp, %ebp
    call    takt_reset
    ud2

    .section .note.GNU-stack, "", @progbits
