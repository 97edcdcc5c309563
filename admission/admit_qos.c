/*
 * What follows from what is asked of a pipe: budget and period (include/takt/qos.h has the formula
 * and its reasons), and its rate as admission counts it.
 */
#include <takt/admit_pipe.h>

#include <takt/ringbuf.h>
#include <takt/vcpu.h>

#define NS      1000u
#define PACKETS ((uint64_t)1 << 20)
#define LATENCY ((uint64_t)TAKT_DURATION_MAX * NS) /* < 2^40, and so */
#define TPUT    ((uint64_t)1 << 48)                /* no product has more than 64 bits */
#define BUFFER  ((uint64_t)1 << 20)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct takt_admit_rate takt_admit_rate(uint64_t packets, uint64_t ns)
{
    uint64_t common = common_divisor(packets, ns > 0 ? ns : 1);

    packets /= common;
    ns = (ns > 0 ? ns : 1) / common;
    while (packets > PACKETS) {
        packets = (packets + 1) / 2;
        ns = ns > 1 ? ns / 2 : 1;
    }
    return (struct takt_admit_rate){packets, ns};
}

uint64_t takt_admit_arrivals(const struct takt_admit_rate *rate, uint64_t us)
{
    uint64_t found = least(us, TAKT_ADMIT_NEVER) * NS * rate->packets / rate->ns + 1;

    return least(found, TAKT_ADMIT_MANY);
}

uint32_t takt_admit_echoes(const struct takt_endpoint_attrs *out,
                           const struct takt_endpoint_attrs *in,
                           const struct takt_admit_rate *rate)
{
    if (out->echo_bytes == 0)
        return 0;
    uint64_t found = takt_admit_arrivals(rate, (uint64_t)out->delay_us + in->delay_us);
    return (uint32_t)found;
}

int takt_pipe_refuse(struct takt_pipe_refusal *refusal, enum takt_pipe_reason reason,
                     uint64_t value, uint64_t limit)
{
    *refusal = (struct takt_pipe_refusal){(uint8_t)reason, value, limit};
    return reason < TAKT_PIPE_LOSES ? TAKT_EINVAL : TAKT_EADMIT;
}

/* Is what is asked possible at all? */
static int check_qos(const struct takt_endpoint_attrs *attrs, const struct takt_qos *qos,
                     struct takt_pipe_refusal *refusal)
{
    uint64_t packet = (uint64_t)attrs->max_pktsz;

    if (qos->latency == 0 || qos->latency > LATENCY) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_NO_LATENCY, qos->latency, LATENCY);
    }
    if (qos->tput == 0 || qos->tput > TPUT) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_NO_RATE, qos->tput, TPUT);
    }
    if (attrs->max_pktsz <= 0 || qos->IObufsz < packet || qos->IObufsz > BUFFER ||
        qos->IObufsz / packet >= TAKT_RING_SLOTS) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_NO_PACKET, qos->IObufsz, packet);
    }
    if (qos->texec_time == 0) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_NO_TIME, 0, 0);
    }
    if (qos->latency < attrs->min_latency) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_TOO_SOON, qos->latency, attrs->min_latency);
    }
    if (qos->texec_time > qos->latency) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_TOO_LONG, qos->texec_time / NS,
                                qos->latency / NS);
    }
    return TAKT_OK;
}

int takt_pipe_derive(const struct takt_endpoint_attrs *attrs, const struct takt_qos *qos,
                     uint32_t delay_us, uint32_t start_us, struct takt_pipe_derived *derived,
                     struct takt_pipe_refusal *refusal)
{
    uint64_t bits = 8u * (uint64_t)attrs->max_pktsz, period;
    int error = check_qos(attrs, qos, refusal);

    if (error != TAKT_OK) {
        return error;
    }
    uint64_t slots = qos->IObufsz / (uint64_t)attrs->max_pktsz;
    uint64_t budget = (qos->texec_time + NS - 1) / NS + start_us;
    period = TAKT_PIPE_PERIOD_US(slots, bits, qos->tput, qos->latency, qos->texec_time,
                                 (uint64_t)delay_us * NS);
    period = least(period, TAKT_PERIOD_MAX);
    if (budget > period) {
        return takt_pipe_refuse(refusal, TAKT_PIPE_TOO_LONG, budget, period);
    }
    derived->budget_us = (uint32_t)budget;
    derived->period_us = (uint32_t)period;
    derived->paper_us =
        (uint32_t)least(TAKT_PIPE_PAPER_US(slots, bits, qos->tput, qos->latency),
                        TAKT_ADMIT_NEVER);
    derived->rate = takt_admit_rate(qos->tput, bits * qos->latency);
    return TAKT_OK;
}
