/*
 * The port of host.h. An interrupt's state has bit 0 set where interrupts were off already, and
 * TAKT_IRQ_LOCKED where the CPU had the kernel's lock.
 */
#define _GNU_SOURCE
#include "host.h"

#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <takt/admit.h>
#include <takt/isr.h>
#include <takt/thread.h>
#include <ucontext.h>

#define LAST_US      30000000u /* a program that is not done by then never is */
#define DEVICE_EVERY 64u       /* us of compute(), on average */
#define OTHERS_EVERY 4u
#define SET(what, value) __atomic_store_n(&(what), (value), __ATOMIC_RELAXED)
#define GET(what)        __atomic_load_n(&(what), __ATOMIC_RELAXED)

struct context {
    ucontext_t uc;
    void *fiber;
    void (*entry)(void *);
    void *arg;
};

static struct cpu {
    bool off, handling, preempt; /* its own */
    bool kicked, alarm_set, asleep;
    takt_time_t alarm_at;
    uint32_t random;
    struct context *running, begin; /* begin: the stack it was started on */
} cpus[PORT_CPUS];

uint32_t host_seed;

/* The board's: of no account here. */
extern const struct takt_admit_set takt_admit_board;
extern const uint32_t takt_admit_lock_ns;
const struct takt_admit_set takt_admit_board = {0};
const uint32_t takt_admit_lock_ns = 0;

static __thread uint8_t self;
static takt_time_t clock_us;
static uint8_t started;

uint8_t port_cpu(void)
{
    return self;
}

uint8_t port_cpus(void)
{
    return PORT_CPUS;
}

static uint32_t next_random(struct cpu *cpu)
{
    cpu->random = cpu->random * 1664525u + 1013904223u;
    return cpu->random >> 16;
}

/* Other CPUs come in between. */
static void let_others(void)
{
    if (next_random(&cpus[self]) % OTHERS_EVERY == 0)
        sched_yield();
}

takt_time_t port_now(void)
{
    let_others();
    return GET(clock_us);
}

static bool alarm_is_due(const struct cpu *cpu)
{
    return GET(cpu->alarm_set) && !takt_before(port_now(), GET(cpu->alarm_at));
}

static bool is_pending(const struct cpu *cpu)
{
    return GET(cpu->kicked) || alarm_is_due(cpu);
}

static void handle(struct cpu *cpu, void (*device)(void))
{
    cpu->off = cpu->handling = true;
    if (device) {
        device();
    } else if (GET(cpu->kicked)) {
        SET(cpu->kicked, false);
        takt_kick_isr();
    } else {
        SET(cpu->alarm_set, false);
        takt_alarm_isr();
    }
    cpu->handling = false;
    if (cpu->preempt) {
        cpu->preempt = false;
        port_irq_t irq = port_irq_save();
        takt_preempt();
        port_irq_restore(irq);
    }
    cpu->off = false;
}

static void take_interrupts(void)
{
    while (!cpus[self].off && is_pending(&cpus[self]))
        handle(&cpus[self], NULL);
}

void compute(uint32_t us)
{
    for (uint32_t i = 0; i < us; i++) {
        __atomic_fetch_add(&clock_us, 1, __ATOMIC_RELAXED);
        if (next_random(&cpus[self]) % DEVICE_EVERY == 0)
            handle(&cpus[self], device_isr);
        take_interrupts();
    }
}

port_irq_t port_local_save(void)
{
    port_irq_t state = cpus[self].off;
    cpus[self].off = true;
    let_others();
    return state;
}

void port_local_restore(port_irq_t state)
{
    cpus[self].off = state & 1u;
    take_interrupts();
}

port_irq_t port_irq_save(void)
{
    port_irq_t state = port_local_save();
    if (takt_kernel_lock_mine())
        return state | TAKT_IRQ_LOCKED;
    takt_kernel_lock_take();
    return state;
}

void port_irq_restore(port_irq_t state)
{
    if (!(state & TAKT_IRQ_LOCKED))
        takt_kernel_lock_give();
    port_local_restore(state);
}

void port_relax(void)
{
    take_interrupts();
    sched_yield();
}

bool port_in_isr(void)
{
    return cpus[self].handling;
}

void port_switch_from_isr(void)
{
    cpus[self].preempt = true;
}

void port_alarm(takt_time_t at)
{
    SET(cpus[self].alarm_at, at);
    SET(cpus[self].alarm_set, true);
}

void port_kick(uint8_t cpu)
{
    SET(cpus[cpu].kicked, true);
}

/* While all CPUs sleep the clock goes on to the first alarm. */
static void pass_time(void)
{
    takt_time_t now = port_now(), first = LAST_US;
    for (const struct cpu *cpu = cpus; cpu < cpus + PORT_CPUS; cpu++) {
        if (!GET(cpu->asleep) || is_pending(cpu))
            return;
        if (GET(cpu->alarm_set) && GET(cpu->alarm_at) < first)
            first = GET(cpu->alarm_at);
    }
    if (first == LAST_US)
        takt_fatal(TAKT_FATAL_ASSERT, TAKT_NOBODY, "takt: not done\n");
    __atomic_compare_exchange_n(&clock_us, &now, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void port_idle(void)
{
    struct cpu *cpu = &cpus[self];
    takt_kernel_lock_give();
    SET(cpu->asleep, true);
    while (!is_pending(cpu)) {
        pass_time();
        sched_yield();
    }
    SET(cpu->asleep, false);
    cpu->off = false;
    take_interrupts();
    cpu->off = true;
    takt_kernel_lock_take();
}

static void begin(uint8_t cpu)
{
    self = cpu;
    cpus[cpu].random = PORT_CPUS * host_seed + cpu;
    cpus[cpu].off = true;
    cpus[cpu].running = &cpus[cpu].begin;
    cpus[cpu].begin.fiber = __tsan_get_current_fiber();
}

void port_init(void)
{
    begin(0);
}

static void *cpu_main(void *index)
{
    uint8_t cpu = (uint8_t)(uintptr_t)index;
    begin(cpu);
    __atomic_store_n(&started, cpu, __ATOMIC_RELEASE);
    takt_cpu_main();
}

int port_cpu_start(uint8_t cpu)
{
    pthread_t thread;
    pthread_create(&thread, NULL, cpu_main, (void *)(uintptr_t)cpu);
    while (__atomic_load_n(&started, __ATOMIC_ACQUIRE) != cpu)
        sched_yield();
    return TAKT_OK;
}

static void thread_main(unsigned low, unsigned high)
{
    struct context *own = (struct context *)((uintptr_t)high << 32 | low);
    port_irq_restore(0);
    own->entry(own->arg);
    takt_thread_exit();
}

void *port_stack_init(char *stack, char *stack_end, void (*entry)(void *), void *arg)
{
    uintptr_t address = ((uintptr_t)stack_end - sizeof(struct context)) & ~(uintptr_t)63;
    struct context *made = (struct context *)address;
    made->entry = entry;
    made->arg = arg;
    made->fiber = __tsan_create_fiber(0);
    getcontext(&made->uc);
    made->uc.uc_stack.ss_sp = stack;
    made->uc.uc_stack.ss_size = (size_t)((char *)made - stack);
    makecontext(&made->uc, (void (*)(void))thread_main, 2, (unsigned)address,
                (unsigned)(address >> 32));
    return made;
}

__attribute__((no_sanitize("thread"))) void port_switch(void **save, void *load)
{
    struct context *from = cpus[self].running, *to = load;
    *save = from;
    cpus[self].running = to;
    __tsan_switch_to_fiber(to->fiber, 0);
    swapcontext(&from->uc, &to->uc);
}

uint32_t port_on_isr_stack(uint32_t (*work)(port_irq_t irq, uint32_t why), port_irq_t irq,
                           uint32_t why)
{
    return work(irq, why);
}

void *port_thread_sp(void)
{
    return __builtin_frame_address(0);
}

void port_fatal(const char *text)
{
    fputs(text, stderr);
}

void port_halt(void)
{
    _Exit(2);
}
