/*
 * The exact admission test: response-time analysis (Joseph/Pandya 1986; Audsley 1993) for sporadic
 * servers under fixed priorities, in nanoseconds.
 *
 *   R = B + C' + sum over more urgent j of ceil((R + J_j) / T_j) C'_j + what ends one budget of j
 *         + the alarms of all other threads, which interrupt the running one
 *         + sum over interrupts of ceil((R + J) / T) c
 *         + sum over I/O VCPUs of min(R, U R + (1 - U) (U T_io + overhead))
 *   C' = C + margin + switches and alarms of each fragment of the budget
 *
 * A server whose budget is split is a set of tasks of one period whose costs add up to C, so the
 * same R bounds every piece. Its jitter J, by which use may be later than its date says (server.c),
 * is jitter of its releases to less urgent threads. Its own R counts from the wake-up, or from the
 * date if that is later. An I/O VCPU with a fixed period interferes with threads of that period or
 * a longer one; one that inherits its period interferes with all, most of all when the period is
 * the thread's own.
 *
 * The same sum bounds the work of an I/O VCPU at the rank of the thread it serves: that work takes
 * the place of the thread's own C' and of the I/O VCPU.
 *
 * Invariants: the demand never falls as R grows and is never rounded down, so iterating from below
 * reaches the least fixed point, or passes the limit. All sums saturate above LIMIT; what is added
 * is below 2^58 in a set that is valid.
 */
#include <takt/admit.h>
#include <takt/flash.h>
#include <takt/vcpu.h>

#define NS     1000u
#define LIMIT  ((uint64_t)NS << 31)
#define ROUNDS 65536u

/* Functions of their own: arithmetic of 64 bits is long code on a small core. */
#define APART __attribute__((noinline))

static APART uint64_t in_ns(uint32_t us)
{
    return (uint64_t)us * NS;
}

/* Adds count x cost unless the sum is beyond LIMIT, where it stays. The product is estimated first:
 * what passes has at most 43 bits. */
static APART void add(uint64_t *sum, uint32_t count, uint64_t cost)
{
    uint64_t result = LIMIT + 1;

    if (cost <= LIMIT && (uint64_t)(uint32_t)(cost >> 10) * count <= LIMIT >> 10) {
        result = *sum + cost * count;
    }
    *sum = result <= LIMIT ? result : LIMIT + 1;
}

/* Most arrivals of a source within a window. */
static APART uint32_t arrivals(uint64_t window, uint32_t period_us, uint32_t jitter_us)
{
    uint64_t period = in_ns(period_us);

    return (uint32_t)((window + in_ns(jitter_us) + period - 1) / period);
}

/* What one budget of a thread takes from less urgent threads and from itself. */
static APART uint64_t budget_cost(const struct takt_admit_set *set,
                                  const struct takt_admit_thread *t)
{
    return in_ns(t->budget_us) + in_ns(set->costs.margin_us) +
           (uint64_t)t->fragments * 2 * set->costs.switch_ns;
}

/* A thread that wakes on the last of its budget is paid for a start and its end from the next one:
 * once, in a busy period. */
static uint64_t end_cost(const struct takt_admit_set *set)
{
    return 2 * ((uint64_t)set->costs.switch_ns + set->costs.alarm_ns);
}

/* What the alarms of one budget take from all threads. */
static uint64_t alarm_cost(const struct takt_admit_set *set, const struct takt_admit_thread *t)
{
    return (uint64_t)t->fragments * 2 * set->costs.alarm_ns;
}

/* Most that an I/O VCPU of the given period and overhead c takes within a window:
 * min(R, U R + (1 - U) (U T + c)), rounded up once: = (n d R + (d - n) (n T + d c)) / d^2
 * = (n (R + q) + n r / d + (d - n) c) / d with q and r of (d - n) T / d. */
static APART uint64_t io_demand(const struct takt_admit_io *io, uint64_t window, uint64_t period)
{
    uint32_t n = io->numerator, d = io->denominator, rest;
    uint64_t idle = (d - n) * period, demand = idle / d;

    rest = (uint32_t)idle - (uint32_t)demand * d;
    demand = n * (window + demand) + (n * rest + d - 1) / d;
    if (n > 0) {
        demand += (d - n) * in_ns(io->overhead_us);
    }
    demand = (demand + d - 1) / d;
    return demand < window ? demand : window;
}

/* What is asked for a response time. */
struct question {
    uint64_t own;       /* ns: blocking, and the work whose end is awaited */
    uint32_t rank;      /* threads before this place go first */
    uint32_t self;      /* thread whose budget is part of `own`, or NONE */
    uint32_t io;        /* I/O VCPU whose work is part of `own`, or NONE */
    uint32_t period_us; /* longest that I/O VCPUs inherit */
};

#define NONE UINT32_MAX

static void add_threads(uint64_t *sum, const struct takt_admit_set *set, const struct question *q,
                        uint64_t window)
{
    for (uint32_t j = 0; j < set->thread_count; j++) {
        const struct takt_admit_thread *t = &set->threads[j];
        uint32_t count = j == q->self ? 1 : arrivals(window, t->period_us, t->jitter_us);

        add(sum, count, alarm_cost(set, t));
        if (j < q->rank) {
            add(sum, count, budget_cost(set, t));
            add(sum, 1, end_cost(set));
        }
    }
}

static void add_ios(uint64_t *sum, const struct takt_admit_set *set, const struct question *q,
                    uint64_t window)
{
    for (uint32_t j = 0; j < set->io_count; j++) {
        const struct takt_admit_io *io = &set->ios[j];

        if (j != q->io && io->period_us <= q->period_us) {
            uint32_t period = io->period_us != 0 ? io->period_us : q->period_us;
            add(sum, 1, io_demand(io, window, in_ns(period)));
        }
    }
}

static uint32_t irq_count(const struct takt_admit_set *set)
{
    return set->irq_count + set->more_irq_count;
}

static struct takt_admit_irq irq_at(const struct takt_admit_set *set, uint32_t j)
{
    struct takt_admit_irq irq;
    if (j < set->irq_count) {
        TAKT_FLASH_COPY(&irq, &set->irqs[j]);
    } else {
        TAKT_FLASH_COPY(&irq, &set->more_irqs[j - set->irq_count]);
    }
    return irq;
}

/* All that must run, at worst, before the work is done, if that takes `window`. */
static uint64_t demand(const struct takt_admit_set *set, const struct question *q, uint64_t window)
{
    uint64_t sum = q->own;

    add_threads(&sum, set, q, window);
    for (uint32_t j = 0; j < irq_count(set); j++) {
        struct takt_admit_irq irq = irq_at(set, j);
        add(&sum, arrivals(window, irq.separation_us, irq.jitter_us), irq.cost_ns);
    }
    add_ios(&sum, set, q, window);
    return sum;
}

/* The least fixed point. */
static uint32_t response(const struct takt_admit_set *set, const struct question *q, uint64_t limit)
{
    uint64_t window = 1;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t next = demand(set, q, window);

        if (next > LIMIT || next > limit) {
            return TAKT_ADMIT_NEVER;
        }
        if (next <= window) {
            return (uint32_t)((window + NS - 1) / NS);
        }
        window = next;
    }
    return TAKT_ADMIT_NEVER;
}

uint32_t takt_admit_response(const struct takt_admit_set *set, uint32_t place, uint32_t limit_us)
{
    const struct takt_admit_thread *t = &set->threads[place];
    struct question q = {budget_cost(set, t), place, place, NONE, t->period_us};

    add(&q.own, t->blocking_us, NS);
    return response(set, &q, in_ns(limit_us));
}

uint32_t takt_admit_io_response(const struct takt_admit_set *set, uint32_t io, uint32_t place,
                                uint32_t work_us)
{
    const struct takt_admit_thread *t = &set->threads[place];
    struct question q = {in_ns(work_us), place, NONE, io, t->period_us};

    add(&q.own, t->blocking_us, NS);
    return response(set, &q, LIMIT);
}

static bool thread_valid(const struct takt_admit_thread *t)
{
    return t->budget_us > 0 && t->budget_us <= t->period_us && t->period_us <= TAKT_PERIOD_MAX &&
           t->blocking_us <= TAKT_DURATION_MAX && t->jitter_us <= TAKT_DURATION_MAX &&
           t->fragments <= TAKT_ADMIT_FRAGMENTS;
}

static bool io_valid(const struct takt_admit_io *io)
{
    return io->denominator > 0 && io->denominator <= UINT16_MAX &&
           io->numerator <= io->denominator && io->period_us <= TAKT_PERIOD_MAX &&
           io->overhead_us <= TAKT_DURATION_MAX;
}

static bool irq_valid(const struct takt_admit_irq *irq)
{
    return irq->separation_us > 0 && irq->separation_us <= TAKT_DURATION_MAX &&
           irq->jitter_us <= TAKT_DURATION_MAX;
}

static bool costs_valid(const struct takt_admit_costs *costs)
{
    return costs->switch_ns <= TAKT_ADMIT_COST_NS && costs->alarm_ns <= TAKT_ADMIT_COST_NS &&
           costs->margin_us <= TAKT_DURATION_MAX;
}

int takt_admit_validate(const struct takt_admit_set *set)
{
    bool valid = set->thread_count > 0 && costs_valid(&set->costs);

    if (set->thread_count > TAKT_ADMIT_THREADS || set->io_count > TAKT_ADMIT_IO) {
        return TAKT_ENOSPACE;
    }
    for (uint32_t i = 0; i < set->thread_count; i++) {
        valid = valid && thread_valid(&set->threads[i]);
    }
    for (uint32_t i = 0; i < set->io_count; i++) {
        valid = valid && io_valid(&set->ios[i]);
    }
    for (uint32_t i = 0; i < irq_count(set); i++) {
        struct takt_admit_irq irq = irq_at(set, i);
        valid = valid && irq_valid(&irq);
    }
    return valid ? TAKT_OK : TAKT_EINVAL;
}

int takt_admit_exact(const struct takt_admit_set *set, uint32_t *refused)
{
    int error = takt_admit_validate(set);

    for (uint32_t i = 0; error == TAKT_OK && i < set->thread_count; i++) {
        if (takt_admit_response(set, i, set->threads[i].period_us) == TAKT_ADMIT_NEVER) {
            error = TAKT_EADMIT;
            if (refused) {
                *refused = i;
            }
        }
    }
    return error;
}

uint32_t takt_admit_shortest_us(uint32_t period_us)
{
    return period_us - period_us / 100 - 1;
}

uint32_t takt_admit_wakes_us(const struct takt_admit_costs *costs, uint32_t threads)
{
    return (threads * (costs->alarm_ns + costs->switch_ns) + NS - 1) / NS;
}
