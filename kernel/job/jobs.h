/*
 * What the files of periodic jobs share. Private to kernel/.
 */
#ifndef TAKT_KERNEL_JOBS_H
#define TAKT_KERNEL_JOBS_H

#include "core/cpu.h"
#include "releases.h"

struct takt_jobs {
    takt_set_t known;   /* were there when the first came */
    takt_set_t members; /* are registered */
    takt_set_t missing; /* of those known: threads that do not wait for the beginning yet */
    takt_set_t placed;  /* have an entry in `rings` */
    takt_set_t waiting; /* for their release */
    bool begun;         /* releases have; before that, their dates are from 0 on */
    struct takt_release_ring *rings;
};

/* Each CPU has the releases of its own threads: its alarm is for them. */
#if PORT_CPUS > 1
extern struct takt_jobs takt_jobs_of[PORT_CPUS];
#define takt_jobs         takt_jobs_of[port_cpu()]
#define TAKT_JOBS_ON(cpu) takt_jobs_of[cpu]
#else
extern struct takt_jobs takt_jobs;
#define TAKT_JOBS_ON(cpu) (*((void)(cpu), &takt_jobs))
#endif

static inline struct takt_periodic *takt_periodic_at(uint8_t place)
{
    struct takt_vcpu *v = place < takt_core.count ? TAKT_OF(place, vcpu) : NULL;
    return v && (v->flags & TAKT_PERIODIC_VCPU) ? (struct takt_periodic *)v : NULL;
}

/* Creating a thread moves places: programs that may do so keep places where they are meanwhile. */
static inline port_irq_t takt_hold_places(void)
{
    return TAKT_DYNAMIC ? port_irq_save() : 0;
}

static inline void takt_let_places_go(port_irq_t irq)
{
    if (TAKT_DYNAMIC)
        port_irq_restore(irq);
}

/* Are C and T fit for releases? */
static inline bool takt_periodic_valid(const struct takt_periodic *p)
{
    uint32_t c = p->server.budget, t = p->beat.period;
    return c > 0 && c <= t && t <= TAKT_PERIOD_MAX && t % TAKT_PERIODIC_TICK_US == 0;
}

/* All periodic threads of the program become members, once. Thread context. */
void takt_jobs_know(void);

/* The calling periodic thread runs for the first time: until its first release. Its record. */
struct takt_periodic *takt_jobs_arrive(void);

#endif
