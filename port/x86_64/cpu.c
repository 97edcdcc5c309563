/*
 * x86-64: what each CPU has of its own: segments, stacks, what gs points to; and the table of
 * interrupts, which all share.
 *
 * Below each stack is a page that is not there (page.c). CPU 0's dispatcher and main have theirs by
 * the link script.
 */
#include <string.h>
#include <takt/port.h>

#include "page.h"
#include "x86.h"

enum {
    STACK_FIRST = 16384,
    STACK_WORK = 32768,
    STACK_INTERRUPTS = 16384,
    STACK_EXCEPTIONS = 16384,
    STACK_LAST = 8192,
    IST_INTERRUPTS = 1,
    IST_EXCEPTIONS = 2,
    IST_LAST = 3,
    GATE_INTERRUPT = 0x8E, /* present, off in the handler */
    DOUBLE_FAULT = 8,
    MACHINE_CHECK = 18,
    TASK_WORDS = 26,
    TASK_IST = 9, /* where the stacks are in a task state, in words of 4 bytes */
};

#define SEGMENT_TASK_BITS 0x0000890000000000u

struct gate {
    uint16_t low, segment;
    uint8_t ist, type;
    uint16_t middle;
    uint32_t high, reserved;
};

struct pointer {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

struct stacks {
    char guard1[PAGE], interrupts[STACK_INTERRUPTS];
    char guard2[PAGE], exceptions[STACK_EXCEPTIONS];
    char guard3[PAGE], last[STACK_LAST];
} __attribute__((aligned(PAGE)));

/* Of further CPUs: what they start on, and the dispatcher's. */
struct more_stacks {
    char guard1[PAGE], first[STACK_FIRST];
    char guard2[PAGE], work[STACK_WORK];
} __attribute__((aligned(PAGE)));

/* What fs points to, behind variables of the thread: for a C library, which thinks that each CPU is
 * a thread. It begins with where it is, and is set up by the library on CPU 0; other CPUs have
 * copies. */
struct own {
    char variables[256];
    uint64_t library[64]; /* the library has half of it, behind which a guard may be */
} __attribute__((aligned(64)));

static struct x86_cpu cpus[PORT_CPUS];
static struct stacks stacks[PORT_CPUS];
#if PORT_CPUS > 1
static struct more_stacks more_stacks[PORT_CPUS - 1];
#endif
static struct own owns[PORT_CPUS];
static uint64_t segments[PORT_CPUS][5];
static uint32_t tasks[PORT_CPUS][TASK_WORDS];
static struct gate gates[VECTORS];

extern const char port_entries[][ENTRY_BYTES];
extern void port_call(void);
extern char __takt_isr_stack_guard[], __takt_isr_stack_end[], __takt_main_stack_guard[];

static uint8_t ist_of(unsigned vector)
{
    if (vector == VECTOR_NMI || vector == DOUBLE_FAULT || vector == MACHINE_CHECK)
        return IST_LAST;
    return vector < VECTOR_OLD ? IST_EXCEPTIONS : IST_INTERRUPTS;
}

static void make_gates(void)
{
    for (unsigned vector = 0; vector < VECTORS; vector++) {
        uint64_t entry = (uintptr_t)port_entries[vector];
        gates[vector] = (struct gate){(uint16_t)entry, SEGMENT_CODE, ist_of(vector), GATE_INTERRUPT,
                                      (uint16_t)(entry >> 16), (uint32_t)(entry >> 32), 0};
    }
}

static void set_stack(uint32_t *task, unsigned ist, char *end)
{
    task[TASK_IST + 2 * (ist - 1)] = (uint32_t)(uintptr_t)end;
    task[TASK_IST + 2 * (ist - 1) + 1] = (uint32_t)((uintptr_t)end >> 32);
}

static void make_stacks(struct stacks *own, uint32_t *task)
{
    set_stack(task, IST_INTERRUPTS, own->interrupts + sizeof own->interrupts);
    set_stack(task, IST_EXCEPTIONS, own->exceptions + sizeof own->exceptions);
    set_stack(task, IST_LAST, own->last + sizeof own->last);
    page_guard(own->guard1);
    page_guard(own->guard2);
    page_guard(own->guard3);
}

/* The descriptor of a task state takes two. */
static void make_segments(uint64_t *table, const uint32_t *task)
{
    uint64_t base = (uintptr_t)task;
    table[1] = SEGMENT_CODE_BITS;
    table[2] = SEGMENT_DATA_BITS;
    table[3] = SEGMENT_TASK_BITS | (sizeof tasks[0] - 1) | (base & 0xFFFFFFu) << 16 |
               (base >> 24 & 0xFFu) << 56;
    table[4] = base >> 32;
}

/* No segment but those of the task and gs means anything; ds, es and ss are to be valid. */
static void load_tables(const uint64_t *table)
{
    struct pointer of_segments = {sizeof segments[0] - 1, (uintptr_t)table};
    struct pointer of_gates = {sizeof gates - 1, (uintptr_t)gates};
    __asm__ volatile("lgdt %0\n\t"
                     "lidt %1\n\t"
                     "pushq %2\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:\tmovl %3, %%eax\n\t"
                     "movl %%eax, %%ds\n\t"
                     "movl %%eax, %%es\n\t"
                     "movl %%eax, %%ss\n\t"
                     "movl %4, %%eax\n\t"
                     "ltr %%ax"
                     :
                     : "m"(of_segments), "m"(of_gates), "i"(SEGMENT_CODE), "i"(SEGMENT_DATA),
                       "i"(SEGMENT_TASK)
                     : "rax", "memory");
}

static void name_cpu(unsigned index, char *work_end)
{
    struct x86_cpu *cpu = &cpus[index];
    cpu->self = cpu;
    cpu->index = (uint8_t)index;
    cpu->work_end = work_end;
    make_stacks(&stacks[index], tasks[index]);
    make_segments(segments[index], tasks[index]);
}

/* Only segments of a table that is loaded can be the task's; afterwards it is busy. */
static void enter_cpu(unsigned index)
{
    load_tables(segments[index]);
    owns[index].library[0] = (uintptr_t)owns[index].library;
    x86_write_msr(MSR_GS_BASE, (uintptr_t)&cpus[index]);
    x86_write_msr(MSR_FS_BASE, (uintptr_t)owns[index].library);
    x86_write_msr(MSR_STAR, (uint64_t)SEGMENT_CODE << 32);
    x86_write_msr(MSR_LSTAR, (uintptr_t)port_call);
    x86_write_msr(MSR_SFMASK, 0);
}

void x86_first_cpu(void)
{
    make_gates();
    name_cpu(0, __takt_isr_stack_end);
    page_guard(__takt_isr_stack_guard);
    page_guard(__takt_main_stack_guard);
    enter_cpu(0);
}

#if PORT_CPUS > 1
char *x86_prepare_cpu(unsigned index)
{
    struct more_stacks *more = &more_stacks[index - 1];
    name_cpu(index, more->work + sizeof more->work);
    memcpy(owns[index].library, (const void *)x86_read_msr(MSR_FS_BASE),
           sizeof owns[0].library / 2);
    page_guard(more->guard1);
    page_guard(more->guard2);
    return more->first + sizeof more->first;
}

void x86_enter_cpu(unsigned index)
{
    enter_cpu(index);
}
#endif

struct x86_cpu *x86_cpu_of(unsigned index)
{
    return &cpus[index];
}
