/*
 * Registering periodic threads at run time. Their entries stay armed (AnT, section 3.1): the alarm
 * goes on to name them, and takt_periodic_look() keeps the dates of those who are not registered up
 * to date. So to be released or not is one bit, nobody is held up by a change, and offsets stay as
 * they were placed.
 */
#include "jobs.h"

static bool change(uint8_t place, bool join)
{
    takt_jobs_know();
    struct takt_periodic *p = takt_periodic_at(place);
    port_irq_t irq = port_irq_save();
    bool fit = p && takt_set_has(takt_jobs.members, place) != join;
    if (fit && join)
        fit = takt_periodic_valid(p);
    if (fit)
        takt_jobs.members ^= takt_set_of(place);
    if (fit && !join)
        p->pending = 0;
    port_irq_restore(irq);
    return fit;
}

int takt_periodic_register(uint8_t place)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    return change(place, true) ? TAKT_OK : TAKT_EINVAL;
}

int takt_periodic_unregister(uint8_t place)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    return change(place, false) ? TAKT_OK : TAKT_EINVAL;
}
