/*
 * Runs the kernel on the simulation port with threads whose behaviour is a script, for comparison
 * with the oracle. Compiled into a shared library together with the kernel (kernel_library.py).
 *
 * The kernel's trace is taken over: this file defines takt_trace_locked() and keeps what matters.
 */
#include "../../kernel/budget/server.h"
#include "../../kernel/core/cpu.h"
#include "../../port/sim/sim.h"

#include <string.h>
#include <takt/io.h>
#include <takt/isr.h>
#include <takt/mutex.h>
#include <takt/periodic.h>
#include <takt/time.h>
#include <takt/vcpu.h>

uint32_t harness_margin_us, harness_io_start_us, harness_piece_us; /* costs.h */

enum { THREADS = 12, OPS = 24, MUTEXES = 3, EVENTS = 65536 };
enum { LINES = 4, SEMS = 4 + LINES, IOS = 3, GAPS = 8 };

enum { EV_CLIENTS = 100 }; /* place: a bottom half; value: the places it serves from now on */

enum op_kind {
    RUN,
    SLEEP,
    WAIT,
    SIGNAL,
    WAIT_FOR,
    LOCK,
    UNLOCK,
    RESTART,
    EVENTS_OF, /* bottom half: waits for events */
    SERVE,     /* bottom half: line a, if it has an event, costs b, is passed on and unmasked */
    TAKE,      /* handler of line a, which has waited for its semaphore */
    SHARE,     /* I/O VCPU a: b >> 16 per b & 0xFFFF */
    ENABLE,    /* I/O VCPU a: on if b */
};

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
    struct takt_io_vcpu *io; /* NULL: no bottom half */
};

/* A source of interrupts and its way to a handler. Masked from its interrupt on; the next one comes
 * a gap after it has been unmasked, at once for a gap of 0. */
struct line {
    struct takt_line line;
    struct takt_io_vcpu *io;
    uint32_t cost; /* of the top half */
    uint32_t gaps[GAPS], gap_count, gap;
    bool noted;
    takt_time_t at;
};

#include "harness_run.h"

static struct takt_periodic periodics[THREADS];
static struct takt_vcpu vcpus[THREADS];
static struct script scripts[THREADS];
static struct takt_sem sems[SEMS];
static struct takt_mutex mutexes[MUTEXES];
static struct {
    uint32_t cost, sem, places;
    struct takt_io_vcpu *io;
} handlers[1024];
static struct takt_io_vcpu ios[IOS];
static struct line lines[LINES];
static uint32_t handler_count, io_count, line_count;
static uint32_t refused; /* changes of a share */

void takt_trace_locked(takt_time_t now, uint8_t kind, uint8_t place, uint32_t value)
{
    (void)now;
    harness_note((struct event){sim_now(), kind, place, value});
}

void takt_trace_mark(uint32_t value)
{
    takt_trace_locked(0, TAKT_EV_MARK, TAKT_NOBODY, value);
}

static void note_clients(const struct takt_io_vcpu *io, takt_set_t clients)
{
    takt_trace_locked(0, EV_CLIENTS, io->place, clients);
}

static void raise(struct takt_io_vcpu *io, uint8_t place)
{
    takt_io_raise_isr(io, place);
    note_clients(io, io->serves | io->serving);
}

static void events_of(struct takt_io_vcpu *io)
{
    note_clients(io, io->serves);
    takt_io_wait(io);
    note_clients(io, io->serves | io->serving);
}

static void top_half(void *arg)
{
    struct line *l = arg;
    takt_isr_enter();
    l->at = takt_now();
    l->noted = true;
    sim_consume(l->cost);
    raise(l->io, l->line.place);
    takt_io_isr_exit(l->io, 2);
}

static void unmask(struct line *l)
{
    if (l->gap_count > 0)
        sim_interrupt_at(sim_now() + l->gaps[l->gap++ % l->gap_count], top_half, l);
    port_irq_restore(port_irq_save());
}

static void serve(struct line *l, uint32_t cost)
{
    if (!l->noted)
        return;
    sim_consume(cost);
    l->noted = false;
    takt_line_pass(&l->line, l->at, 0);
    unmask(l);
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
    case EVENTS_OF:
        events_of(s->io);
        break;
    case SERVE:
        serve(&lines[op->a], op->b);
        break;
    case TAKE:
        takt_line_take(&lines[op->a].line);
        break;
    case SHARE:
        refused += takt_io_set_share(&ios[op->a], op->b >> 16, op->b & 0xFFFF) != TAKT_OK;
        break;
    case ENABLE:
        takt_io_enable(&ios[op->a], op->b);
        break;
    }
}

static void body(void *arg)
{
    struct script *s = arg;
    for (uint32_t i = 0;; i = (i + 1) % s->count)
        perform(s, &s->ops[i]);
}

/* Of a periodic thread: what the next job takes is the next op. */
static void job(void)
{
    const struct takt_vcpu *v = takt_table[takt_self()]->vcpu;
    struct script *s = &scripts[(const struct takt_periodic *)(const void *)v - periodics];
    uint32_t i = s->timeouts++ % s->count;
    perform(s, &s->ops[i]);
}

void harness_reset(uint32_t clock)
{
    thread_count = event_count = handler_count = io_count = line_count = lost = refused = 0;
    sim_reset(clock);
    memset(takt_tcbs, 0, sizeof takt_tcbs);
    memset(scripts, 0, sizeof scripts);
    memset(lines, 0, sizeof lines);
    for (int i = 0; i < SEMS; i++)
        sems[i] = (struct takt_sem)TAKT_SEM_INIT(0);
}

/* The next thread by place; budget 0: no VCPU. */
void harness_thread(uint32_t budget, uint32_t period, uint32_t jitter, uint32_t flags,
                    const struct op *ops, uint32_t count)
{
    uint32_t i = thread_count++;
    vcpus[i] = (struct takt_vcpu)TAKT_VCPU_INIT(budget, period, (uint8_t)flags);
    vcpus[i].jitter = (uint8_t)jitter;
    memcpy(scripts[i].ops, ops, count * sizeof *ops);
    scripts[i].count = count;
    threads[i] = (struct takt_thread){
        body, &scripts[i], stacks[i], stacks[i] + STACK, budget ? &vcpus[i] : NULL, "thread"};
}

/* The next thread is a periodic one: each op is a job. */
void harness_periodic(uint32_t budget, uint32_t period, uint32_t policy, const struct op *ops,
                      uint32_t count)
{
    uint32_t i = thread_count;
    harness_thread(budget, period, 0, 0, ops, count);
    periodics[i] = (struct takt_periodic)TAKT_PERIODIC_INIT(budget, period, (uint8_t)policy);
    threads[i].entry = takt_periodic_thread;
    threads[i].arg = (void *)job;
    threads[i].vcpu = &periodics[i].server;
}

/* The next thread is the bottom half of an I/O VCPU; to come before all others. */
void harness_io(uint32_t numerator, uint32_t denominator, const struct op *ops, uint32_t count)
{
    uint32_t i = thread_count, k = io_count++;
    harness_thread(0, 0, 0, 0, ops, count);
    ios[k] = (struct takt_io_vcpu)TAKT_IO_VCPU_INIT((uint16_t)numerator, (uint16_t)denominator);
    scripts[i].io = &ios[k];
    threads[i].vcpu = &ios[k].server;
}

/* The next line, of I/O VCPU `io` and the thread at `place`: its first interrupt comes at `at`. */
bool harness_line(uint32_t io, uint32_t place, uint32_t cost, uint64_t at, const uint32_t *gaps,
                  uint32_t count)
{
    uint32_t i = line_count++;
    struct line *l = &lines[i];
    l->line = (struct takt_line){
        .wake = &sems[4 + i], .place = (uint8_t)place, .source = (uint8_t)i};
    sems[4 + i] = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    l->io = &ios[io];
    l->cost = cost;
    memcpy(l->gaps, gaps, count * sizeof *gaps);
    l->gap_count = count;
    return sim_interrupt_at(at, top_half, l);
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
    for (uint8_t place = 0; place < THREADS; place++)
        if (handlers[i].places >> place & 1)
            raise(handlers[i].io, place);
    if (handlers[i].io)
        takt_io_isr_exit(handlers[i].io, 1);
    else
        takt_isr_exit(1);
}

/* An interrupt that takes `cost` us and then signals; sem >= SEMS: none. It also raises events for
 * a set of places, if any. */
bool harness_interrupt(uint64_t at, uint32_t cost, uint32_t sem, uint32_t io, uint32_t places)
{
    uint32_t i = handler_count++;
    handlers[i].cost = cost;
    handlers[i].sem = sem;
    handlers[i].places = places;
    handlers[i].io = places ? &ios[io] : NULL;
    return sim_interrupt_at(at, handler, (void *)(uintptr_t)i);
}

/* What the kernel would take from its list when it looks at it next has been taken. */
const struct takt_vcpu *harness_vcpu(uint32_t place)
{
    if (!scripts[place].io && place != takt_core.current)
        takt_server_settle(&vcpus[place], takt_now());
    return scripts[place].io ? &scripts[place].io->server : &vcpus[place];
}

uint32_t harness_refused(void)
{
    return refused;
}

uint32_t harness_merged(uint32_t line)
{
    return lines[line].line.merged;
}

uint32_t harness_timeouts(uint32_t place)
{
    return scripts[place].timeouts;
}

uint32_t harness_current(void)
{
    return takt_core.current;
}
