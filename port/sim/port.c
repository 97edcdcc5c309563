/*
 * Simulation port (port/sim/sim.h): stacks are ucontexts, the clock is a counter, interrupts are
 * a queue ordered by time. Interrupts are taken where time passes and where they are enabled
 * again, one at a time.
 */
#define _GNU_SOURCE
#include "sim.h"

#include "../../kernel/core/cpu.h"

#include <sanitizer/common_interface_defs.h>
#include <string.h>
#include <takt/create.h>
#include <takt/isr.h>
#include <ucontext.h>

#pragma weak takt_alarm_isr /* not there without time */
#pragma weak takt_periodic_reset
#pragma weak takt_handlers_reset

enum { MAX_INTERRUPTS = 1024 };

#define ENDLESS_US 1000000u /* the host would wait for ever */

struct context {
    ucontext_t uc;
    void (*entry)(void *);
    void *arg;
};

struct interrupt {
    uint64_t at;
    void (*fn)(void *);
    void *arg;
};

static struct {
    uint64_t now, until;
    uint32_t clock;         /* what the kernel's clock read at time 0 */
    bool irq_off, in_isr, preempt;
    bool alarm_set;
    uint64_t alarm_at;
    struct interrupt queue[MAX_INTERRUPTS]; /* by time, then order of arrival */
    int queued;
    struct sim_counts counts;
    struct context *running;
    enum sim_stop stop;
    char fatal[128];
} sim;

static ucontext_t host, boot_context;
static char boot_stack[65536];
static void (*boot_function)(void);

uint64_t sim_now(void)
{
    return sim.now;
}

struct sim_counts sim_counted(void)
{
    return sim.counts;
}

const char *sim_fatal_line(void)
{
    return sim.fatal;
}

void sim_reset(uint32_t clock)
{
    memset(&sim, 0, sizeof sim);
    sim.clock = clock;
    memset(takt_tcbs, 0, takt_places() * sizeof takt_tcbs[0]);
    takt_core = (struct takt_core){0};
    takt_locks = (struct takt_locks)TAKT_LOCKS_INIT;
    takt_timers = (struct takt_timers){0};
    takt_cpu = (struct takt_cpu){0};
    if (takt_periodic_reset)
        takt_periodic_reset();
    if (takt_handlers_reset)
        takt_handlers_reset();
    memset((void *)&takt_fatal_record, 0, sizeof takt_fatal_record);
}

static ucontext_t *here(void)
{
    return sim.running ? &sim.running->uc : &boot_context;
}

/* The sanitizer must know which stack is in use: where a job is ended, its frames are given up. */
#ifdef __SANITIZE_ADDRESS__
static void leaves_for(const ucontext_t *to)
{
    __sanitizer_start_switch_fiber(NULL, to->uc_stack.ss_sp, to->uc_stack.ss_size);
}

static void arrives(stack_t *from)
{
    const void *bottom = NULL;
    __sanitizer_finish_switch_fiber(NULL, &bottom, &from->ss_size);
    from->ss_sp = (void *)(uintptr_t)bottom;
}
#else
static void leaves_for(const ucontext_t *to)
{
    (void)to;
}

static void arrives(stack_t *from)
{
    (void)from;
}
#endif

static void change(ucontext_t *from, const ucontext_t *to)
{
    stack_t left;
    leaves_for(to);
    swapcontext(from, to);
    arrives(&left);
}

static void back_to_host(enum sim_stop why)
{
    sim.stop = why;
    change(here(), &host);
}

static void boot_main(void)
{
    arrives(&host.uc_stack);
    boot_function();
    leaves_for(&host);
}

enum sim_stop sim_run(void (*boot)(void), uint64_t until)
{
    sim.until = until;
    if (sim.stop == SIM_HALT)
        return SIM_HALT;
    if (takt_core.count == 0) {
        getcontext(&boot_context);
        boot_context.uc_stack.ss_sp = boot_stack;
        boot_context.uc_stack.ss_size = sizeof boot_stack;
        boot_context.uc_link = &host;
        makecontext(&boot_context, boot_main, 0);
        boot_function = boot;
    }
    change(&host, here());
    return sim.stop;
}

void sim_leave(void)
{
    back_to_host(SIM_ASKED);
}

bool sim_interrupt_at(uint64_t at, void (*fn)(void *), void *arg)
{
    if (sim.queued == MAX_INTERRUPTS)
        return false;
    int i = sim.queued++;
    for (; i > 0 && sim.queue[i - 1].at > at; i--)
        sim.queue[i] = sim.queue[i - 1];
    sim.queue[i] = (struct interrupt){at, fn, arg};
    return true;
}

/* When the next interrupt comes; UINT64_MAX if none will. */
static uint64_t next_event(void)
{
    uint64_t at = sim.alarm_set ? sim.alarm_at : UINT64_MAX;
    return sim.queued > 0 && sim.queue[0].at < at ? sim.queue[0].at : at;
}

/* Runs the handler of one interrupt that is due. */
static void take_interrupt(void)
{
    sim.in_isr = true;
    if (sim.alarm_set && sim.alarm_at <= sim.now) {
        sim.alarm_set = false;
        sim.counts.alarms++;
        takt_alarm_isr();
    } else {
        struct interrupt due = sim.queue[0];
        sim.queued--;
        memmove(sim.queue, sim.queue + 1, (size_t)sim.queued * sizeof sim.queue[0]);
        due.fn(due.arg);
    }
    sim.in_isr = false;
}

/* Interrupts are on: takes all that are due, then lets the kernel preempt. */
static void take_interrupts(void)
{
    while (!sim.irq_off && !sim.in_isr) {
        if (next_event() <= sim.now) {
            take_interrupt();
        } else if (sim.preempt) {
            sim.preempt = false;
            sim.irq_off = true;
            takt_preempt();
            sim.irq_off = false;
        } else {
            return;
        }
    }
}

/* Lets time pass up to `at`, as far as this run goes; returns to the host where it ends, which may
 * ask for an interrupt that comes sooner: then up to that. */
static void pass_until(uint64_t at)
{
    while (sim.now < at) {
        if (sim.now < sim.until) {
            sim.now = at < sim.until ? at : sim.until;
            continue;
        }
        back_to_host(SIM_TIME);
        uint64_t event = next_event();
        at = event < at ? event : at;
    }
}

void sim_consume(uint32_t us)
{
    uint64_t left = us;
    if (sim.in_isr || sim.irq_off) {
        sim.now += us;
        if (sim.now > sim.until + ENDLESS_US)
            takt_fatal(TAKT_FATAL_FAULT, takt_self(), "interrupts off for a second");
        return;
    }
    while (left > 0) {
        uint64_t from = sim.now, event = next_event();
        uint64_t step = event > from && event - from < left ? event - from : left;
        pass_until(from + step);
        left -= sim.now - from;
        take_interrupts();
    }
}

void port_init(void) {}

__attribute__((weak)) void sim_clock_read(void) {}

takt_time_t port_now(void)
{
    if (!sim.irq_off && !sim.in_isr)
        sim_clock_read(); /* not the kernel: a thread looks at the clock */
    return (takt_time_t)(sim.now + sim.clock);
}

void port_alarm(takt_time_t at)
{
    takt_time_t now = port_now();
    sim.alarm_set = true;
    sim.alarm_at = takt_before(now, at) ? sim.now + (at - now) : sim.now;
}

void port_idle(void)
{
    uint64_t event = next_event();
    if (event == UINT64_MAX) {
        back_to_host(SIM_ASLEEP);
        return;
    }
    pass_until(event > sim.now ? event : sim.now);
    sim.irq_off = false;
    take_interrupts();
    sim.irq_off = true;
}

static void thread_main(unsigned low, unsigned high)
{
    struct context *self = (struct context *)((uintptr_t)high << 32 | low);
    stack_t left;
    arrives(&left);
    sim.irq_off = false;
    take_interrupts();
    self->entry(self->arg);
    takt_thread_exit();
}

void *port_stack_init(char *stack, char *stack_end, void (*entry)(void *), void *arg)
{
    struct context *c = (struct context *)(((uintptr_t)stack_end - sizeof *c) & ~(uintptr_t)63);
    uintptr_t address = (uintptr_t)c;
    c->entry = entry;
    c->arg = arg;
    getcontext(&c->uc);
    c->uc.uc_stack.ss_sp = stack;
    c->uc.uc_stack.ss_size = (size_t)((char *)c - stack);
    makecontext(&c->uc, (void (*)(void))thread_main, 2, (unsigned)address,
                (unsigned)(address >> 32));
    return c;
}

void port_start(void *sp)
{
    sim.running = sp;
    leaves_for(&sim.running->uc);
    setcontext(&sim.running->uc);
    __builtin_unreachable();
}

void port_switch(void **save, void *load)
{
    struct context *self = sim.running;
    *save = self;
    sim.running = load;
    change(&self->uc, &sim.running->uc);
}

uint32_t port_on_isr_stack(uint32_t (*work)(port_irq_t irq, uint32_t why), port_irq_t irq,
                           uint32_t why)
{
    sim.counts.dispatches++;
    return work(irq, why);
}

void port_switch_from_isr(void)
{
    sim.preempt = true;
}

port_irq_t port_irq_save(void)
{
    port_irq_t state = sim.irq_off;
    sim.irq_off = true;
    return state;
}

/* What lets interrupts in has kept them out before: else something was done with them on. */
void port_irq_restore(port_irq_t state)
{
    if (TAKT_CHECKS && !sim.irq_off && !sim.in_isr)
        takt_fatal(TAKT_FATAL_FAULT, takt_self(), "interrupts are on already");
    sim.irq_off = state != 0;
    take_interrupts();
}

void *port_thread_sp(void)
{
    return __builtin_frame_address(0);
}

bool port_in_isr(void)
{
    return sim.in_isr;
}

void port_fatal(const char *text)
{
    strncat(sim.fatal, text, sizeof sim.fatal - 1 - strlen(sim.fatal));
}

void port_halt(void)
{
    for (;;)
        back_to_host(SIM_HALT);
}
