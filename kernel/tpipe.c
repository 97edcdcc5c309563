/*
 * Pipes created at run time (include/takt/tpipe.h): a plan is admitted as a whole (tpipe_plan.c),
 * then the endpoint's VCPUs are changed, and the thread is created. Only the last step can fail, if
 * somebody else has changed something meanwhile: then what was changed is changed back.
 */
#include "tpipe_plan.h"

#include "cpu.h"

#include <takt/create.h>

#if TAKT_DYNAMIC

#define FIRST_NUMBER 0x80

static struct slot {
    struct takt_pipe pipe;
    struct takt_thread thread;
    struct takt_qos qos;
    struct takt_pipe_bounds bounds;
    char buffer[TAKT_TPIPE_BUFFER] __attribute__((aligned(64)));
    char stack[TAKT_STACK_BYTES_(TAKT_TPIPE_STACK)] __attribute__((aligned(64)));
} slots[TAKT_TPIPES];

static struct takt_pipe_refusal refusal;

const struct takt_pipe_refusal *takt_tpipe_refusal(void)
{
    return &refusal;
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
        return takt_pipe_refuse(&refusal, TAKT_PIPE_NO_CHANNEL, end->channel + 1u,
                                (uint64_t)attrs->max_channels);
    struct takt_pipe_derived derived;
    if (takt_pipe_derive(attrs, qos, 0, TAKT_START_COST_US, &derived, &refusal) != TAKT_OK)
        return TAKT_EINVAL;
    if (taken(end))
        return TAKT_EAGAIN;
    uint64_t packets = qos->IObufsz / (uint64_t)attrs->max_pktsz;
    bool fits = (packets + 1) * end->end->packet <= TAKT_TPIPE_BUFFER;
    return free_slot() && fits ? TAKT_OK : TAKT_ENOSPACE;
}

/* The VCPUs of the endpoint as planned. TAKT_OK, or what admission has against it by now. */
static int adjust(const struct takt_plan *plan)
{
    const struct takt_endpoint *end = plan->end;
    int result = TAKT_OK;
    if (end->bottom) {
        struct takt_io_vcpu *io = (struct takt_io_vcpu *)end->bottom->vcpu;
        if (plan->share.numerator != io->share.numerator ||
            plan->share.denominator != io->share.denominator)
            result = takt_io_set_share(io, plan->share.numerator, plan->share.denominator);
    }
    if (!end->thread || result != TAKT_OK)
        return result;
    uint8_t place = takt_place_of(end->thread);
    if (plan->period != end->thread->vcpu->period)
        takt_retime(place, plan->period);
    if (plan->budget != end->thread->vcpu->budget)
        result = takt_vcpu_set_budget(place, plan->budget);
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
        plan.share = ((struct takt_io_vcpu *)end->bottom->vcpu)->share;
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
    result = takt_plan_make(&plan);
    refusal = plan.why;
    if (result == TAKT_OK)
        result = adjust(&plan);
    if (result == TAKT_OK) {
        set_server(&slot->pipe);
        slot->bounds = plan.bounds;
        result = takt_thread_create(&slot->thread);
        if (result < 0)
            (void)adjust(&before);
    }
    return result < 0 ? result : slot->pipe.number;
}

int takt_tpipe(struct takt_end end, const struct takt_qos *qos, void *(*func)(void *), void *arg)
{
    static struct takt_sem one = TAKT_SEM_BINARY_INIT(1); /* at a time: it waits, as no mutex may */
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    if (!end.end || !qos || !func)
        return TAKT_EINVAL;
    (void)takt_sem_wait(&one);
    refusal = (struct takt_pipe_refusal){0};
    int result = create(&end, qos, func, arg);
    (void)takt_sem_signal(&one);
    return result;
}

#else
typedef int takt_tpipe_is_for_dynamic_programs;
#endif
