/*
 * The CPU's own instructions, and what the port keeps of each CPU.
 */
#ifndef TAKT_X86_64_X86_H
#define TAKT_X86_64_X86_H

#include <takt/types.h>

#include "layout.h"

#define MSR_APIC_BASE    0x1Bu
#define MSR_TSC_DEADLINE 0x6E0u
#define MSR_STAR         0xC0000081u
#define MSR_LSTAR        0xC0000082u
#define MSR_SFMASK       0xC0000084u
#define MSR_FS_BASE      0xC0000100u
#define MSR_GS_BASE      0xC0000101u

static inline void x86_out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

static inline uint8_t x86_in8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline void x86_out32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" ::"a"(value), "Nd"(port));
}

static inline uint32_t x86_in32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline void x86_write_msr(uint32_t which, uint64_t value)
{
    __asm__ volatile("wrmsr" ::"c"(which), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
}

static inline uint64_t x86_read_msr(uint32_t which)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(which));
    return (uint64_t)high << 32 | low;
}

/* The time stamp counter, not before what comes before in the program. */
static inline uint64_t x86_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

struct x86_id {
    uint32_t a, b, c, d;
};

static inline struct x86_id x86_id(uint32_t leaf)
{
    struct x86_id id;
    __asm__ volatile("cpuid" : "=a"(id.a), "=b"(id.b), "=c"(id.c), "=d"(id.d) : "a"(leaf), "c"(0));
    return id;
}

static inline void x86_relax(void)
{
    __asm__ volatile("pause" ::: "memory");
}

/* One CPU. The first fields are at places that assembler knows (layout.h). */
struct x86_cpu {
    struct x86_cpu *self;
    void *thread_sp;     /* the thread's stack pointer, while a handler or the dispatcher runs */
    uint8_t working;     /* on the dispatcher's stack */
    uint8_t handling;    /* in a handler */
    uint8_t preempt;     /* a handler has asked for takt_preempt() */
    uint8_t index;
    uint32_t apic_id;
    char *work_end;      /* where the dispatcher's stack begins */
    uint64_t entered;    /* the counter when the last interrupt came, */
    uint64_t resumed;    /* and when, last, a thread went on after one, where that was to be */
    uint8_t notes;       /* noted */
    bool alarm_ready;    /* its timer has been set up */
};

/* The CPU that runs this. */
static inline struct x86_cpu *x86_here(void)
{
    struct x86_cpu *cpu;
    __asm__("movq %%gs:0, %0" : "=r"(cpu));
    return cpu;
}

/* The CPU that boots: its segments, stacks, the table of interrupts. Interrupts off. */
void x86_first_cpu(void);

/* The same in two steps of another one: what it needs, returning the end of the stack it starts on;
 * and, there, taking it on. */
char *x86_prepare_cpu(unsigned index);
void x86_enter_cpu(unsigned index);

/* Which CPUs there are: the firmware has been read, the APIC is on. Before the start. */
void x86_count_cpus(void);

/* All other CPUs stop, whatever they do, and for ever; so does the caller, where another has called
 * this. Any context. */
void x86_stop_others(void);

/* Has a CPU called that? If so, other CPUs come by here. */
bool x86_stopping(void);
void x86_stop(void) __attribute__((noreturn));

/* One of them. */
struct x86_cpu *x86_cpu_of(unsigned index);

#endif
