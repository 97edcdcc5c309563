/*
 * x86-64: switching threads and preempting them.
 *
 * A thread that calls port_switch() has what the ABI preserves on its stack:
 *
 *      saved sp -> mxcsr fcw  r15 r14 r13 r12 rbx rbp  pc
 *
 * A handler runs on a stack of its own (vectors.S). When it has asked for a preemption, the thread
 * it has interrupted is made to call takt_preempt() by a frame that its code could not tell from
 * having been called between two instructions:
 *
 *      as it was:         ...| 128 bytes that libraries may use below the stack pointer
 *      port_preempted:       |........| ss rsp rflags cs rip | rax .. r11 rbp | 520: x87 and SSE
 *
 * `rip` is where it was; the iretq at the end restores the flags, and with them interrupts, in the
 * same instruction that goes there. So no interrupt can come in between, and no second frame on the
 * first. There is no need to ask whether a request is stale: there is no time between asking and
 * the end of the handler, and in the dispatcher, which has yet to look, it is dropped.
 *
 * The thread that runs next finds the x87 registers empty and the control words of its own, as
 * after a call.
 */
#include "layout.h"

#include "entry.h"

#define CR0_WANTED  0x80010023 /* paging, write protection, x87 and its exceptions, protection */
#define CR4_WANTED  0x620      /* physical addresses of more than 32 bits, SSE and its exceptions */
#define MSR_EFER    0xC0000080
#define EFER_WANTED 0x101      /* long mode, syscall */

    .macro function name
    .section .text.\name, "ax", @progbits
    .balign 16
    .global \name
    .type \name, @function
\name:
    .endm

/* The rest of a switch: from what the stack pointer points to into the thread. */
    .macro continue
    ldmxcsr (%rsp)
    fldcw   4(%rsp)
    addq    $8, %rsp
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rbx
    popq    %rbp
    ret
    .endm

/* void port_switch(void **save, void *load) */
    function port_switch
    pushq   %rbp
    pushq   %rbx
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    subq    $8, %rsp
    stmxcsr (%rsp)
    fnstcw  4(%rsp)
    movq    %rsp, (%rdi)
    movq    %rsi, %rsp
    continue
    .size port_switch, . - port_switch

/* void port_start(void *sp): as the end of port_switch(). */
    function port_start
    movq    %rdi, %rsp
    continue
    .size port_start, . - port_start

/* uint32_t port_on_isr_stack(work, irq, why) */
    function port_on_isr_stack
    pushq   %rbp
    movq    %rsp, %rbp
    movq    %rsp, %gs:CPU_THREAD_SP
    movb    $1, %gs:CPU_WORKING
    movq    %gs:CPU_WORK_END, %rsp
    movq    %rdi, %rax
    movq    %rsi, %rdi
    movl    %edx, %esi
    call    *%rax
    movq    %rbp, %rsp
    movb    $0, %gs:CPU_WORKING
    popq    %rbp
    ret
    .size port_on_isr_stack, . - port_on_isr_stack

/* void *port_thread_sp(void): the caller's own, in a thread. */
    function port_thread_sp
    movzwl  %gs:CPU_WORKING, %ecx
    leaq    8(%rsp), %rax
    testl   %ecx, %ecx
    cmovneq %gs:CPU_THREAD_SP, %rax
    ret
    .size port_thread_sp, . - port_thread_sp

/* First instructions of a thread: rbx = entry, r12 = argument, r13 = its guard (port_stack_init),
 * which the CPU may remember as it was. */
    function port_thread_entry
    invlpg  (%r13)
    call    port_let_in
    movq    %r12, %rdi
    call    *%rbx
    call    takt_thread_exit
    ud2
    .size port_thread_entry, . - port_thread_entry

/* Where a handler that has asked for it returns to. */
    function port_preempted
    pushq   %rax
    pushq   %rcx
    pushq   %rdx
    pushq   %rsi
    pushq   %rdi
    pushq   %r8
    pushq   %r9
    pushq   %r10
    pushq   %r11
    pushq   %rbp
    movq    %rsp, %rbp
    subq    $520, %rsp
    fxsave64 (%rsp)
    fninit
    ldmxcsr port_start_mxcsr(%rip)
    call    port_preempt_thread
    fxrstor64 (%rsp)
    movq    %rbp, %rsp
    note_resumed
    pop_changed
    iretq
    .size port_preempted, . - port_preempted

/* To long mode, in 32 bits and where addresses are what they are on the bus. eax: the tables. */
    .code32
    function port_long_mode
    movl    %eax, %cr3
    movl    %cr4, %eax
    orl     $CR4_WANTED, %eax
    movl    %eax, %cr4
    movl    $MSR_EFER, %ecx
    rdmsr
    orl     $EFER_WANTED, %eax
    wrmsr
    movl    $CR0_WANTED, %eax
    movl    %eax, %cr0
    ret
    .size port_long_mode, . - port_long_mode
    .code64

    .section .rodata.port_start_mxcsr, "a", @progbits
    .balign 4
    .global port_start_mxcsr
port_start_mxcsr:
    .long   START_MXCSR

    .section .note.GNU-stack, "", @progbits
