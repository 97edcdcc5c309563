/*
 * Registering periodic threads at run time. Their entries stay armed (AnT, section 3.1): the alarm
 * goes on to name them, and takt_periodic_look() keeps the dates of threads that are not registered
 * up to date. So to be released or not is one bit, no thread is held up by a change, and offsets
 * stay as they were placed.
 */
#include "jobs.h"

#if TAKT_HAS_JOBS

static bool change_locked(uint8_t place, struct takt_periodic *p, bool join)
{
    __typeof__(takt_jobs) *jobs = &TAKT_JOBS_ON(takt_cpu_index(place));
    if (takt_set_has(jobs->members, place) == join || (join && !takt_periodic_valid(p)))
        return false;
    jobs->members ^= takt_set_of(place);
    if (!join)
        p->pending = 0;
    return true;
}

#if PORT_CPUS > 1
struct change {
    struct takt_cross_call call;
    struct takt_periodic *p;
    bool join, fit;
};

/* On the job's own CPU, whose releases count what is pending without the kernel's lock. */
static void change_here_locked(struct takt_cross_call *call)
{
    struct change *c = (struct change *)call;
    for (uint8_t place = 0; place < takt_core.count; place++)
        if (takt_periodic_at(place) == c->p)
            c->fit = change_locked(place, c->p, c->join);
}

static bool change_there(uint8_t cpu, struct takt_periodic *p, bool join)
{
    struct change change = {{.run_locked = change_here_locked}, p, join, false};
    takt_cross_call(cpu, &change.call);
    return change.fit;
}
#else
static inline bool change_there(uint8_t cpu, struct takt_periodic *p, bool join)
{
    (void)cpu, (void)p, (void)join;
    return false;
}
#endif

/* Places may change meanwhile, upwards (create.c): so each is looked at under the lock. */
static int change(struct takt_periodic *p, bool join)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    takt_jobs_know();
    for (uint8_t place = 0; p && place < takt_core.count; place++) {
        port_irq_t irq = port_irq_save();
        bool found = takt_periodic_at(place) == p, here = takt_here(place);
        uint8_t cpu = takt_cpu_index(place);
        bool fit = found && here && change_locked(place, p, join);
        port_irq_restore(irq);
        if (found)
            return fit || (!here && change_there(cpu, p, join)) ? TAKT_OK : TAKT_EINVAL;
    }
    return TAKT_EINVAL;
}

int takt_periodic_register(struct takt_periodic *p)
{
    return change(p, true);
}

int takt_periodic_unregister(struct takt_periodic *p)
{
    return change(p, false);
}

#endif
