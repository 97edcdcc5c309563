/*
 * Pipes and what changes beside them: a thread that joins, another budget, another share are
 * admitted only where no pipe would lose a packet or be late that would not without the change.
 * What was promised is what was asked of the pipe; the bound follows what runs.
 *
 * An endpoint is judged beside all that runs on the CPUs of its threads, as the build does
 * (tools/takt/admit/pipes.py): its bottom half and its thread may be on two. That is more than runs
 * on any of them, so no bound is too short.
 */
#include "tpipe.h"

#include "core/cpu.h"

#include <takt/records.h>

#if TAKT_HAS_PROMISES

TAKT_RECORDS(const struct takt_io_client, clients, "takt_io_clients");

struct takt_pipe_refusal takt_pipes_why;

static struct takt_load end_load, pipe_load; /* large; used by the caller whose turn it is */
static struct takt_admit_rate rates[TAKT_PLACES + 1];

const struct takt_pipe_refusal *takt_tpipe_refusal(void)
{
    return &takt_pipes_why;
}

/* Threads there will be: those of the table, and behind them the one that joins or is expected. */
static const struct takt_thread *member(const struct takt_change *change, uint8_t i)
{
    return i < takt_core.count ? takt_table[i] : change->joins ? change->joins : change->expected;
}

static struct takt_pipe *pipe_of(const struct takt_change *change, uint8_t i)
{
    const struct takt_thread *thread = member(change, i);
    struct takt_vcpu *v = thread ? thread->vcpu : NULL;
    struct takt_pipe *pipe = v && (v->flags & TAKT_PIPE_VCPU) ? (struct takt_pipe *)v : NULL;
    bool promised = pipe && pipe->qos && pipe->end->attrs;
    return promised ? pipe : NULL;
}

static uint8_t cpu_of(const struct takt_change *change, uint8_t i)
{
    return i < takt_core.count ? takt_cpu_index(i) : change->cpu;
}

static uint32_t index_of(const struct takt_load *load, uint8_t i)
{
    return i < takt_core.count ? load->index[i] : load->joined;
}

static uint32_t period_of(const struct takt_thread *thread, const struct takt_change *change)
{
    const struct takt_vcpu *v = thread->vcpu;
    return !v ? TAKT_PERIOD_MAX : v == change->vcpu ? change->period : v->period;
}

static uint8_t place_of(const struct takt_thread *thread)
{
    return thread ? takt_place_of(thread) : TAKT_NOBODY;
}

static uint32_t on_cpu_of(const struct takt_thread *thread)
{
    uint8_t place = place_of(thread);
    return place != TAKT_NOBODY ? (uint32_t)1 << takt_cpu_index(place) : 0;
}

/* The CPUs that it is served by: interrupts without a thread come to the first. */
static uint32_t cpus_of(const struct takt_endpoint *end, const struct takt_change *change)
{
    uint32_t cpus = on_cpu_of(end->thread) | on_cpu_of(end->bottom);
    cpus |= !end->thread && !end->bottom;
    for (uint8_t i = 0; !end->thread && i <= takt_core.count; i++)
        if (pipe_of(change, i) && pipe_of(change, i)->end == end)
            cpus |= (uint32_t)1 << cpu_of(change, i);
    return cpus;
}

/* The threads for which a bottom half works. */
struct served {
    uint32_t shortest_us, longest_us;
};

static void widen(struct served *served, const struct takt_thread *thread,
                  const struct takt_change *change)
{
    uint32_t period = period_of(thread, change);
    if (period < served->shortest_us)
        served->shortest_us = period;
    if (period > served->longest_us)
        served->longest_us = period;
}

static struct served served_with(const struct takt_endpoint *end, const struct takt_change *change)
{
    struct served served = {TAKT_PERIOD_MAX, 1};
    if (end->thread)
        widen(&served, end->thread, change);
    for (const struct takt_io_client *c = clients_start; c < clients_end; c++)
        if (end->bottom && c->bottom == end->bottom)
            widen(&served, c->thread, change);
    for (uint8_t i = 0; i <= takt_core.count; i++) {
        const struct takt_pipe *pipe = pipe_of(change, i);
        if (pipe && pipe->end->bottom == end->bottom)
            widen(&served, pipe->end->thread ? pipe->end->thread : member(change, i), change);
    }
    return served;
}

/* Does a driver say what its bottom half takes for this endpoint? */
static bool is_client(const struct takt_endpoint *end)
{
    const struct takt_io_client *c = clients_start;
    while (c < clients_end && !(end->thread && c->thread == end->thread))
        c++;
    return c < clients_end;
}

static bool first_of_end(const struct takt_change *change, uint8_t i)
{
    for (uint8_t j = 0; j < i; j++)
        if (pipe_of(change, j) && pipe_of(change, j)->end == pipe_of(change, i)->end)
            return false;
    return true;
}

uint32_t takt_pipes_others_ns(const struct takt_endpoint *end, const struct takt_change *change)
{
    uint32_t ns = 0;
    if (!end->bottom)
        return 0;
    for (const struct takt_io_client *c = clients_start; c < clients_end; c++)
        if (c->bottom == end->bottom && !(end->thread && c->thread == end->thread))
            ns += c->work_ns;
    for (uint8_t i = 0; i <= takt_core.count; i++) {
        const struct takt_pipe *pipe = pipe_of(change, i);
        if (pipe && pipe->end != end && pipe->end->bottom == end->bottom &&
            !is_client(pipe->end) && first_of_end(change, i))
            ns += pipe->end->attrs->bottom_ns;
    }
    return ns;
}

static struct takt_admit_rate rate_of(const struct takt_pipe *pipe)
{
    uint64_t bits = 8u * (uint64_t)pipe->end->attrs->max_pktsz;
    return takt_admit_rate(pipe->qos->tput, bits * pipe->qos->latency);
}

/* The pipe if it is of that device and goes that way. */
static const struct takt_pipe *pipe_by(const struct takt_change *change, uint8_t i, void *driver,
                                       enum takt_direction direction)
{
    const struct takt_pipe *pipe = pipe_of(change, i);
    bool found = pipe && pipe->end->driver == driver && pipe->end->direction == direction;
    return found ? pipe : NULL;
}

/* Acknowledgements of all that pipes out of an input's device send; of an output's own pipes, the
 * most of one. */
static void count_echoes(struct takt_admit_endpoint *v, const struct takt_endpoint *end,
                         const struct takt_change *change)
{
    const struct takt_pipe *one, *in = NULL;
    for (uint8_t i = 0; i <= takt_core.count && !in; i++)
        in = pipe_by(change, i, end->driver, TAKT_IN);
    for (uint8_t i = 0; i <= takt_core.count; i++) {
        if (!(one = pipe_by(change, i, end->driver, TAKT_OUT)))
            continue;
        struct takt_admit_rate rate = rate_of(one);
        const struct takt_endpoint_attrs *out = one->end->attrs;
        uint32_t echoes = takt_admit_echoes(out, in ? in->end->attrs : out, &rate);
        v->echo_bytes = out->echo_bytes;
        v->echoes = !v->output ? v->echoes + echoes : echoes > v->echoes ? echoes : v->echoes;
    }
}

/* An endpoint as admission sees it; end_load is its CPUs'. */
static struct takt_admit_endpoint view(const struct takt_endpoint *end,
                                       const struct takt_change *change)
{
    struct served served = served_with(end, change);
    struct takt_admit_endpoint v = {.attrs = end->attrs,
                                    .place = TAKT_ADMIT_NONE,
                                    .io = TAKT_ADMIT_NONE,
                                    .shortest_us = served.shortest_us,
                                    .longest_us = served.longest_us,
                                    .rates = rates,
                                    .output = end->direction == TAKT_OUT,
                                    .others_ns = takt_pipes_others_ns(end, change),
                                    .start_us = TAKT_START_COST_US};
    uint8_t place = place_of(end->thread), bottom = place_of(end->bottom);
    if (place != TAKT_NOBODY)
        v.user = v.place = end_load.index[place];
    if (bottom != TAKT_NOBODY)
        v.io = end_load.index[bottom];
    for (uint8_t i = 0; i <= takt_core.count; i++) {
        const struct takt_pipe *pipe = pipe_of(change, i);
        if (!pipe || pipe->end != end)
            continue;
        rates[v.pipe_count++] = rate_of(pipe);
        bool runs = i < takt_core.count || change->joins;
        if (!end->thread && runs && index_of(&end_load, i) > v.user)
            v.user = index_of(&end_load, i);
    }
    count_echoes(&v, end, change);
    return v;
}

int takt_pipes_judge_end(const struct takt_endpoint *end, const struct takt_change *change,
                         struct takt_end_needs *needs, struct takt_pipe_refusal *why)
{
    int error = takt_admit_load(&end_load, cpus_of(end, change), change);
    if (error != TAKT_OK)
        return error;
    struct takt_admit_endpoint v = view(end, change);
    error = takt_admit_endpoint(&end_load.set, &v, why);
    needs->delay_us = takt_admit_endpoint_delay(&end_load.set, &v);
    needs->work_us = takt_admit_endpoint_work(&end_load.set, &v);
    return error;
}

/* One pipe, with an endpoint that takes so long. */
static int judge_pipe(const struct takt_change *change, uint8_t i, uint32_t delay_us,
                      struct takt_pipe_bounds *bounds, struct takt_pipe_refusal *why)
{
    const struct takt_pipe *pipe = pipe_of(change, i);
    const struct takt_endpoint *end = pipe->end;
    int error = takt_admit_load(&pipe_load, (uint32_t)1 << cpu_of(change, i), change);
    if (error != TAKT_OK)
        return error;
    uint32_t place = index_of(&pipe_load, i), budget = pipe_load.threads[place].budget_us;
    uint64_t needed = TAKT_PIPE_BUDGET_US(pipe->qos->texec_time);
    if (budget < needed)
        return takt_pipe_refuse(why, TAKT_PIPE_SHORT, needed, budget);
    struct takt_admit_pipe p = {*pipe->qos, end->attrs, place, delay_us,
                                end->thread ? period_of(end->thread, change) : 0,
                                end->direction == TAKT_OUT};
    return takt_admit_pipe(&pipe_load.set, &p, bounds, why);
}

/* An endpoint and all its pipes; goes on after the first refusal. `keeps`: with the bounds found
 * now, not only judged. */
static int judge_pipes_of(const struct takt_endpoint *end, const struct takt_change *change,
                          bool keeps, struct takt_pipe_refusal *why)
{
    struct takt_end_needs needs = {0, 0};
    int first = takt_pipes_judge_end(end, change, &needs, why);
    for (uint8_t i = 0; first != TAKT_ENOSPACE && i <= takt_core.count; i++) {
        struct takt_pipe_bounds bounds = {0, 0, 0};
        struct takt_pipe_refusal another = {0};
        if (!pipe_of(change, i) || pipe_of(change, i)->end != end)
            continue;
        int error = judge_pipe(change, i, needs.delay_us, &bounds, &another);
        if (error != TAKT_OK && first == TAKT_OK) {
            *why = another;
            first = error;
        }
        if (keeps && bounds.delay_us > 0)
            takt_tpipe_keeps(pipe_of(change, i), &bounds);
    }
    return first;
}

/* All endpoints that have pipes, each once. */
static int judge_all(const struct takt_change *change, bool keeps, struct takt_pipe_refusal *why)
{
    int first = TAKT_OK;
    for (uint8_t i = 0; i <= takt_core.count && (first == TAKT_OK || keeps); i++) {
        struct takt_pipe_refusal another = {0};
        if (!pipe_of(change, i) || !first_of_end(change, i))
            continue;
        int error = judge_pipes_of(pipe_of(change, i)->end, change, keeps, &another);
        if (error != TAKT_OK && first == TAKT_OK) {
            *why = another;
            first = error;
        }
    }
    return first;
}

int takt_pipes_judge(const struct takt_change *change, struct takt_pipe_refusal *why)
{
    return judge_all(change, false, why);
}

int takt_pipes_keep(const struct takt_change *change, int verdict)
{
    static const struct takt_change nothing;
    struct takt_pipe_refusal before;
    takt_pipes_why = (struct takt_pipe_refusal){0};
    if (verdict == TAKT_EADMIT)
        return takt_pipe_refuse(&takt_pipes_why, TAKT_PIPE_NOT_ADMITTED, 0, 0);
    if (verdict != TAKT_OK || takt_pipes_judge(change, &takt_pipes_why) == TAKT_OK)
        return verdict;
    const struct takt_vcpu *new = change->joins ? change->joins->vcpu : NULL;
    bool joins = new && (new->flags & TAKT_PIPE_VCPU);
    if (!joins && takt_pipes_judge(&nothing, &before) != TAKT_OK) { /* not for this change */
        takt_pipes_why = (struct takt_pipe_refusal){0};
        return TAKT_OK;
    }
    return TAKT_EADMIT;
}

void takt_pipes_follow(void)
{
    static const struct takt_change nothing;
    struct takt_pipe_refusal why;
    (void)judge_all(&nothing, true, &why);
}

#else
typedef int takt_nothing_is_promised_here;
#endif
