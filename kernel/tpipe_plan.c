/*
 * Would a pipe fit beside what runs, and with what change of its endpoint's VCPUs? The endpoint's
 * thread gets the budget that its work for all pipes takes; its period is made shorter, an eighth
 * at a time, while the device would lose packets or the pipe would be late; its I/O VCPU gets the
 * share that its work in each interval takes, if that helps.
 *
 * The new pipe's period follows from the endpoint's delay, which in turn follows from what runs,
 * the new pipe included: a few rounds, of which the last one must be consistent.
 */
#include "tpipe_plan.h"

#include "cpu.h"

#if TAKT_DYNAMIC

#define ROUNDS 4

static struct takt_load end_load, pipe_load; /* tpipe() is for one at a time */

static uint8_t place_of(const struct takt_thread *thread)
{
    return thread ? takt_place_of(thread) : TAKT_NOBODY;
}

static struct takt_pipe *pipe_at(uint8_t place)
{
    struct takt_vcpu *v = takt_table[place]->vcpu;
    return v && (v->flags & TAKT_PIPE_VCPU) ? (struct takt_pipe *)v : NULL;
}

/* The change to the CPU `cpu`. */
static struct takt_change change_on(const struct takt_plan *plan, uint8_t cpu, bool joined)
{
    const struct takt_endpoint *end = plan->end;
    struct takt_change change = {.budget = plan->budget, .period = plan->period};
    change.vcpu = end->thread ? end->thread->vcpu : NULL;
    change.io = end->bottom ? (const struct takt_io_vcpu *)end->bottom->vcpu : NULL;
    change.share = plan->share;
    change.joins = joined && cpu == plan->cpu ? plan->thread : NULL;
    change.at = takt_place_for(plan->thread);
    return change;
}

static int load(struct takt_load *to, const struct takt_plan *plan, uint8_t cpu, bool joined)
{
    struct takt_change change = change_on(plan, cpu, joined);
    return takt_admit_load(to, cpu, &change);
}

/* The CPU that an endpoint is served by: interrupts without a thread come to the first. */
static uint8_t cpu_of(const struct takt_endpoint *end)
{
    const struct takt_thread *who = end->thread ? end->thread : end->bottom;
    return who ? takt_cpu_index(takt_place_of(who)) : 0;
}

static struct takt_admit_rate rate_of(const struct takt_endpoint *end, const struct takt_qos *qos)
{
    uint64_t bits = 8u * (uint64_t)end->attrs->max_pktsz;
    return takt_admit_rate(qos->tput, bits * qos->latency);
}

/* An endpoint as admission sees it, with the new pipe if it is the plan's; `to` is its CPU's. */
static struct takt_admit_endpoint view(const struct takt_endpoint *end,
                                       const struct takt_plan *plan, const struct takt_load *to,
                                       struct takt_admit_rate *rates)
{
    struct takt_admit_endpoint v = {.attrs = end->attrs, .output = end->direction == TAKT_OUT};
    uint8_t place = place_of(end->thread), io = place_of(end->bottom);
    v.place = place == TAKT_NOBODY ? TAKT_ADMIT_NONE : to->index[place];
    v.io = io == TAKT_NOBODY ? TAKT_ADMIT_NONE : to->index[io];
    v.rates = rates;
    for (uint8_t i = 0; i < takt_core.count; i++)
        if (pipe_at(i) && pipe_at(i)->end == end)
            rates[v.pipe_count++] = rate_of(end, pipe_at(i)->qos);
    if (end == plan->end)
        rates[v.pipe_count++] = rate_of(end, plan->qos);
    uint32_t last = to->set.thread_count > 0 ? to->set.thread_count - 1 : 0;
    v.user = v.place == TAKT_ADMIT_NONE ? last : v.place;
    v.shortest_us = to->set.threads[v.place == TAKT_ADMIT_NONE ? 0 : v.place].period_us;
    v.longest_us = to->set.threads[v.user].period_us;
    return v;
}

static uint32_t served_us(const struct takt_plan *plan, const struct takt_endpoint *end)
{
    return !end->thread ? 0 : end == plan->end ? plan->period : end->thread->vcpu->period;
}

/* One endpoint and the pipes it has. */
static int judge_endpoint(struct takt_plan *plan, const struct takt_endpoint *end)
{
    struct takt_admit_rate rates[TAKT_PLACES + 1];
    int error = load(&end_load, plan, cpu_of(end), true);
    if (error != TAKT_OK)
        return error;
    struct takt_admit_endpoint v = view(end, plan, &end_load, rates);
    error = takt_admit_endpoint(&end_load.set, &v, &plan->why);
    uint32_t delay = takt_admit_endpoint_delay(&end_load.set, &v);
    for (uint8_t i = 0; i < takt_core.count && error == TAKT_OK; i++) {
        struct takt_pipe *pipe = pipe_at(i);
        struct takt_pipe_bounds bounds;
        if (!pipe || pipe->end != end)
            continue;
        error = load(&pipe_load, plan, takt_cpu_index(i), true);
        struct takt_admit_pipe p = {*pipe->qos, end->attrs, pipe_load.index[i], delay,
                                    served_us(plan, end), v.output};
        if (error == TAKT_OK)
            error = takt_admit_pipe(&pipe_load.set, &p, &bounds, &plan->why);
    }
    return error;
}

/* All endpoints that have pipes, each once; that of the plan comes first. */
static int judge_others(struct takt_plan *plan)
{
    int error = judge_endpoint(plan, plan->end);
    for (uint8_t i = 0; i < takt_core.count && error == TAKT_OK; i++) {
        struct takt_pipe *pipe = pipe_at(i);
        bool first = pipe && pipe->end != plan->end;
        for (uint8_t j = 0; first && j < i; j++)
            first = !pipe_at(j) || pipe_at(j)->end != pipe->end;
        if (first)
            error = judge_endpoint(plan, pipe->end);
    }
    return error;
}

static int not_admitted(struct takt_plan *plan, uint32_t who)
{
    return takt_pipe_refuse(&plan->why, TAKT_PIPE_NOT_ADMITTED, who, 0);
}

/* The first CPU that has room for the new thread. */
static int find_cpu(struct takt_plan *plan)
{
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++) {
        plan->cpu = cpu;
        int error = load(&end_load, plan, cpu, true);
        if (error == TAKT_OK && takt_admit_exact(&end_load.set, NULL) == TAKT_OK)
            return TAKT_OK;
    }
    return not_admitted(plan, 0);
}

/* Does everybody get his budget? The endpoint's threads may be on other CPUs than the new one. */
static int judge_threads(struct takt_plan *plan)
{
    uint32_t refused = 0;
    int error = find_cpu(plan);
    for (uint8_t cpu = 0; cpu < takt_cpus() && error == TAKT_OK; cpu++) {
        error = load(&end_load, plan, cpu, true);
        if (error == TAKT_OK && end_load.set.thread_count > 0 &&
            takt_admit_exact(&end_load.set, &refused) != TAKT_OK)
            error = not_admitted(plan, refused);
    }
    return error;
}

/* The endpoint's delay and the budget its thread needs, as things stand. */
static int settle(struct takt_plan *plan, bool joined)
{
    struct takt_admit_rate rates[TAKT_PLACES + 1];
    int error = load(&end_load, plan, cpu_of(plan->end), joined);
    if (error != TAKT_OK)
        return error;
    if (end_load.set.thread_count > 0 && takt_admit_exact(&end_load.set, NULL) != TAKT_OK)
        return not_admitted(plan, 0);
    struct takt_admit_endpoint v = view(plan->end, plan, &end_load, rates);
    error = takt_admit_endpoint(&end_load.set, &v, &plan->why);
    if (error != TAKT_OK && plan->why.reason != TAKT_PIPE_SLOW)
        return error;
    plan->delay_us = takt_admit_endpoint_delay(&end_load.set, &v);
    uint32_t work = takt_admit_endpoint_work(&end_load.set, &v);
    if (work > 0 && work + TAKT_START_COST_US > plan->budget)
        plan->budget = work + TAKT_START_COST_US;
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

static int judge_new(struct takt_plan *plan)
{
    int error = load(&pipe_load, plan, plan->cpu, true);
    struct takt_admit_pipe p = {*plan->qos, plan->end->attrs, pipe_load.joined, plan->delay_us,
                                served_us(plan, plan->end), plan->end->direction == TAKT_OUT};
    return error != TAKT_OK ? error
                            : takt_admit_pipe(&pipe_load.set, &p, &plan->bounds, &plan->why);
}

int takt_plan_judge(struct takt_plan *plan)
{
    uint32_t delay = 0;
    plan->cpu = 0;
    int error = settle(plan, false);
    for (int round = 0; round < ROUNDS && error == TAKT_OK && plan->delay_us > delay; round++) {
        delay = plan->delay_us;
        error = derive(plan);
        if (error == TAKT_OK && plan->budget > plan->period)
            error = takt_pipe_refuse(&plan->why, TAKT_PIPE_SLOW, plan->budget, plan->period);
        if (error == TAKT_OK)
            error = judge_threads(plan);
        if (error == TAKT_OK)
            error = settle(plan, true);
    }
    if (error == TAKT_OK)
        error = judge_new(plan);
    return error == TAKT_OK ? judge_others(plan) : error;
}

/* The share with which the bottom half's work in each interval is always paid for. */
static struct takt_io_fraction needed_share(const struct takt_endpoint_attrs *attrs)
{
    uint32_t work = (attrs->top_ns + 999u) / 1000u + (attrs->bottom_ns + 999u) / 1000u;
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
    struct takt_io_fraction share = needed_share(plan->end->attrs);
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
