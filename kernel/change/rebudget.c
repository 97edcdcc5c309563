/*
 * Changing a budget while the program runs (takt_vcpu_set_budget). An increase may rely on
 * what another thread gave up a moment ago and has just used; so it becomes usable only when the
 * longest period has passed, by which time the past is past for everyone.
 *
 * Changing a period: the thread stays where it is in the order, so with a shorter one it may have
 * to wait for threads with longer ones, and the exact test says whether it can. What it used before
 * comes back as it would have; a shorter period begins when the longest one has passed.
 */
#include "admission.h"
#include "core/cpu.h"
#include "budget/server.h"
#include "budget/vcpu.h"

#include <takt/time.h>

#if PORT_CPUS > 1
struct change {
    struct takt_cross_call call;
    struct takt_vcpu *v;
    uint32_t c_us;
    takt_time_t from;
};

static void change_here_locked(struct takt_cross_call *call)
{
    struct change *c = (struct change *)call;
    takt_server_settle(c->v, port_now());
    takt_server_set_budget(c->v, c->c_us, c->from);
}

static bool change_elsewhere(uint8_t place, struct takt_vcpu *v, uint32_t c_us, takt_time_t from)
{
    struct change change = {{.run_locked = change_here_locked}, v, c_us, from};
    if (takt_here(place))
        return false;
    takt_cross_call(takt_cpu_index(place), &change.call);
    return true;
}
#else
static inline bool change_elsewhere(uint8_t place, struct takt_vcpu *v, uint32_t c_us,
                                    takt_time_t from)
{
    (void)place, (void)v, (void)c_us, (void)from;
    return false;
}
#endif

static void change(uint8_t place, struct takt_vcpu *v, uint32_t c_us)
{
    takt_time_t from = port_now() + takt_longest_period();
    port_irq_t irq = port_irq_save();
    takt_note_locked(TAKT_EV_BUDGET, place, c_us);
    port_irq_restore(irq);
    if (change_elsewhere(place, v, c_us, from))
        return;
    irq = port_irq_save();
    takt_lapse_locked(); /* the caller has used it so far */
    takt_server_settle(v, port_now());
    takt_server_set_budget(v, c_us, from);
    takt_watch_locked(); /* the caller's may end earlier */
    port_irq_restore(irq);
}

static int change_if_admitted(uint8_t place, struct takt_vcpu *v, uint32_t c_us)
{
    int result = takt_admit_budget(place, c_us);
    if (result == TAKT_OK)
        change(place, v, c_us);
    return result;
}

#if TAKT_DYNAMIC
int takt_budget_in_turn(uint8_t place, uint32_t c_us)
{
    int result = change_if_admitted(place, TAKT_OF(place, vcpu), c_us);
    if (result == TAKT_OK && TAKT_HAS_PROMISES)
        takt_pipes_follow();
    return result;
}

/* Threads may have been created before it was this caller's turn. */
static int change_in_turn(uint8_t place, const struct takt_vcpu *v, uint32_t c_us)
{
    while (takt_table[place]->vcpu != v)
        place++;
    return takt_budget_in_turn(place, c_us);
}
#else
#define change_in_turn change_if_admitted
#endif

int takt_vcpu_set_budget(uint8_t place, uint32_t c_us)
{
    struct takt_vcpu *v = place < takt_core.count ? TAKT_OF(place, vcpu) : NULL;
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    if (!v || (v->flags & TAKT_IO_VCPU) || c_us == 0 || c_us > v->period)
        return TAKT_EINVAL;
    takt_turn_take();
    int result = change_in_turn(place, v, c_us);
    takt_turn_give();
    return result;
}

#if TAKT_DYNAMIC

struct retime {
#if PORT_CPUS > 1
    struct takt_cross_call call;
#endif
    struct takt_vcpu *v;
    uint32_t period;
};

#if PORT_CPUS > 1
static void retime_here_locked(struct takt_cross_call *call)
{
    struct retime *r = (struct retime *)call;
    takt_server_settle(r->v, port_now());
    r->v->period = r->period;
}

static bool retime_elsewhere(uint8_t place, struct retime *r)
{
    if (takt_here(place))
        return false;
    r->call.run_locked = retime_here_locked;
    takt_cross_call(takt_cpu_index(place), &r->call);
    return true;
}
#else
static inline bool retime_elsewhere(uint8_t place, struct retime *r)
{
    (void)place, (void)r;
    return false;
}
#endif

void takt_retime(uint8_t place, uint32_t period)
{
    struct retime r = {.v = TAKT_OF(place, vcpu), .period = period};
    if (period < r.v->period)
        takt_sleep(takt_longest_period());
    if (retime_elsewhere(place, &r))
        return;
    port_irq_t irq = port_irq_save();
    takt_lapse_locked(); /* the caller has used it so far */
    takt_server_settle(r.v, port_now());
    r.v->period = period;
    port_irq_restore(irq);
}

#endif
