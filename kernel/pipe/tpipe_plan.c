/*
 * Would a pipe fit beside what runs, and with what change of its endpoint's VCPUs? The endpoint's
 * thread gets the budget that its work for all pipes takes; its period is made shorter, an eighth
 * at a time, while the device would lose packets or the pipe would be late; its I/O VCPU gets the
 * share that its work in each interval takes, if that helps.
 *
 * The new pipe's period follows from the endpoint's delay, which in turn follows from what runs,
 * the new pipe included: a few rounds, of which the last one must be consistent.
 */
#include "tpipe.h"

#include "core/cpu.h"

#if TAKT_HAS_PROMISES

#define ROUNDS 4

static struct takt_load cpu_load; /* in turn */

/* The plan as a change of what runs. */
static struct takt_change change_of(const struct takt_plan *plan, bool joined)
{
    const struct takt_endpoint *end = plan->end;
    struct takt_change change = {.budget = plan->budget, .period = plan->period, .cpu = plan->cpu};
    change.vcpu = end->thread ? end->thread->vcpu : NULL;
    change.io = end->bottom ? (const struct takt_io_vcpu *)end->bottom->vcpu : NULL;
    change.share = plan->share;
    change.joins = joined ? plan->thread : NULL;
    change.expected = plan->thread;
    change.at = takt_place_for(plan->thread, &change);
    return change;
}

/* Does each thread of a CPU get its budget? */
static int judge_cpu(struct takt_plan *plan, uint8_t cpu, bool joined)
{
    struct takt_change change = change_of(plan, joined);
    uint32_t refused = 0;
    int error = takt_admit_load(&cpu_load, (uint32_t)1 << cpu, &change);
    if (error != TAKT_OK || cpu_load.set.thread_count == 0 ||
        takt_admit_exact(&cpu_load.set, &refused) == TAKT_OK)
        return error;
    return takt_pipe_refuse(&plan->why, TAKT_PIPE_NOT_ADMITTED, refused, 0);
}

/* And on all? The endpoint's threads may be on other CPUs than the new one. */
static int judge_threads(struct takt_plan *plan, bool joined)
{
    int error = TAKT_OK;
    for (uint8_t cpu = 0; cpu < takt_cpus() && error == TAKT_OK; cpu++)
        error = judge_cpu(plan, cpu, joined);
    return error;
}

/* The endpoint's delay and the budget its thread needs, as things stand. */
static int settle(struct takt_plan *plan, bool joined)
{
    struct takt_end_needs needs = {0, 0};
    int error = judge_threads(plan, joined);
    if (error != TAKT_OK)
        return error;
    struct takt_change change = change_of(plan, joined);
    error = takt_pipes_judge_end(plan->end, &change, &needs, &plan->why);
    if (error != TAKT_OK && plan->why.reason != TAKT_PIPE_SLOW)
        return error;
    plan->delay_us = needs.delay_us > 0 ? needs.delay_us : 1;
    if (needs.work_us > plan->budget)
        plan->budget = needs.work_us;
    return TAKT_OK;
}

static int derive(struct takt_plan *plan)
{
    struct takt_pipe_derived derived;
    int error = takt_pipe_derive(plan->end->attrs, plan->qos, plan->delay_us, TAKT_START_COST_US,
                                 &derived, &plan->why);
    if (error == TAKT_OK) {
        plan->server->budget = derived.budget_us;
        plan->server->period = derived.period_us;
    }
    return error;
}

/* With the new thread on the plan's CPU. */
static int judge_there(struct takt_plan *plan)
{
    uint32_t delay = 0;
    int error = settle(plan, false);
    for (int round = 0; round < ROUNDS && error == TAKT_OK && plan->delay_us > delay; round++) {
        delay = plan->delay_us;
        error = derive(plan);
        if (error == TAKT_OK && plan->budget > plan->period)
            error = takt_pipe_refuse(&plan->why, TAKT_PIPE_SLOW, plan->budget, plan->period);
        if (error == TAKT_OK)
            error = settle(plan, true);
    }
    if (error == TAKT_OK)
        error = judge_threads(plan, true); /* the endpoint's budget may have grown since */
    struct takt_change change = change_of(plan, true);
    return error == TAKT_OK ? takt_pipes_judge(&change, &plan->why) : error;
}

int takt_plan_judge(struct takt_plan *plan)
{
    struct takt_plan first = *plan, now = *plan;
    int error = TAKT_EADMIT;
    for (uint8_t cpu = 0; cpu < takt_cpus() && error != TAKT_OK; cpu++) {
        now = *plan;
        now.cpu = cpu;
        int another = judge_there(&now);
        if (another == TAKT_OK || cpu == 0 || first.why.reason == TAKT_PIPE_NOT_ADMITTED) {
            first = now;
            error = another;
        }
    }
    *plan = first;
    return error;
}

/* The share with which the bottom half's work in each interval is always paid for. */
static struct takt_io_fraction needed_share(const struct takt_plan *plan)
{
    const struct takt_endpoint_attrs *attrs = plan->end->attrs;
    struct takt_change change = change_of(plan, true);
    uint64_t bottom_ns = (uint64_t)attrs->bottom_ns + takt_pipes_others_ns(plan->end, &change);
    uint64_t work = (attrs->top_ns + 999ull) / 1000u + (bottom_ns + 999u) / 1000u;
    work += TAKT_IO_OVERHEAD_US;
    bool possible = attrs->interval_us <= UINT16_MAX && work <= attrs->interval_us;
    return possible ? (struct takt_io_fraction){(uint16_t)work, (uint16_t)attrs->interval_us}
                    : (struct takt_io_fraction){0, 1};
}

static int try_periods(struct takt_plan *plan)
{
    struct takt_plan now = *plan;
    uint32_t least = plan->end->attrs->min_period_us;
    int first = takt_plan_judge(&now), error = first;
    struct takt_pipe_refusal why = now.why;
    while (error != TAKT_OK && plan->end->thread && plan->period - plan->period / 8 >= least &&
           plan->period > 8 && least > 0) {
        plan->period -= plan->period / 8;
        now = *plan;
        error = takt_plan_judge(&now);
    }
    *plan = now;
    if (error != TAKT_OK)
        plan->why = why; /* what there was to mend, not what mending led to */
    return error == TAKT_OK ? TAKT_OK : first;
}

int takt_plan_make(struct takt_plan *plan)
{
    struct takt_plan before = *plan;
    int error = try_periods(plan);
    struct takt_io_fraction share = needed_share(&before);
    if (error == TAKT_OK || !plan->end->bottom || plan->end->attrs->interval_us == 0 ||
        (uint32_t)share.numerator * before.share.denominator <=
            (uint32_t)before.share.numerator * share.denominator)
        return error;
    struct takt_plan more = before;
    more.share = share;
    int second = try_periods(&more);
    if (second == TAKT_OK)
        *plan = more;
    return second == TAKT_OK ? TAKT_OK : error;
}

#else
typedef int takt_plan_is_for_dynamic_programs;
#endif
