/*
 * The first releases of periodic jobs.
 *
 *     placing      the search for offsets, in the order of places; in a sketch at the end of
 *                  setup(), when no other thread runs; else by the periodic thread that comes first
 *     arriving     each periodic thread comes to wait, once
 *     beginning    when the last of them has, offsets become dates
 *
 * So the search interferes with no thread, and no job has to be done while threads still come. A
 * thread that is created later (create.c) is placed among those there are and joins the rings.
 */
#include "jobs.h"

#include <string.h>
#include <takt/sem.h>

#if TAKT_HAS_JOBS

static void know(uint8_t cpu)
{
    takt_set_t all = 0;
    port_irq_t places = takt_hold_places();
    for (uint8_t place = 0; place < takt_core.count; place++)
        if (takt_cpu_index(place) == cpu && takt_periodic_at(place))
            all |= takt_set_of(place);
    port_irq_t irq = port_irq_save();
    if (!TAKT_JOBS_ON(cpu).known)
        TAKT_JOBS_ON(cpu).known = TAKT_JOBS_ON(cpu).members = TAKT_JOBS_ON(cpu).missing = all;
    port_irq_restore(irq);
    takt_let_places_go(places);
}

void takt_jobs_know(void)
{
    for (uint8_t cpu = 0; cpu < PORT_CPUS; cpu++)
        know(cpu);
}

/* The nth of those known: their order stays when places move. NULL: there are no more. */
static struct takt_periodic *nth_known(uint8_t cpu, uint8_t n)
{
    port_irq_t places = takt_hold_places();
    takt_set_t left = TAKT_JOBS_ON(cpu).known;
    while (left && n-- > 0)
        left = takt_set_rest(left);
    struct takt_periodic *p = left ? takt_periodic_at(takt_set_first(left)) : NULL;
    if (p)
        p->slot.threads = takt_set_of(takt_set_first(left));
    takt_let_places_go(places);
    return p;
}

/* One among those before it: where few coincide with it. */
static void place(struct takt_periodic *p, struct takt_beat *others)
{
    if (!takt_periodic_valid(p))
        takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), "periodic: C or T");
    p->beat.due = takt_place_release(others, p->beat.period, 0);
    p->beat.next = others;
    p->ring.at = p->beat.due;
    p->ring.period = p->beat.period;
}

static void place_on(uint8_t cpu)
{
    struct takt_beat *others = NULL;
    struct takt_periodic *p;
    port_irq_t irq = port_irq_save();
    TAKT_JOBS_ON(cpu).placed |= TAKT_JOBS_ON(cpu).known;
    port_irq_restore(irq);
    for (uint8_t n = 0; (p = nth_known(cpu, n)) != NULL; n++) {
        place(p, others);
        others = &p->beat;
        port_irq_t places = takt_hold_places();
        (void)nth_known(cpu, n); /* `threads` may have moved */
        takt_rings_add(&TAKT_JOBS_ON(cpu).rings, &p->ring, &p->slot);
        takt_let_places_go(places);
    }
}

void takt_place_jobs(void)
{
    TAKT_FACT("only with setup");
    takt_jobs_know();
    for (uint8_t cpu = 0; cpu < PORT_CPUS; cpu++)
        place_on(cpu);
}

static inline void place_here(void)
{
    if (PORT_CPUS > 1)
        place_on(takt_this_cpu());
    else
        takt_place_jobs();
}

/* Offsets become dates: releases begin now. */
static void begin_locked(void)
{
    takt_time_t epoch = takt_to_reference(port_now());
    for (struct takt_release_ring *r = takt_jobs.rings; r; r = r->next)
        r->at += epoch;
    for (takt_set_t left = takt_jobs.placed; left; left = takt_set_rest(left))
        takt_periodic_at(takt_set_first(left))->beat.due += epoch;
    takt_jobs.begun = true;
    takt_alarm_by_locked(takt_from_reference(takt_jobs.rings->at));
}

/* Is this thread the first? */
static bool first_to_come(void)
{
    takt_jobs_know();
    port_irq_t irq = port_irq_save();
    bool first = !takt_jobs.placed;
    takt_jobs.placed |= takt_set_of(takt_core.current);
    port_irq_restore(irq);
    return first;
}

static struct takt_sem turn = TAKT_SEM_INIT(1); /* one newcomer after the other */

/* Threads that have been placed, as a list; *from: one of their dates, if there are any. */
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

/* Its offset among the other threads. */
static void place_late(struct takt_periodic *p)
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

/* And its entry. */
static void arm_late_locked(struct takt_periodic *p, takt_set_t self)
{
    takt_jobs.placed |= self;
    takt_jobs.members |= self;
    p->slot.threads = self;
    p->slot.gap = p->ring.period = p->beat.period;
    p->ring.at = p->beat.due;
    if (takt_jobs.begun)
        join_locked(p);
    else
        takt_rings_add(&takt_jobs.rings, &p->ring, &p->slot);
}

struct takt_periodic *takt_jobs_arrive(void)
{
    port_irq_t places = takt_hold_places();
    struct takt_periodic *p = takt_periodic_at(takt_self());
    bool late = TAKT_DYNAMIC && takt_jobs.known && !takt_set_has(takt_jobs.missing, takt_self());
    takt_let_places_go(places);
    if (late)
        place_late(p);
    else if (first_to_come())
        place_here();
    port_irq_t irq = port_irq_save();
    takt_set_t self = takt_set_of(takt_core.current);
    takt_jobs.missing = takt_set_without(takt_jobs.missing, self);
    if (late)
        arm_late_locked(p, self);
    else if (!takt_jobs.missing)
        begin_locked();
    takt_jobs.waiting |= self;
    takt_block_locked(TAKT_BLOCK_RELEASE, irq);
    port_irq_restore(irq);
    return p;
}

#if TAKT_DYNAMIC
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
            s->threads = shifted(s->threads, place);
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

#endif
