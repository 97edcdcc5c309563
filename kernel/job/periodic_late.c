/*
 * Periodic threads created at run time (create.c, TAKT_DYNAMIC).
 */
#include "jobs.h"

#include <string.h>
#include <takt/sem.h>

#if TAKT_DYNAMIC

static struct takt_sem turn = TAKT_SEM_INIT(1); /* one newcomer after the other */

/* Those that have been placed, as a list; *from: one of their dates, if there are any. */
static struct takt_beat *others(takt_time_t *from)
{
    struct takt_beat *list = NULL;
    port_irq_t places = takt_hold_places();
    for (takt_set_t left = takt_jobs.placed; left; left = takt_set_rest(left)) {
        struct takt_beat *beat = &takt_periodic_at(takt_set_first(left))->beat;
        beat->next = list;
        list = beat;
        *from = beat->due;
    }
    takt_let_places_go(places);
    return list;
}

void takt_jobs_place_late(struct takt_periodic *p)
{
    if (!takt_periodic_valid(p))
        takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), "periodic: C or T");
    (void)takt_sem_wait(&turn);
    takt_time_t from = 0;
    struct takt_beat *list = others(&from);
    p->beat.due = takt_place_release(list, p->beat.period, from);
    (void)takt_sem_signal(&turn);
}

/* After the beginning: at the first of its instants that is not past. It is named for the first
 * time at once, before it is due: that puts its ring in its place in the order. */
static void join_locked(struct takt_periodic *p)
{
    takt_time_t now = takt_to_reference(port_now());
    int32_t period = (int32_t)p->beat.period, ahead = (int32_t)(p->beat.due - now) % period;
    p->beat.due = now + (uint32_t)(ahead > 0 ? ahead : ahead + period);
    p->ring.at = p->beat.due - p->beat.period;
    p->ring.slot = p->slot.next = &p->slot;
    p->ring.next = takt_jobs.rings;
    takt_jobs.rings = &p->ring;
    takt_alarm_by_locked(port_now());
}

void takt_jobs_arm_locked(struct takt_periodic *p, takt_set_t self)
{
    takt_jobs.placed |= self;
    takt_jobs.members |= self;
    p->slot.who = self;
    p->slot.gap = p->ring.period = p->beat.period;
    p->ring.at = p->beat.due;
    if (takt_jobs.begun)
        join_locked(p);
    else
        takt_rings_add(&takt_jobs.rings, &p->ring, &p->slot);
}

static void shift(__typeof__(takt_jobs) *jobs, takt_set_t (*shifted)(takt_set_t set, uint8_t place),
                  uint8_t place)
{
    takt_set_t *sets[] = {&jobs->members, &jobs->waiting, &jobs->placed, &jobs->missing,
                          &jobs->known};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        *sets[i] = shifted(*sets[i], place);
    for (struct takt_release_ring *r = jobs->rings; r; r = r->next) {
        struct takt_slot *s = r->slot;
        do {
            s->who = shifted(s->who, place);
            s = s->next;
        } while (s != r->slot);
    }
}

void takt_periodic_shift_locked(takt_set_t (*shifted)(takt_set_t set, uint8_t place), uint8_t place)
{
    for (uint8_t cpu = 0; cpu < PORT_CPUS; cpu++)
        shift(&TAKT_JOBS_ON(cpu), shifted, place);
}

void takt_periodic_reset(void)
{
    for (uint8_t cpu = 0; cpu < PORT_CPUS; cpu++)
        memset(&TAKT_JOBS_ON(cpu), 0, sizeof TAKT_JOBS_ON(cpu));
    turn = (struct takt_sem)TAKT_SEM_INIT(1);
    if (TAKT_HAS_REFERENCE)
        takt_reference_reset();
}

#endif
