/*
 * First-fit decreasing, and where that finds no place for one, a search (include/takt/partition.h).
 *
 *   item, largest first   0      1      2      depth first: the next CPU for an item that does not
 *   its CPU               0 ---- 0 ---- -      pass, else one item back and the next CPU for that;
 *                         |      1 ---- 0 ok   CPUs that are empty are alike
 *
 * Waits for the kernel's lock grow with the CPUs in use, so fewer may have room for what more have
 * not. The greedy pass is the search's first way down. The next item is looked for among those
 * not placed yet, so there is nothing to sort: with 64 threads that is less than one exact test.
 *
 * Invariant: the threads and I/O VCPUs that have come to a CPU pass the exact test together; it is
 * sustainable, and so they remain if other threads are left out.
 */
#include <takt/partition.h>

/* What is to be placed: a thread, or behind all threads an I/O VCPU. */
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

/* Is a placed before b? What must be on a given CPU comes first, then what takes more. */
static bool goes_before(const struct item *a, const struct item *b)
{
    bool a_pinned = a->pin != TAKT_NO_CPU, b_pinned = b->pin != TAKT_NO_CPU;

    if (a_pinned != b_pinned) {
        return a_pinned;
    }
    return (uint64_t)a->numerator * b->denominator > (uint64_t)b->numerator * a->denominator;
}

/* What is placed next, of equal ones the first; `count` when all have been placed. */
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

static void collect(const struct takt_partition *p, uint8_t cpu, uint8_t used,
                    struct share *share)
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
    takt_partition_waits(&share->set, share->threads, used, p->lock_ns);
}

/* Does all that has come to the CPU pass? Without threads there is none that could be late. */
static bool passes(const struct takt_partition *p, uint8_t cpu, uint8_t used)
{
    struct share share;

    collect(p, cpu, used, &share);
    return share.set.thread_count == 0 || takt_admit_exact(&share.set, NULL) == TAKT_OK;
}

/* On the first CPU from `from` on that passes with it and, unless it is pinned, is not left out; of
 * so many that are used. */
static bool place(const struct takt_partition *p, const struct item *item, uint8_t from,
                  uint32_t left_out, uint8_t used)
{
    for (uint8_t cpu = from; cpu < used; cpu++) {
        if (item->pin != TAKT_NO_CPU ? item->pin != cpu : left_out >> cpu & 1) {
            continue;
        }
        *item->cpu = cpu;
        if (passes(p, cpu, used)) {
            return true;
        }
    }
    *item->cpu = TAKT_NO_CPU;
    return false;
}

static void clear(const struct takt_partition *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        *item_at(p, i).cpu = TAKT_NO_CPU;
    }
}

/* First-fit decreasing. Returns which item has no place, `count` if all have one. */
static uint32_t place_greedily(const struct takt_partition *p, uint32_t count, uint8_t used)
{
    uint32_t next;

    clear(p, count);
    while ((next = next_item(p, count)) < count) {
        struct item item = item_at(p, next);
        if (!place(p, &item, 0, 0, used)) {
            return next;
        }
    }
    return count;
}

/* The items' order, which next_item() has them in. */
static void sort(const struct takt_partition *p, uint32_t count, uint8_t order[])
{
    clear(p, count);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = (uint8_t)next_item(p, count);
        *item_at(p, order[i]).cpu = 0; /* anything: not next any more */
    }
    clear(p, count);
}

/* CPUs that nothing has come to, but the first of them, which is as good. */
static uint32_t alike(const struct takt_partition *p, uint32_t count, uint8_t used)
{
    uint32_t empty = (UINT32_C(1) << used) - 1;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t cpu = *item_at(p, i).cpu;
        empty &= cpu == TAKT_NO_CPU ? ~UINT32_C(0) : ~(UINT32_C(1) << cpu);
    }
    return empty & (empty - 1);
}

/* The next place of an item that has tried all CPUs below `from`. */
static bool place_next(const struct takt_partition *p, uint32_t count, uint32_t index, uint8_t from,
                       uint8_t used)
{
    struct item item = item_at(p, index);

    *item.cpu = TAKT_NO_CPU;
    return place(p, &item, from, alike(p, count, used), used);
}

/* Depth first, TAKT_PARTITION_STEPS items at most. False: nothing found. */
static bool search(const struct takt_partition *p, uint32_t count, uint8_t used)
{
    uint8_t order[TAKT_ADMIT_THREADS + TAKT_ADMIT_IO], from[TAKT_ADMIT_THREADS + TAKT_ADMIT_IO];
    uint32_t depth = 0;

    sort(p, count, order);
    from[0] = 0;
    for (uint32_t steps = 0; depth < count && steps < TAKT_PARTITION_STEPS; steps++) {
        if (place_next(p, count, order[depth], from[depth], used)) {
            from[depth] = (uint8_t)(*item_at(p, order[depth]).cpu + 1);
            if (++depth < count) {
                from[depth] = 0;
            }
        } else if (depth-- == 0) {
            return false;
        }
    }
    return depth == count;
}

/* Can it be analysed, and are pins CPUs? Nothing has a CPU yet. */
static int begin(const struct takt_partition *p, uint32_t count)
{
    int error = count > 0 ? takt_admit_validate(p->set) : TAKT_OK;

    clear(p, count);

    if (p->set->thread_count == 0 && error == TAKT_EINVAL) {
        error = TAKT_OK; /* no thread could be late */
    }
    if (p->cpus == 0 || p->cpus > TAKT_PARTITION_CPUS) {
        error = TAKT_EINVAL;
    }
    for (uint32_t i = 0; error == TAKT_OK && i < count; i++) {
        struct item item = item_at(p, i);
        if (item.pin != TAKT_NO_CPU && item.pin >= p->cpus) {
            error = TAKT_EINVAL;
        }
    }
    return error;
}

int takt_partition(const struct takt_partition *partition, uint8_t *used, uint32_t *refused)
{
    uint32_t count = partition->set->thread_count + partition->set->io_count;
    int error = begin(partition, count);

    if (error != TAKT_OK) {
        return error;
    }
    for (uint8_t cpus = partition->cpus; cpus > 0; cpus--) {
        if (place_greedily(partition, count, cpus) == count || search(partition, count, cpus)) {
            if (used) {
                *used = cpus;
            }
            return TAKT_OK;
        }
    }
    uint32_t late = place_greedily(partition, count, partition->cpus);
    if (refused) {
        *refused = late;
    }
    return TAKT_EADMIT;
}
