/*
 * Runs the kernel on the simulation port with threads whose behaviour is a script, for comparison
 * with the oracle. Compiled into a shared library together with the kernel (kernel_library.py).
 *
 * The kernel's trace is taken over: this file defines takt_trace_locked() and keeps what matters.
 */
#include "../../kernel/cpu.h"
#include "../../port/sim/sim.h"

#include <string.h>
#include <takt/isr.h>
#include <takt/mutex.h>
#include <takt/time.h>
#include <takt/vcpu.h>

enum { THREADS = 12, OPS = 24, SEMS = 4, MUTEXES = 3, STACK = 65536, EVENTS = 65536 };

enum op_kind { RUN, SLEEP, WAIT, SIGNAL, WAIT_FOR, LOCK, UNLOCK, RESTART };

struct op {
    uint32_t kind, a, b;
};

struct event {
    uint64_t time;
    uint32_t kind, place, value;
};

struct script {
    struct op ops[OPS];
    uint32_t count;
    uint32_t timeouts; /* waits that ran out of time */
};

static struct takt_thread threads[THREADS];
static struct takt_vcpu vcpus[THREADS];
static struct script scripts[THREADS];
static char stacks[THREADS][STACK] __attribute__((aligned(64)));
static struct takt_sem sems[SEMS];
static struct takt_mutex mutexes[MUTEXES];
static struct event events[EVENTS];
static struct {
    uint32_t cost, sem;
} handlers[1024];
static uint32_t thread_count, event_count, handler_count, lost;

void takt_trace_locked(takt_time_t now, uint8_t kind, uint8_t place, uint32_t value)
{
    (void)now;
    if (event_count == EVENTS)
        lost++;
    else
        events[event_count++] = (struct event){sim_now(), kind, place, value};
}

void takt_trace_mark(uint32_t value)
{
    takt_trace_locked(0, TAKT_EV_MARK, TAKT_NOBODY, value);
}

static void perform(struct script *s, const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case RUN:
        sim_consume(op->a);
        break;
    case SLEEP:
        takt_sleep_until(takt_now() + op->a);
        break;
    case WAIT:
        takt_sem_wait(&sems[op->a]);
        break;
    case SIGNAL:
        takt_sem_signal(&sems[op->a]);
        break;
    case WAIT_FOR:
        s->timeouts += takt_sem_wait_for(&sems[op->a], op->b) == TAKT_ETIMEOUT;
        break;
    case LOCK:
        takt_mutex_lock(&mutexes[op->a]);
        break;
    case UNLOCK:
        takt_mutex_unlock(&mutexes[op->a]);
        break;
    case RESTART:
        takt_vcpu_restart_all();
        break;
    }
}

static void body(void *arg)
{
    struct script *s = arg;
    for (uint32_t i = 0;; i = (i + 1) % s->count)
        perform(s, &s->ops[i]);
}

static void boot(void)
{
    port_irq_save();
    for (uint32_t i = 0; i < thread_count; i++)
        takt_table[i] = &threads[i];
    port_init();
    takt_boot_locked((uint8_t)thread_count);
}

void harness_reset(uint32_t clock)
{
    thread_count = event_count = handler_count = lost = 0;
    sim_reset(clock);
    memset(takt_tcbs, 0, sizeof takt_tcbs);
    memset(scripts, 0, sizeof scripts);
    for (int i = 0; i < SEMS; i++)
        sems[i] = (struct takt_sem)TAKT_SEM_INIT(0);
}

/* The next thread by place; budget 0: no VCPU. */
void harness_thread(uint32_t budget, uint32_t period, uint32_t flags, const struct op *ops,
                    uint32_t count)
{
    uint32_t i = thread_count++;
    vcpus[i] = (struct takt_vcpu)TAKT_VCPU_INIT(budget, period, (uint8_t)flags);
    memcpy(scripts[i].ops, ops, count * sizeof *ops);
    scripts[i].count = count;
    threads[i] = (struct takt_thread){
        body, &scripts[i], stacks[i], stacks[i] + STACK, budget ? &vcpus[i] : NULL, "thread"};
}

void harness_mutex(uint32_t i, uint32_t ceiling)
{
    mutexes[i] = (struct takt_mutex)TAKT_MUTEX_INIT((uint8_t)ceiling);
}

static void handler(void *arg)
{
    uint32_t i = (uint32_t)(uintptr_t)arg;
    takt_isr_enter();
    sim_consume(handlers[i].cost);
    if (handlers[i].sem < SEMS)
        takt_sem_signal_isr(&sems[handlers[i].sem]);
    takt_isr_exit(1);
}

/* An interrupt that takes `cost` us and then signals; sem >= SEMS: none. */
bool harness_interrupt(uint64_t at, uint32_t cost, uint32_t sem)
{
    uint32_t i = handler_count++;
    handlers[i].cost = cost;
    handlers[i].sem = sem;
    return sim_interrupt_at(at, handler, (void *)(uintptr_t)i);
}

/* Returns enum sim_stop, or -1 when events were lost. */
int harness_run(uint64_t until)
{
    int stop = (int)sim_run(boot, until);
    return lost ? -1 : stop;
}

const char *harness_fatal(void)
{
    return sim_fatal_line();
}

uint32_t harness_events(const struct event **list)
{
    *list = events;
    return event_count;
}

const struct takt_vcpu *harness_vcpu(uint32_t place)
{
    return &vcpus[place];
}

uint32_t harness_timeouts(uint32_t place)
{
    return scripts[place].timeouts;
}

uint32_t harness_current(void)
{
    return takt_cpu.current;
}
