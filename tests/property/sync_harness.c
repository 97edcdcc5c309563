/*
 * Runs threads whose behaviour is a script of operations on queues, flags, conditions and timers on
 * the simulation port, and notes what each returned and when, for comparison with oracle_sync.py.
 */
#include "../../kernel/core/cpu.h"
#include "../../port/sim/sim.h"

#include <string.h>
#include <takt/cond.h>
#include <takt/flags.h>
#include <takt/isr.h>
#include <takt/lock.h>
#include <takt/mutex.h>
#include <takt/queue.h>
#include <takt/time.h>
#include <takt/timer.h>

uint32_t harness_margin_us, harness_io_start_us, harness_piece_us; /* costs.h: none */

enum { THREADS = 8, OPS = 32, EVENTS = 65536, HANDLERS = 256 };
enum { QUEUES = 2, FLAGS = 2, MUTEXES = 2, CONDS = 2, TIMERS = 4, SLOTS = 8, LOCKS = 3 };

enum op_kind {
    RUN,
    SLEEP,
    PUT,        /* queue a; b: us, or FOREVER */
    GET,
    FLAGS_WAIT, /* flags a; b: us; c: wanted | how << 8 */
    FLAGS_SET,  /* flags a; c */
    FLAGS_CLEAR,
    LOCK,       /* mutex a */
    UNLOCK,
    TAKE,       /* lock a; b: us */
    GIVE,
    COND_WAIT,  /* condition a; b: us; c: mutex */
    COND_SIGNAL,
    COND_BROADCAST,
    START,      /* timer a; b: first; c: period */
    STOP,
    SERVE,      /* never returns */
    PUT_ISR,
    GET_ISR,
    FLAGS_SET_ISR,
    START_ISR,
};

#define FOREVER UINT32_MAX

struct op {
    uint32_t kind, a, b, c;
};

struct event {
    uint64_t time;
    uint32_t place, op; /* of a timer's function, and which */
    int32_t result;
    uint32_t value;
};

struct script {
    struct op ops[OPS];
    uint32_t count;
};

#include "harness_run.h"

static struct script scripts[THREADS];
static struct op handlers[HANDLERS];
static uint32_t handler_count, next_item;
static uint32_t items[QUEUES][SLOTS];
static struct takt_queue queues[QUEUES];
static struct takt_flags flags[FLAGS];
static struct takt_mutex mutexes[MUTEXES];
static struct takt_lock locks[LOCKS];
static struct takt_cond conds[CONDS];
static struct takt_timer timers[TIMERS];
static uint32_t costs[TIMERS]; /* of their functions, us */
static struct takt_timer_service service;

void takt_trace_locked(takt_time_t now, uint8_t kind, uint8_t place, uint32_t value)
{
    (void)now, (void)kind, (void)place, (void)value;
}

void takt_trace_mark(uint32_t value)
{
    (void)value;
}

static void note(uint32_t place, uint32_t op, int result, uint32_t value)
{
    harness_note((struct event){sim_now(), place, op, result, value});
}

static int put(struct takt_queue *queue, uint32_t us, uint32_t *value)
{
    *value = next_item++;
    return us == FOREVER ? takt_queue_put(queue, value) : takt_queue_put_for(queue, value, us);
}

static int get(struct takt_queue *queue, uint32_t us, uint32_t *value)
{
    return us == FOREVER ? takt_queue_get(queue, value) : takt_queue_get_for(queue, value, us);
}

static int wait_flags(const struct op *op, uint32_t *value)
{
    struct takt_flags *f = &flags[op->a];
    uint32_t wanted = op->c & 0xFF;
    uint8_t how = (uint8_t)(op->c >> 8);
    return op->b == FOREVER ? takt_flags_wait(f, wanted, how, value)
                            : takt_flags_wait_for(f, wanted, how, op->b, value);
}

static int wait_cond(const struct op *op)
{
    struct takt_cond *cond = &conds[op->a];
    struct takt_mutex *mutex = &mutexes[op->c];
    return op->b == FOREVER ? takt_cond_wait(cond, mutex)
                            : takt_cond_wait_for(cond, mutex, op->b);
}

static int perform(const struct op *op, uint32_t *value)
{
    switch ((enum op_kind)op->kind) {
    case RUN:
        sim_consume(op->a);
        return TAKT_OK;
    case SLEEP:
        return takt_sleep(op->a);
    case PUT:
        return put(&queues[op->a], op->b, value);
    case GET:
        return get(&queues[op->a], op->b, value);
    case FLAGS_WAIT:
        return wait_flags(op, value);
    case FLAGS_SET:
        return takt_flags_set(&flags[op->a], op->c);
    case FLAGS_CLEAR:
        *value = takt_flags_clear(&flags[op->a], op->c);
        return TAKT_OK;
    case LOCK:
        return takt_mutex_lock(&mutexes[op->a]);
    case UNLOCK:
        return takt_mutex_unlock(&mutexes[op->a]);
    case TAKE:
        return op->b == FOREVER ? takt_lock_take(&locks[op->a])
                                : takt_lock_take_for(&locks[op->a], op->b);
    case GIVE:
        return takt_lock_give(&locks[op->a]);
    case COND_WAIT:
        return wait_cond(op);
    case COND_SIGNAL:
        return takt_cond_signal(&conds[op->a]);
    case COND_BROADCAST:
        return takt_cond_broadcast(&conds[op->a]);
    case START:
        return takt_timer_start(&service, &timers[op->a], op->b, op->c);
    case STOP:
        return takt_timer_stop(&timers[op->a]);
    case SERVE:
        takt_timer_serve(&service);
    case PUT_ISR:
        *value = next_item++;
        return takt_queue_put_isr(&queues[op->a], value);
    case GET_ISR:
        return takt_queue_get_isr(&queues[op->a], value);
    case FLAGS_SET_ISR:
        return takt_flags_set_isr(&flags[op->a], op->c);
    case START_ISR:
        return takt_timer_start_isr(&service, &timers[op->a], op->b, op->c);
    }
    return TAKT_EINVAL;
}

static void body(void *arg)
{
    const struct script *s = arg;
    for (uint32_t i = 0;; i = (i + 1) % s->count) {
        uint32_t value = 0;
        int result = perform(&s->ops[i], &value);
        note(takt_self(), i, result, value);
    }
}

static void called(void *arg)
{
    uint32_t i = (uint32_t)(uintptr_t)arg;
    note(takt_self(), OPS + i, TAKT_OK, 0);
    sim_consume(costs[i]);
}

static void handle(void *arg)
{
    uint32_t i = (uint32_t)(uintptr_t)arg, value = 0;
    takt_isr_enter();
    int result = perform(&handlers[i], &value);
    note(TAKT_NOBODY, i, result, value);
    takt_isr_exit(1);
}

void harness_reset(uint32_t clock, const uint32_t *slots, const uint32_t *ceilings,
                   const uint32_t *lock_ceilings, const uint32_t *timer_costs)
{
    thread_count = event_count = handler_count = lost = next_item = 0;
    sim_reset(clock);
    memset(takt_tcbs, 0, sizeof takt_tcbs);
    for (int i = 0; i < QUEUES; i++) {
        queues[i] = (struct takt_queue)TAKT_QUEUE_INIT(items[i]);
        queues[i].slots = queues[i].room.count = (uint16_t)slots[i];
    }
    memset(flags, 0, sizeof flags);
    memset(conds, 0, sizeof conds);
    for (int i = 0; i < MUTEXES; i++)
        mutexes[i] = (struct takt_mutex)TAKT_MUTEX_INIT((uint8_t)ceilings[i]);
    for (int i = 0; i < LOCKS; i++)
        locks[i] = (struct takt_lock)TAKT_LOCK_INIT((uint8_t)lock_ceilings[i]);
    service = (struct takt_timer_service)TAKT_TIMER_SERVICE_INIT;
    for (uint32_t i = 0; i < TIMERS; i++) {
        timers[i] = (struct takt_timer)TAKT_TIMER_INIT(called, (void *)(uintptr_t)i);
        costs[i] = timer_costs[i];
    }
}

/* The next thread by place. */
void harness_thread(const struct op *ops, uint32_t count)
{
    uint32_t i = thread_count++;
    memcpy(scripts[i].ops, ops, count * sizeof *ops);
    scripts[i].count = count;
    threads[i] = (struct takt_thread){body,   &scripts[i], stacks[i], stacks[i] + STACK,
                                      NULL, "thread"};
}

bool harness_interrupt(uint64_t at, const struct op *op)
{
    handlers[handler_count] = *op;
    return sim_interrupt_at(at, handle, (void *)(uintptr_t)handler_count++);
}
