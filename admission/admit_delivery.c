/*
 * How long an interrupt takes to reach its handler (Qduino II-C: Equation 3, and what it leaves
 * out).
 *
 *   interrupt  top half          bottom half                     handler's thread
 *   ----|--------|----- waits for budget ----- runs -----|----- waits for budget ---- runs ---|
 *        top_us   <------------- bottom ----------------> <------- T_h + R_h --------------->
 *
 * Of the I/O VCPU of share U, serving the handler of period T: C = floor(U T) is its budget,
 * P = ceil((C + x) / U) the time from one budget to the next when all of it has been used, x the
 * overhead that is charged on top. R(d) is the response time of work d at the handler's rank.
 *
 * bottom    At worst all of a budget was used just before: the next comes P - C later. When the I/O
 *           VCPU serves several threads, that budget may have been the one of the longest period.
 *           Work d that needs k = ceil(d / C) budgets has k - 1 whole ones, max(P, R(C)) each, and
 *           then R of the rest. If a thread of a shorter period is served as well, budgets may be
 *           cut to its C' = floor(U T'), at any time: k = ceil(d / C') budgets, all of whose work
 *           and overheads pass at rate U, and R of a last one of unknown size.
 *           After a wait for a device the budget is whole again, but not before ceil((d + x) / U)
 *           from the start of the last one, in which d was used: what of that is left after having
 *           run and waited comes on top of the wait.
 * handler   Every piece of its budget used before now is back after T_h; from then on what it still
 *           has to do, at most C_h, needs at most R_h.
 *
 * Taken for granted: the set is admitted; one run of the handler and asking for the next event need
 * at most C_h and the margin, starts that are charged to it included, and so does all it does for
 * other events before this one; the share is not reduced meanwhile; every wait for a device ends
 * in the time given; work_us includes what other sources may charge to the I/O VCPU meanwhile.
 */
#include <takt/admit.h>

#define LIMIT TAKT_ADMIT_NEVER /* sums stay there */

static void add(uint64_t *sum, uint64_t term)
{
    *sum = term < LIMIT && *sum + term < LIMIT ? *sum + term : LIMIT;
}

static uint32_t budget(const struct takt_admit_io *io, uint32_t period_us)
{
    return (uint32_t)((uint64_t)period_us * io->numerator / io->denominator);
}

/* Time after which `used` is back, rounded up, at most LIMIT; not for U = 0. */
static uint64_t refill(const struct takt_admit_io *io, uint64_t used)
{
    uint64_t scaled = (used < LIMIT ? used : LIMIT) * io->denominator;
    uint64_t time = (scaled + io->numerator - 1) / io->numerator;

    return time < LIMIT ? time : LIMIT;
}

/* One path, and what follows from the set. */
struct way {
    const struct takt_admit_set *set;
    const struct takt_admit_path *path;
    const struct takt_admit_io *io;
    uint32_t whole; /* C */
    uint32_t least; /* C' */
};

static uint64_t response(const struct way *way, uint32_t work)
{
    uint64_t all = (uint64_t)work + way->io->overhead_us;

    return all < LIMIT ? takt_admit_io_response(way->set, way->path->io, way->path->place,
                                                (uint32_t)all)
                       : LIMIT;
}

/* From the start of a budget until `work` is done; *last: how much of the last budget it used. */
static uint64_t run(const struct way *way, uint32_t work, uint32_t *last)
{
    uint64_t before = work > 0 ? (work - 1) / way->least : 0; /* budgets before the last one */
    uint64_t x = way->io->overhead_us, sum = 0;

    if (way->least == way->whole) {
        uint64_t apart = refill(way->io, way->whole + x);
        uint64_t needed = before > 0 ? response(way, way->whole) : 0;
        *last = work - (uint32_t)before * way->whole;
        add(&sum, before * (needed > apart ? needed : apart));
    } else {
        *last = work < way->whole ? work : way->whole;
        add(&sum, before > 0 ? before + refill(way->io, work + before * x) : 0);
    }
    add(&sum, response(way, *last));
    return sum;
}

/* What is left, after a run that used `used` of a budget and a wait, until the next budget. */
static uint64_t rest(const struct way *way, uint32_t used, uint32_t wait)
{
    uint64_t gap = refill(way->io, (uint64_t)used + way->io->overhead_us);
    uint64_t passed = (uint64_t)used + wait;

    return gap > passed ? gap - passed : 0;
}

/* Longest time without a budget, when all of one of the longest period has just been used. */
static uint64_t blackout(const struct way *way)
{
    return rest(way, budget(way->io, way->path->longest_us), 0);
}

uint32_t takt_admit_delivery(const struct takt_admit_set *set, const struct takt_admit_path *path)
{
    const struct takt_admit_thread *t = &set->threads[path->place];
    const struct takt_admit_io *io = &set->ios[path->io];
    struct way way = {set, path, io, budget(io, t->period_us), budget(io, path->shortest_us)};
    uint64_t sum = path->top_us;
    uint32_t last;

    if (way.least == 0) {
        return TAKT_ADMIT_NEVER;
    }
    add(&sum, blackout(&way));
    for (uint32_t i = 0; i < path->work_count; i++) {
        add(&sum, run(&way, path->work_us[i], &last));
        if (i + 1 < path->work_count) {
            add(&sum, path->wait_us[i] + rest(&way, last, path->wait_us[i]));
        }
    }
    add(&sum, t->period_us);
    add(&sum, takt_admit_response(set, path->place, t->period_us));
    return (uint32_t)sum;
}

uint32_t takt_admit_delivery_paper(const struct takt_admit_set *set,
                                   const struct takt_admit_path *path, bool corrected)
{
    const struct takt_admit_thread *t = &set->threads[path->place];
    uint32_t c = budget(&set->ios[path->io], t->period_us);
    uint64_t work = 0, sum = t->period_us - t->budget_us;

    if (c == 0) {
        return TAKT_ADMIT_NEVER;
    }
    for (uint32_t i = 0; i < path->work_count; i++) {
        add(&work, path->work_us[i]);
        add(&sum, i > 0 ? path->wait_us[i - 1] : 0);
    }
    uint64_t before = work > 0 ? (work - 1) / c : 0; /* ceil(work / c - 1) */
    add(&sum, t->period_us - c);
    add(&sum, before * t->period_us);
    add(&sum, corrected ? work - before * c : work % c);
    return (uint32_t)sum;
}
