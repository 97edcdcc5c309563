/*
 * Periodic jobs (include/takt/periodic.h).
 *
 *   alarm:       takt_rings_take() says which threads are due: they go to takt_cpu.raised
 *   dispatcher:  takt_periodic_look() starts their jobs, or finds them unfinished
 *   the thread:  takt_periodic_thread() calls the job again and again, waiting in between
 *
 * First releases: periodic_start.c.
 *
 * Releases are dates of the reference clock (reference.c), which is the kernel's clock unless a
 * program gives another. A job's budget is dated with its release, not with when the dispatcher
 * came to it: so what it used comes back exactly at its next release.
 *
 * Unfinished at the next release (docs/guarantees.md, "Periodic jobs"): a job that has used C since
 * it began, or whose thread has no budget left, has overrun, and the policy says what follows; one
 * that has not is late. A job is terminated by making its thread, when it would run next, go on in
 * takt_periodic_thread() instead. Not while it holds a mutex or is between takt_job_hold() and
 * takt_job_release(), and not inside the kernel's calls that wait: there it is `doomed`, and the
 * alarm rings at once when it goes on. A job that ends before has ended by itself.
 *
 * Entries of threads that are not registered stay armed (AnT, section 3.1): the alarm goes on to
 * name them, and takt_periodic_look() keeps their dates up to date. So to be released or not is one
 * bit, no thread is held up by a change, and offsets stay as they were placed.
 */
#include "jobs.h"
#include "budget/server.h"

#include <takt/isr.h>
#include <takt/mutex.h>

#if TAKT_HAS_JOBS

#define AGAIN_US 50 /* a doomed thread is inside a call that is about to wait: look again */

#if PORT_CPUS > 1
__typeof__(takt_jobs) takt_jobs_of[PORT_CPUS];
#else
struct takt_jobs takt_jobs;
#endif

/* CPU time on budget of the thread, ever, us. */
static uint32_t use_of(const struct takt_periodic *p)
{
    port_irq_t irq = takt_own_save(); /* a handler may be paid from `left` */
    uint32_t untaken = takt_server_untaken(&p->server);
    takt_own_restore(irq);
    return p->used + p->server.open + takt_whole(untaken);
}

static void count(uint16_t *n)
{
    *n = (uint16_t)(*n + (*n < UINT16_MAX));
}

static void begin(struct takt_periodic *p, takt_time_t released)
{
    p->released = released;
    p->before = use_of(p);
    p->under_way = true;
}

static void note(uint8_t place, uint8_t kind, uint32_t value)
{
    port_irq_t irq = port_irq_save();
    takt_note_locked(kind, place, value);
    port_irq_restore(irq);
}

/* To be terminated as soon as that may be. */
static void doom(uint8_t place)
{
    port_irq_t irq = port_irq_save();
    takt_cpu.doomed |= takt_set_of(place);
    takt_cpu.fresh |= takt_set_of(place);
    if (place == takt_core.current)
        takt_cpu.foreground = TAKT_ANEW;
    port_irq_restore(irq);
}

static void spare_locked(takt_set_t bit)
{
    takt_cpu.doomed = takt_set_without(takt_cpu.doomed, bit);
    takt_cpu.fresh = takt_set_without(takt_cpu.fresh, bit);
}

/* The job has had its C and is not finished. */
static void overrun(uint8_t place, struct takt_periodic *p)
{
    static const uint8_t told_as[] = {TAKT_OVERRUN_DOOMED, TAKT_OVERRUN_SKIPPED,
                                      TAKT_OVERRUN_CONTINUES, TAKT_OVERRUN_NOTIFIED};
    count(&p->overruns);
    note(place, TAKT_EV_OVERRUN, told_as[p->policy & 3]);
    if (p->policy == TAKT_TERMINATE) {
        p->pending = 1;
        doom(place);
    } else if (p->policy == TAKT_CONTINUE) {
        count(&p->pending);
    } else {
        count(&p->skipped);
        if (p->policy == TAKT_NOTIFY && p->notify)
            (void)takt_sem_signal_isr(p->notify);
    }
}

/* The job is not finished because other threads have run. */
static void late(uint8_t place, struct takt_periodic *p)
{
    count(&p->late);
    note(place, TAKT_EV_OVERRUN, TAKT_OVERRUN_LATE);
    if (p->policy == TAKT_CONTINUE)
        count(&p->pending);
    else if (p->policy == TAKT_TERMINATE && p->pending == 0)
        p->pending = 1;
    else
        count(&p->skipped);
}

/* Has it had its C, or its thread, in jobs before it, all there was until `at`? */
static bool has_had_its_share(const struct takt_periodic *p, takt_time_t at)
{
    return use_of(p) - p->before >= p->server.budget + TAKT_BUDGET_MORE_US ||
           !takt_before(p->server.list[0].at, at);
}

/* Getting as far as the first release does not count. */
static void fill(struct takt_vcpu *v, takt_time_t at)
{
    takt_server_start(v, at);
    v->next_start = at;
}

/* What the release took that has not been paid by a job that begins. */
static void bill(uint8_t place)
{
    port_irq_t irq = port_irq_save();
    takt_bill_up_to_now_locked(place);
    port_irq_restore(irq);
}

static void release(uint8_t place, struct takt_periodic *p, takt_time_t at)
{
    takt_set_t bit = takt_set_of(place);
    takt_time_t date = takt_from_reference(at);
    bool first = p->releases++ == 0;
    if (TAKT_TRACE_EVENTS > 0)
        note(place, TAKT_EV_RELEASE, takt_to_reference(port_now()) - at);
    if (takt_jobs.waiting & bit) {
        takt_jobs.waiting = takt_set_without(takt_jobs.waiting, bit);
        if (first)
            fill(&p->server, date);
        takt_begin_job(place, date);
        begin(p, at);
    } else if (!p->under_way) { /* on its way to wait */
        p->pending = p->pending > 0 ? p->pending : 1;
    } else if (has_had_its_share(p, date)) {
        overrun(place, p);
    } else {
        late(place, p);
    }
    bill(place);
}

void takt_periodic_look(takt_set_t threads)
{
    takt_time_t now = takt_to_reference(port_now());
    for (; threads; threads = takt_set_rest(threads)) {
        uint8_t place = takt_set_first(threads);
        struct takt_periodic *p = (struct takt_periodic *)TAKT_OF(place, vcpu);
        while (!takt_before(now, p->beat.due)) {
            takt_time_t at = p->beat.due;
            p->beat.due += p->beat.period;
            if (takt_set_has(takt_jobs.members, place))
                release(place, p, at);
        }
    }
}

/* Part of the alarm's handler: notes which threads are due; returns when to come again, by `next`.
 */
takt_time_t takt_releases_due(takt_time_t now, takt_time_t next)
{
    takt_set_t threads = 0;
    if (takt_jobs.begun) {
        takt_time_t first = takt_rings_take(&takt_jobs.rings, takt_to_reference(now), &threads);
        first = takt_from_reference(first);
        next = takt_before(first, next) ? first : next;
    }
    port_irq_t irq = port_irq_save();
    if (takt_cpu.doomed && takt_core.current < TAKT_PLACES)
        threads = (takt_set_t)(threads | (takt_cpu.doomed & takt_set_of(takt_core.current)));
    takt_cpu.raised |= threads;
    port_irq_restore(irq);
    return next;
}

/* A job has ended, or there was none: until the next release. */
static void wait_for_release(struct takt_periodic *p)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    p->holds = 0;
    if (takt_set_has(takt_cpu.doomed, takt_core.current))
        spare_locked(takt_set_of(takt_core.current)); /* it has ended by itself */
    if (p->under_way) {
        uint32_t response = takt_to_reference(now) - p->released;
        p->response_max = response > p->response_max ? response : p->response_max;
        takt_trace_locked(now, TAKT_EV_JOB, takt_core.current, response);
    }
    p->under_way = false;
    if (p->pending > 0) {
        begin(p, p->beat.due - p->pending * p->beat.period);
        p->pending--;
        takt_lapse_locked(); /* the job before it pays for what it has used */
        p->before = use_of(p);
    } else {
        takt_jobs.waiting |= takt_set_of(takt_core.current);
        takt_block_locked(TAKT_BLOCK_RELEASE, irq);
    }
    port_irq_restore(irq);
}

#pragma weak takt_before_jobs /* in a sketch: setup() is first */

void takt_periodic_thread(void *job)
{
    TAKT_FACT("entry job");
    if (takt_before_jobs)
        takt_before_jobs();
    struct takt_periodic *p = takt_jobs_arrive();
    if (__builtin_setjmp(p->context)) {
        port_irq_restore(0);
        wait_for_release(p);
    }
    for (;;) {
        ((void (*)(void))job)();
        takt_require_unlocked();
        wait_for_release(p);
    }
}

/* Not inlined: what it states is not so of its caller. */
__attribute__((noinline)) void takt_end_job_locked(bool waited)
{
    TAKT_FACT("calls none");
    uint8_t self = takt_core.current;
    takt_set_t bit = takt_set_of(self);
    struct takt_periodic *p = takt_periodic_at(self);
    bool held = p->holds || takt_holds_mutex(takt_core.current);
    if (held || waited || (takt_timers.sleepers & bit)) {
        takt_cpu.foreground = TAKT_ANEW;
        if (!held)
            takt_alarm_by_locked(port_now() + (waited ? 0 : AGAIN_US));
        return;
    }
    spare_locked(bit);
    count(&p->terminated);
    p->under_way = false;
    takt_trace_locked(port_now(), TAKT_EV_OVERRUN, self, TAKT_OVERRUN_TERMINATED);
    __builtin_longjmp(p->context, 1);
}

static struct takt_periodic *own(void)
{
    port_irq_t places = takt_hold_places();
    struct takt_periodic *p = port_in_isr() ? NULL : takt_periodic_at(takt_self());
    takt_let_places_go(places);
    return p;
}

void takt_job_hold(void)
{
    struct takt_periodic *p = own();
    if (p)
        p->holds++;
}

void takt_job_release(void)
{
    struct takt_periodic *p = own();
    if (!p || p->holds == 0 || --p->holds > 0)
        return;
    port_irq_t irq = port_irq_save();
    if (!irq && takt_set_has(takt_cpu.doomed, takt_core.current))
        takt_dispatch_locked(irq);
    port_irq_restore(irq);
}

struct change {
    struct takt_cross_call call;
    struct takt_periodic *p;
    uint8_t place; /* of its thread; threads that are created meanwhile may move it */
    bool join, fit;
};

/* Places held, where they may change. */
static uint8_t place_of(const struct takt_periodic *p)
{
    uint8_t place = 0;
    while (place < takt_core.count && takt_periodic_at(place) != p)
        place++;
    return p && place < takt_core.count ? place : TAKT_NOBODY;
}

/* On the job's own CPU, whose releases count what is pending without the kernel's lock. */
static void change_locked(struct takt_cross_call *call)
{
    struct change *c = (struct change *)call;
    uint8_t place = TAKT_DYNAMIC ? place_of(c->p) : c->place;
    if (takt_set_has(takt_jobs.members, place) == c->join)
        return;
    c->fit = !c->join || takt_periodic_valid(c->p);
    if (c->fit)
        takt_jobs.members ^= takt_set_of(place);
    if (!c->join)
        c->p->pending = 0;
}

static int change(struct takt_periodic *p, bool join)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    takt_jobs_know();
    port_irq_t irq = takt_hold_places();
    uint8_t place = place_of(p);
    uint8_t cpu = place != TAKT_NOBODY ? takt_cpu_index(place) : TAKT_NO_CPU;
    takt_let_places_go(irq);
    struct change change = {{.run_locked = change_locked}, p, place, join, false};
    if (cpu != TAKT_NO_CPU)
        takt_do_on(cpu, &change.call);
    return change.fit ? TAKT_OK : TAKT_EINVAL;
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
