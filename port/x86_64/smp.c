/*
 * x86-64: the other CPUs: counted, started (INIT, then start-up messages: multiprocessor
 * specification 1.4, appendix B.4), kicked, stopped.
 *
 * CPU 0 is the one that boots; the rest follows in the order of the firmware. Of a core with
 * several threads only the first is used: what one of them computes takes time from the other, so
 * that no loop's C would be its own.
 */
#include <firmware.h>
#include <string.h>
#include <takt/console.h>
#include <takt/port.h>
#include <takt/thread.h>

#include "../../drivers/clock/pc_clock.h"
#include "apic.h"
#include "irq.h"
#include "x86.h"

enum {
    INIT_US = 10000,
    START_UP_US = 200,
    ANSWER_US = 100000,
    XAPIC_IDS = 255, /* a message to the last goes to all */
    ID_TOPOLOGY = 11,
    LEVEL_THREADS = 1,
};

static uint8_t count = 1;
static uint8_t running = 1;           /* CPUs that have been started */
static uint8_t stopper = TAKT_NO_CPU; /* the CPU that stops all the rest */
static uint32_t stopped;              /* a bit for each CPU: it may come here twice */

/* How many of an id's lowest bits tell the threads of a core apart (leaf 11). */
static unsigned thread_bits(void)
{
    struct x86_id id = x86_id(0);
    if (id.a < ID_TOPOLOGY)
        return 0;
    id = x86_id(ID_TOPOLOGY);
    return (id.c >> 8 & 0xFFu) == LEVEL_THREADS ? id.a & 31u : 0;
}

static bool is_known(uint32_t core, unsigned bits)
{
    unsigned i = 0;
    while (i < count && x86_cpu_of(i)->apic_id >> bits != core)
        i++;
    return i < count;
}

void x86_count_cpus(void)
{
    unsigned bits = thread_bits();
    x86_cpu_of(0)->apic_id = apic_id();
    for (unsigned i = 0; i < pc_firmware.cpus && count < PORT_CPUS; i++) {
        uint32_t id = pc_firmware.apic_ids[i];
        if (id < XAPIC_IDS && !is_known(id >> bits, bits))
            x86_cpu_of(count++)->apic_id = id;
    }
}

uint8_t port_cpus(void)
{
    return count;
}

/* The CPU that calls this first goes on alone; on another one it never returns. What those were
 * about to change is as it is, and the kernel's lock is the caller's. */
void x86_stop_others(void)
{
    uint8_t before = TAKT_NO_CPU, here = port_cpu();
    __asm__ volatile("cli" ::: "memory");
    if (!__atomic_compare_exchange_n(&stopper, &before, here, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST)) {
        while (before != here)
            x86_stop();
        return;
    }
    if (running == 1)
        return;
    for (unsigned i = 0; i < running; i++) /* not those that are still the firmware's */
        if (i != here)
            apic_send(x86_cpu_of(i)->apic_id, APIC_NMI);
    uint64_t until = x86_ticks() + takt_clock.hz / 1000000u * ANSWER_US;
    uint32_t others = ((1u << running) - 1u) & ~(1u << here);
    while ((__atomic_load_n(&stopped, __ATOMIC_SEQ_CST) & others) != others && x86_ticks() < until)
        x86_relax();
    PORT_SEIZE();
}

bool x86_stopping(void)
{
    return __atomic_load_n(&stopper, __ATOMIC_SEQ_CST) != TAKT_NO_CPU;
}

void x86_stop(void)
{
    __atomic_fetch_or(&stopped, 1u << port_cpu(), __ATOMIC_SEQ_CST);
    for (;;)
        __asm__ volatile("cli\n\thlt");
}

#if PORT_CPUS > 1

extern const char port_trampoline[], port_trampoline_end[], port_trampoline_of[];

static uint8_t started; /* index of the CPU that has come furthest */

/* Within that time. */
static bool answers(uint8_t cpu, uint32_t us)
{
    uint64_t until = x86_ticks() + takt_clock.hz / 1000000u * us;
    while (__atomic_load_n(&started, __ATOMIC_ACQUIRE) != cpu && x86_ticks() < until)
        port_relax();
    return __atomic_load_n(&started, __ATOMIC_ACQUIRE) == cpu;
}

static void kicked(void *arg)
{
    (void)arg;
    takt_kick_isr();
}

int port_cpu_start(uint8_t cpu)
{
    char *page = (char *)(uintptr_t)TRAMPOLINE, *stack = x86_prepare_cpu(cpu);
    uint32_t to = x86_cpu_of(cpu)->apic_id, own[] = {(uint32_t)(uintptr_t)stack, cpu};
    irq_set(VECTOR_KICK, kicked, NULL);
    memcpy(page, port_trampoline, (size_t)(port_trampoline_end - port_trampoline));
    memcpy(page + (port_trampoline_of - port_trampoline), own, sizeof own);
    apic_send(to, APIC_INIT);
    (void)answers(cpu, INIT_US); /* not yet */
    apic_send(to, APIC_START_UP | TRAMPOLINE / PAGE);
    if (!answers(cpu, START_UP_US))
        apic_send(to, APIC_START_UP | TRAMPOLINE / PAGE);
    if (!answers(cpu, ANSWER_US))
        return TAKT_ETIMEOUT;
    running++;
    return TAKT_OK;
}

void port_kick(uint8_t cpu)
{
    apic_send(x86_cpu_of(cpu)->apic_id, APIC_FIXED | VECTOR_KICK);
}

/* From the trampoline, on the CPU's own stack. */
void x86_cpu_entry(uint32_t cpu) __attribute__((noreturn, used));
void x86_cpu_entry(uint32_t cpu)
{
    x86_enter_cpu(cpu);
    apic_start();
    __atomic_store_n(&started, (uint8_t)cpu, __ATOMIC_RELEASE);
    takt_cpu_main();
}

#endif
