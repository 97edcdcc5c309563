/*
 * First-fit decreasing (include/takt/partition.h). Who is next is looked for among those not placed
 * yet, so there is nothing to sort: with 64 threads that is less than one exact test.
 *
 * Invariant: the threads and I/O VCPUs that have come to a CPU pass the exact test together; it is
 * sustainable, so they go on doing so whoever else is left out.
 */
#include <takt/partition.h>

/* Somebody to be placed: a thread, or behind all threads an I/O VCPU. */
struct item {
    uint32_t numerator, denominator; /* of its utilisation */
    uint8_t pin;
    uint8_t *cpu;
};

/* What runs on one CPU. */
struct share {
    struct takt_admit_thread threads[TAKT_ADMIT_THREADS];
    struct takt_admit_io ios[TAKT_ADMIT_IO];
    struct takt_admit_set set;
};

static struct item item_at(const struct takt_partition *p, uint32_t index)
{
    const struct takt_admit_set *set = p->set;
    uint32_t io = index - set->thread_count;

    if (index < set->thread_count) {
        const struct takt_admit_thread *t = &set->threads[index];
        uint8_t pin = p->thread_pins ? p->thread_pins[index] : TAKT_NO_CPU;
        return (struct item){t->budget_us, t->period_us, pin, &p->thread_cpu[index]};
    }
    uint8_t pin = p->io_pins ? p->io_pins[io] : TAKT_NO_CPU;
    return (struct item){set->ios[io].numerator, set->ios[io].denominator, pin, &p->io_cpu[io]};
}

/* Is a placed before b? Who must be somewhere comes first, then who takes more. */
static bool goes_before(const struct item *a, const struct item *b)
{
    bool a_pinned = a->pin != TAKT_NO_CPU, b_pinned = b->pin != TAKT_NO_CPU;

    if (a_pinned != b_pinned) {
        return a_pinned;
    }
    return (uint64_t)a->numerator * b->denominator > (uint64_t)b->numerator * a->denominator;
}

/* Who is next, of equal ones the first; `count` when all have been placed. */
static uint32_t next_item(const struct takt_partition *p, uint32_t count)
{
    uint32_t found = count;
    struct item best = {0, 1, TAKT_NO_CPU, NULL};

    for (uint32_t i = 0; i < count; i++) {
        struct item item = item_at(p, i);
        if (*item.cpu == TAKT_NO_CPU && (found == count || goes_before(&item, &best))) {
            found = i;
            best = item;
        }
    }
    return found;
}

/* More than any field of a set may be stays so: it is refused. */
static uint32_t saturated(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

void takt_partition_waits(struct takt_admit_set *set, struct takt_admit_thread *threads,
                          uint8_t cpus, uint32_t lock_ns)
{
    uint64_t wait = (uint64_t)(cpus - 1u) * lock_ns;

    set->costs.switch_ns = saturated(set->costs.switch_ns + wait);
    set->costs.alarm_ns = saturated(set->costs.alarm_ns + wait);
    for (uint32_t i = 0; i < set->thread_count; i++) {
        threads[i].blocking_us = saturated((uint64_t)threads[i].blocking_us * cpus);
    }
}

static void collect(const struct takt_partition *p, uint8_t cpu, struct share *share)
{
    share->set = *p->set;
    share->set.threads = share->threads;
    share->set.ios = share->ios;
    share->set.thread_count = share->set.io_count = 0;
    for (uint32_t i = 0; i < p->set->thread_count; i++) {
        if (p->thread_cpu[i] == cpu) {
            share->threads[share->set.thread_count++] = p->set->threads[i];
        }
    }
    for (uint32_t i = 0; i < p->set->io_count; i++) {
        if (p->io_cpu[i] == cpu) {
            share->ios[share->set.io_count++] = p->set->ios[i];
        }
    }
    takt_partition_waits(&share->set, share->threads, p->cpus, p->lock_ns);
}

/* Does all that has come to the CPU pass? Without threads there is nobody who could be late. */
static bool passes(const struct takt_partition *p, uint8_t cpu)
{
    struct share share;

    collect(p, cpu, &share);
    return share.set.thread_count == 0 || takt_admit_exact(&share.set, NULL) == TAKT_OK;
}

static bool place(const struct takt_partition *p, const struct item *item)
{
    for (uint8_t cpu = 0; cpu < p->cpus; cpu++) {
        if (item->pin != TAKT_NO_CPU && item->pin != cpu) {
            continue;
        }
        *item->cpu = cpu;
        if (passes(p, cpu)) {
            return true;
        }
    }
    *item->cpu = TAKT_NO_CPU;
    return false;
}

/* Nobody has a CPU yet. */
static int begin(const struct takt_partition *p, uint32_t count)
{
    int error = count > 0 ? takt_admit_validate(p->set) : TAKT_OK;

    if (p->set->thread_count == 0 && error == TAKT_EINVAL) {
        error = TAKT_OK; /* nobody could be late */
    }
    if (p->cpus == 0 || p->cpus > TAKT_PARTITION_CPUS) {
        error = TAKT_EINVAL;
    }
    for (uint32_t i = 0; error == TAKT_OK && i < count; i++) {
        struct item item = item_at(p, i);
        *item.cpu = TAKT_NO_CPU;
        if (item.pin != TAKT_NO_CPU && item.pin >= p->cpus) {
            error = TAKT_EINVAL;
        }
    }
    return error;
}

int takt_partition(const struct takt_partition *partition, uint32_t *refused)
{
    uint32_t count = partition->set->thread_count + partition->set->io_count, next;
    int error = begin(partition, count);

    while (error == TAKT_OK && (next = next_item(partition, count)) < count) {
        struct item item = item_at(partition, next);
        if (!place(partition, &item)) {
            error = TAKT_EADMIT;
            if (refused) {
                *refused = next;
            }
        }
    }
    return error;
}
