/*
 * Pipes created at run time (include/takt/tpipe.h): a plan is admitted as a whole (tpipe_plan.c),
 * then the endpoint's VCPUs are changed, and the thread is created. All of that is one change of
 * what is admitted: no other change comes in between, and no thread's place changes while this one
 * sleeps. Should a step fail all the same, what was changed is changed back.
 */
#include "tpipe.h"

#include "core/cpu.h"

#include <stdio.h>
#include <takt/time.h>

#if TAKT_HAS_PROMISES

#define FIRST_NUMBER 0x80

static struct slot {
    struct takt_pipe pipe;
    struct takt_thread thread;
    struct takt_qos qos;
    struct takt_pipe_bounds bounds;
    char buffer[TAKT_TPIPE_BUFFER] __attribute__((aligned(64)));
    char stack[TAKT_STACK_BYTES_(TAKT_TPIPE_STACK)] __attribute__((aligned(64)));
} slots[TAKT_TPIPES];

/* For the report of a run, by number: what became of a pipe, and what it was admitted with
 * (tools/takt/admit/pipe_records.py). */
static struct told {
    struct takt_qos qos;
    struct takt_endpoint *end; /* NULL: no such pipe has been made */
    uint32_t budget, period;
    struct takt_pipe_bounds bounds;
    const struct takt_thread *thread;
    uint8_t channel;
} told[TAKT_TPIPES] __asm__("takt_tpipe_told") __attribute__((used));

static void tell(const struct slot *slot)
{
    const struct takt_pipe *pipe = &slot->pipe;
    told[slot - slots] = (struct told){slot->qos,          pipe->end,    pipe->server.budget,
                                       pipe->server.period, slot->bounds, &slot->thread,
                                       pipe->channel};
}

static bool in_use(const struct slot *slot)
{
    return takt_place_of(&slot->thread) != TAKT_NOBODY;
}

static struct slot *free_slot(void)
{
    struct slot *slot = slots;
    while (slot < slots + TAKT_TPIPES && in_use(slot))
        slot++;
    return slot < slots + TAKT_TPIPES ? slot : NULL;
}

static struct slot *slot_of(int number)
{
    int index = number - FIRST_NUMBER;
    return index >= 0 && index < TAKT_TPIPES && in_use(&slots[index]) ? &slots[index] : NULL;
}

struct takt_pipe *takt_tpipe_at(int number)
{
    struct slot *slot = slot_of(number);
    return slot ? &slot->pipe : NULL;
}

const struct takt_pipe_bounds *takt_tpipe_bounds(int number)
{
    struct slot *slot = slot_of(number);
    return slot ? &slot->bounds : NULL;
}

const struct takt_thread *takt_tpipe_thread(int number)
{
    struct slot *slot = slot_of(number);
    return slot ? &slot->thread : NULL;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* A report holds the whole run against the longest bound there was. */
void takt_tpipe_keeps(const struct takt_pipe *pipe, const struct takt_pipe_bounds *bounds)
{
    for (struct slot *slot = slots; slot < slots + TAKT_TPIPES; slot++) {
        struct takt_pipe_bounds *longest = &told[slot - slots].bounds;
        if (&slot->pipe != pipe)
            continue;
        slot->bounds = *bounds;
        longest->delay_us = most(longest->delay_us, bounds->delay_us);
        longest->peak = most(longest->peak, bounds->peak);
    }
}

/* Has the channel a pipe, be it one that has not begun yet? */
static bool taken(const struct takt_end *end)
{
    for (uint8_t i = 0; i < takt_core.count; i++) {
        const struct takt_vcpu *v = takt_table[i]->vcpu;
        const struct takt_pipe *pipe = (const struct takt_pipe *)v;
        if (v && (v->flags & TAKT_PIPE_VCPU) && pipe->end == end->end &&
            pipe->channel == end->channel)
            return true;
    }
    return false;
}

static int check(const struct takt_end *end, const struct takt_qos *qos)
{
    const struct takt_endpoint_attrs *attrs = end->end->attrs;
    if (end->channel >= (uint32_t)attrs->max_channels)
        return takt_pipe_refuse(&takt_pipes_why, TAKT_PIPE_NO_CHANNEL, end->channel + 1u,
                                (uint64_t)attrs->max_channels);
    struct takt_pipe_derived derived;
    if (takt_pipe_derive(attrs, qos, 0, TAKT_START_COST_US, &derived, &takt_pipes_why) != TAKT_OK)
        return TAKT_EINVAL;
    if (taken(end))
        return TAKT_EAGAIN;
    uint64_t packets = qos->IObufsz / (uint64_t)attrs->max_pktsz;
    bool fits = (packets + 1) * end->end->packet <= TAKT_TPIPE_BUFFER;
    return fits && free_slot() && takt_core.count < TAKT_PLACES ? TAKT_OK : TAKT_ENOSPACE;
}

static struct takt_io_vcpu *io_of(const struct takt_endpoint *end)
{
    return end->bottom ? (struct takt_io_vcpu *)end->bottom->vcpu : NULL;
}

static bool differ(struct takt_io_fraction a, struct takt_io_fraction b)
{
    return (uint32_t)a.numerator * b.denominator != (uint32_t)b.numerator * a.denominator;
}

/* The VCPUs of the endpoint as planned. TAKT_OK, or what admission has against it. */
static int adjust(const struct takt_plan *plan)
{
    const struct takt_endpoint *end = plan->end;
    struct takt_io_vcpu *io = io_of(end);
    int result = TAKT_OK;
    if (io && differ(plan->share, io->share))
        result = takt_share_in_turn(io, plan->share);
    if (!end->thread || result != TAKT_OK)
        return result;
    uint8_t place = takt_place_of(end->thread);
    if (plan->period != end->thread->vcpu->period)
        takt_retime(place, plan->period);
    if (plan->budget != end->thread->vcpu->budget)
        result = takt_budget_in_turn(place, plan->budget);
    return result;
}

/* The same, until it can be relied on: a larger budget is usable after the longest period. */
static int adjust_and_wait(const struct takt_plan *before, const struct takt_plan *plan)
{
    bool more = plan->budget > before->budget;
    int result = adjust(plan);
    if (result == TAKT_OK && more)
        (void)takt_sleep(takt_longest_period());
    return result;
}

/* As the endpoint is now. */
static struct takt_plan plan_from(struct takt_endpoint *end)
{
    struct takt_plan plan = {.end = end, .share = {0, 1}};
    if (end->thread) {
        plan.budget = end->thread->vcpu->budget;
        plan.period = end->thread->vcpu->period;
    }
    if (end->bottom)
        plan.share = io_of(end)->share;
    return plan;
}

static void prepare(struct slot *slot, const struct takt_end *end, void *(*func)(void *), void *arg)
{
    uint64_t packets = slot->qos.IObufsz / (uint64_t)end->end->attrs->max_pktsz;
    slot->pipe = (struct takt_pipe)TAKT_PIPE_INIT(1, TAKT_PERIOD_MAX, end->end, func, arg,
                                                  &slot->qos, (uint16_t)packets, end->end->packet,
                                                  slot->buffer, end->channel);
    slot->pipe.number = (uint8_t)(FIRST_NUMBER + (slot - slots));
    slot->thread = (struct takt_thread){takt_pipe_thread,
                                        NULL,
                                        slot->stack,
                                        slot->stack + sizeof slot->stack,
                                        &slot->pipe.server,
                                        end->end->name};
}

/* The server with the budget that was found. */
static void set_server(struct takt_pipe *pipe)
{
    uint32_t c = pipe->server.budget, t = pipe->server.period;
    pipe->server = (struct takt_vcpu)TAKT_VCPU_INIT(c, t, TAKT_PIPE_VCPU);
}

static int create(const struct takt_end *end, const struct takt_qos *qos, void *(*func)(void *),
                  void *arg)
{
    int result = check(end, qos);
    if (result != TAKT_OK)
        return result;
    struct slot *slot = free_slot();
    slot->qos = *qos;
    prepare(slot, end, func, arg);
    struct takt_plan before = plan_from(end->end), plan = before;
    plan.qos = &slot->qos;
    plan.thread = &slot->thread;
    plan.server = &slot->pipe.server;
    struct takt_plan more = plan;
    result = takt_plan_make(&plan);
    if (result != TAKT_OK && end->end->bottom && differ(io_of(end->end)->most, plan.share)) {
        more.share = io_of(end->end)->most; /* all that it may have at any time */
        plan = more;
        result = takt_plan_make(&plan);
    }
    takt_pipes_why = plan.why;
    if (result != TAKT_OK)
        return result;
    result = adjust_and_wait(&before, &plan);
    if (result == TAKT_OK) {
        set_server(&slot->pipe);
        result = takt_create_in_turn(&slot->thread);
    }
    if (result < 0) {
        struct takt_pipe_refusal why = takt_pipes_why;
        (void)adjust(&before);
        takt_pipes_why = why;
    } else {
        tell(slot);
    }
    return result < 0 ? result : slot->pipe.number;
}

int takt_tpipe(struct takt_end end, const struct takt_qos *qos, void *(*func)(void *), void *arg)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    if (!end.end || !qos || !func)
        return TAKT_EINVAL;
    takt_turn_take();
    takt_pipes_why = (struct takt_pipe_refusal){0};
    int result = create(&end, qos, func, arg);
    takt_turn_give();
    return result;
}

/* Refusals as text, for consoles: first the value, then the limit. */
static const char *const TEXTS[] = {
    [TAKT_PIPE_FITS] = "it fits",
    [TAKT_PIPE_NO_CHANNEL] = "channel number %llu of %llu",
    [TAKT_PIPE_NO_LATENCY] = "a latency of %llu ns; at most %llu",
    [TAKT_PIPE_NO_RATE] = "a throughput of %llu bits; at most %llu",
    [TAKT_PIPE_NO_PACKET] = "a buffer of %llu bytes for packets of %llu bytes",
    [TAKT_PIPE_NO_TIME] = "handling a full buffer takes more than %llu ns",
    [TAKT_PIPE_TOO_MUCH] = "all pipes ask for %llu bit/s, the device has %llu",
    [TAKT_PIPE_TOO_SOON] = "a latency of %llu ns; the device has %llu between two packets",
    [TAKT_PIPE_TOO_LONG] = "handling a full buffer takes %llu us; a period of %llu us follows",
    [TAKT_PIPE_LOSES] = "the device would lose packets: %llu may wait in it, which holds %llu",
    [TAKT_PIPE_SLOW] = "the endpoint's thread may need %llu us in a period, and has %llu",
    [TAKT_PIPE_OVERFLOWS] = "%llu packets may come between two reads, the buffer holds %llu",
    [TAKT_PIPE_LATE] = "a packet may take %llu us, %llu are asked for",
    [TAKT_PIPE_NOT_ADMITTED] = "threads would not get their budgets",
    [TAKT_PIPE_WAITS] = "%llu packets would wait to be acknowledged, %llu may",
    [TAKT_PIPE_SHORT] = "a pipe's thread needs a budget of %llu us, and would have %llu",
};

char *takt_tpipe_why(char *text, size_t n)
{
    const struct takt_pipe_refusal *why = takt_tpipe_refusal();
    (void)snprintf(text, n, TEXTS[why->reason], (unsigned long long)why->value,
                   (unsigned long long)why->limit);
    return text;
}

#else
typedef int takt_tpipe_is_for_dynamic_programs;
#endif
