/*
 * Pipes: what follows from what is asked, and the proof that it is kept (Golchin, Cheng and West
 * 2018, section III; what it leaves out).
 *
 *    device     bottom half    endpoint's thread       pipe's buffer        pipe's thread
 *   ---|----------|---------------|-------------------------|--------------------|---
 *      hold   <= I + D        next job, then R            waits <= T_p       <= R_p
 *
 * Served at most once per period, a thread that is woken at any time begins its next job within T
 * of the last one's beginning, and finishes each within R, its response time (admit.c): a packet
 * that waits for it is taken within T + R.
 *
 * D, bottom half: if its work each time, with what is charged on top, is no more than U I, its
 * budget is always back when it looks again, and D is its response time at the rank of the thread
 * it serves. Else as delivery (admit_delivery.c). Without one, D is how long an interrupt may be
 * delayed.
 *
 * A, from the device to the buffer:
 *   pushed   hold + I + D, and T + R of the endpoint's thread if there is one
 *   asked    a packet may come just after the thread's last request was used up, and wait for the
 *            next one:  hold + max(T, I + D) + max(T, R + I + D) + R
 *   sampled  hold + R
 * The paper has T_rx + T_usb + T_rx for "asked", taking R = T, D = 0 and I = T_usb for granted.
 *
 * Room: the device is empty when a request of it is used up, and not asked again for W = max(T, I +
 * D) + R; so sum over pipes of floor((hold + W) r) + 1 packets may be in it, and beside them every
 * acknowledgement of what was sent through its output: as many as may be on their way at once, for
 * it is not known when the device sends; and what else it has to say. In a pipe's buffer,
 * empty when a job ends, there may be floor((T + R - texec + A) r) + 1: the next job's first read
 * comes no later than T + R - texec, and then it reads faster than packets come. A in it, for
 * packets that the endpoint kept back come in one go with those it did not. With R <= T that is
 * takt/qos.h's rule.
 *
 * Taken for granted: the set is admitted; packets come no faster than the pipes say; the costs in
 * takt_endpoint_attrs are right; func() takes no more than texec_time for as many packets as the
 * buffer holds, and less for fewer in proportion.
 */
#include <takt/admit_pipe.h>

#define NS    1000u
#define NEVER TAKT_ADMIT_NEVER /* sums of times stay there */
#define MANY  TAKT_ADMIT_MANY
#define FAST  ((uint64_t)1 << 56) /* bits per s */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return least(a + b, NEVER);
}

static uint64_t in_us(uint64_t ns)
{
    return (ns + NS - 1) / NS;
}

static uint64_t arrivals_of_all(const struct takt_admit_endpoint *end, uint64_t us)
{
    uint64_t found = 0;

    for (uint32_t i = 0; i < end->pipe_count; i++) {
        found = least(found + takt_admit_arrivals(&end->rates[i], us), MANY);
    }
    return found;
}

/* D: until the bottom half of an event has ended, at the rank of the thread at `place`. */
static uint64_t bottom(const struct takt_admit_set *set, const struct takt_admit_endpoint *end,
                       uint32_t place)
{
    const struct takt_endpoint_attrs *attrs = end->attrs;
    uint32_t top = (uint32_t)in_us(attrs->top_ns);
    uint32_t work = (uint32_t)in_us((uint64_t)attrs->bottom_ns + end->others_ns);

    if (end->io == TAKT_ADMIT_NONE) {
        return takt_admit_io_response(set, TAKT_ADMIT_NONE, 0, top);
    }
    const struct takt_admit_io *io = &set->ios[end->io];
    uint64_t all = (uint64_t)top + work + io->overhead_us;
    uint64_t budget = (uint64_t)end->shortest_us * io->numerator / io->denominator;
    if (work + top <= budget &&
        all * io->denominator <= (uint64_t)attrs->interval_us * io->numerator) {
        return takt_admit_io_response(set, end->io, place, (uint32_t)all);
    }
    const struct takt_admit_path path = {place, end->io, end->shortest_us, end->longest_us,
                                         top,   &work,   1,                NULL};
    uint64_t all_the_way = takt_admit_delivery(set, &path);
    uint64_t handler = sum(set->threads[place].period_us,
                           takt_admit_response(set, place, set->threads[place].period_us));
    return all_the_way == NEVER ? NEVER : all_the_way - handler;
}

/* What follows for an endpoint from the set. */
struct stages {
    uint64_t hold;   /* us */
    uint64_t noted;  /* I + D */
    uint64_t period; /* T and R of its thread, 0 without */
    uint64_t response;
};

static struct stages stages_of(const struct takt_admit_set *set,
                               const struct takt_admit_endpoint *end)
{
    struct stages s = {in_us(end->attrs->hold_ns), 0, 0, 0};
    uint32_t user = end->user;

    if (end->place != TAKT_ADMIT_NONE) {
        s.period = set->threads[end->place].period_us;
        s.response = takt_admit_response(set, end->place, (uint32_t)s.period);
        user = end->place;
    }
    if (end->attrs->transfer != TAKT_SAMPLED) {
        s.noted = sum(end->attrs->interval_us, bottom(set, end, user));
    }
    return s;
}

/* W: longest time in which the device is not emptied. */
static uint64_t unserved(const struct takt_admit_endpoint *end, const struct stages *s)
{
    switch ((enum takt_transfer)end->attrs->transfer) {
    case TAKT_ASKED:
        return sum(most(s->period, s->noted), s->response);
    case TAKT_PUSHED:
        return sum(s->noted, s->period + s->response);
    case TAKT_SAMPLED:
        break;
    }
    return 0;
}

static uint64_t delay(const struct takt_admit_endpoint *end, const struct stages *s)
{
    switch ((enum takt_transfer)end->attrs->transfer) {
    case TAKT_ASKED:
        return sum(s->hold + unserved(end, s),
                   most(s->period, s->response + s->noted) + s->response);
    case TAKT_PUSHED:
        return sum(s->hold, unserved(end, s));
    case TAKT_SAMPLED:
        break;
    }
    return sum(s->hold, s->response);
}

/* Of the endpoint's budget, in us, that one job of its thread may take: it waits for the time and
 * then for its device, so it may start twice in a period, of which admission counts one. */
static uint64_t job(const struct takt_admit_endpoint *end, const struct stages *s)
{
    uint64_t since = s->hold + most(s->period, s->response + s->noted) + s->response;
    uint64_t packets = end->attrs->transfer == TAKT_SAMPLED ? end->pipe_count
                                                            : arrivals_of_all(end, since);

    packets += end->output ? 0 : end->echoes;
    return in_us(end->attrs->batch_ns + packets * end->attrs->packet_ns) + end->start_us;
}

uint32_t takt_admit_endpoint_delay(const struct takt_admit_set *set,
                                   const struct takt_admit_endpoint *end)
{
    struct stages s = stages_of(set, end);

    return (uint32_t)delay(end, &s);
}

/* Bits per s that packets of a rate are, rounded up; at most FAST. */
static uint64_t bits_per_s(const struct takt_admit_rate *rate, uint64_t bits)
{
    uint64_t per_us = rate->packets * bits * NS; /* < 2^20 x 2^34 x 2^10 */
    uint64_t whole = per_us / rate->ns, rest = per_us % rate->ns;

    if (whole >= FAST / 1000000u) {
        return FAST;
    }
    if (rate->ns <= UINT64_MAX / 1000001u) {
        rest = (rest * 1000000u + rate->ns - 1) / rate->ns;
    } else { /* of so long a time a millionth is whole enough */
        rest = least(rest / (rate->ns / 1000000u) + 1, 1000000u);
    }
    return whole * 1000000u + rest;
}

static int check_attrs(const struct takt_admit_endpoint *end, struct takt_pipe_refusal *refusal)
{
    const struct takt_endpoint_attrs *attrs = end->attrs;
    struct takt_admit_rate offered = takt_admit_rate(attrs->max_tput, attrs->min_latency);
    uint64_t bits = 8u * (uint64_t)attrs->max_pktsz, asked = 0;

    if (end->pipe_count > (uint32_t)attrs->max_channels) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_NO_CHANNEL, end->pipe_count,
                                (uint64_t)attrs->max_channels);
    }
    for (uint32_t i = 0; i < end->pipe_count; i++) {
        asked = least(asked + bits_per_s(&end->rates[i], bits), FAST);
    }
    uint64_t most_bits = bits_per_s(&offered, 1);
    if (asked > most_bits) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_TOO_MUCH, asked, most_bits);
    }
    return TAKT_OK;
}

/* Packets that may wait in an input's device; what else comes takes as much room as so many. */
static uint64_t waiting(const struct takt_admit_endpoint *end, const struct stages *s)
{
    uint64_t packet = (uint64_t)end->attrs->max_pktsz;
    uint64_t beside = (uint64_t)end->echoes * end->echo_bytes + end->attrs->echo_bytes;

    return arrivals_of_all(end, s->hold + unserved(end, s)) + (beside + packet - 1) / packet;
}

int takt_admit_endpoint(const struct takt_admit_set *set, const struct takt_admit_endpoint *end,
                        struct takt_pipe_refusal *refusal)
{
    const struct takt_endpoint_attrs *attrs = end->attrs;
    struct stages s = stages_of(set, end);
    uint64_t room = (uint64_t)(attrs->min_ebufsz / attrs->max_pktsz);
    uint64_t window = (uint64_t)(attrs->max_ebufsz / attrs->max_pktsz);
    uint64_t waits = waiting(end, &s);
    int error = check_attrs(end, refusal);

    if (error != TAKT_OK) {
        return error;
    }
    if (end->output && attrs->echo_bytes > 0 && end->echoes > window) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_WAITS, end->echoes, window);
    }
    if (!end->output && attrs->min_ebufsz > 0 && waits > room) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_LOSES, waits, room);
    }
    if (end->place != TAKT_ADMIT_NONE && job(end, &s) > set->threads[end->place].budget_us) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_SLOW, job(end, &s),
                                set->threads[end->place].budget_us);
    }
    return TAKT_OK;
}

uint32_t takt_admit_endpoint_work(const struct takt_admit_set *set,
                                  const struct takt_admit_endpoint *end)
{
    struct stages s = stages_of(set, end);

    return end->place != TAKT_ADMIT_NONE ? (uint32_t)least(job(end, &s), NEVER) : 0;
}

int takt_admit_pipe(const struct takt_admit_set *set, const struct takt_admit_pipe *pipe,
                    struct takt_pipe_bounds *bounds, struct takt_pipe_refusal *refusal)
{
    const struct takt_admit_thread *t = &set->threads[pipe->place];
    const struct takt_qos *qos = &pipe->qos;
    uint64_t packet = (uint64_t)pipe->attrs->max_pktsz, slots = qos->IObufsz / packet;
    struct takt_admit_rate rate = takt_admit_rate(qos->tput, 8u * packet * qos->latency);
    uint64_t taken = sum(t->period_us, takt_admit_response(set, pipe->place, t->period_us));
    uint64_t gap = sum(taken - least(taken, qos->texec_time / NS), pipe->delay_us);

    if (pipe->output) { /* the buffer empties at the rate asked for; a full one takes so long */
        taken = in_us(TAKT_PIPE_FILL_NS_(slots, 8u * packet, qos->tput, qos->latency));
    }
    bounds->paper_us = (uint32_t)sum(3 * (uint64_t)pipe->served_us, t->period_us);
    bounds->peak = (uint32_t)takt_admit_arrivals(&rate, gap);
    bounds->delay_us = (uint32_t)sum(pipe->delay_us, taken);
    if (bounds->peak > slots) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_OVERFLOWS, bounds->peak, slots);
    }
    if (bounds->delay_us == NEVER || bounds->delay_us * (uint64_t)NS > qos->latency) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_LATE, bounds->delay_us, qos->latency / NS);
    }
    return TAKT_OK;
}
