/*
 * Changing a budget while the program runs (takt_vcpu_set_budget). An increase may rely on
 * what another thread gave up a moment ago and has just used; so it becomes usable only when the
 * longest period has passed, by which time no thread counts on what was before.
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

struct change {
    struct takt_cross_call call;
    struct takt_vcpu *v;
    uint32_t us; /* the budget, or period */
    takt_time_t from;
};

/* What has been used so far is settled; the running budget may end earlier from now on. */
static void rebudget_locked(struct takt_cross_call *call)
{
    struct change *c = (struct change *)call;
    takt_lapse_locked();
    takt_server_settle(c->v, port_now());
    takt_server_set_budget(c->v, c->us, c->from);
    takt_watch_locked();
}

static void change(uint8_t place, struct takt_vcpu *v, uint32_t c_us)
{
    takt_time_t from = port_now() + takt_longest_period();
    struct change change = {{.run_locked = rebudget_locked}, v, c_us, from};
    port_irq_t irq = port_irq_save();
    takt_note_locked(TAKT_EV_BUDGET, place, c_us);
    port_irq_restore(irq);
    takt_do_on(takt_cpu_index(place), &change.call);
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

static void retime_locked(struct takt_cross_call *call)
{
    struct change *c = (struct change *)call;
    takt_lapse_locked();
    takt_server_settle(c->v, port_now());
    c->v->period = c->us;
}

void takt_retime(uint8_t place, uint32_t period)
{
    struct change change = {{.run_locked = retime_locked}, TAKT_OF(place, vcpu), period, 0};
    if (period < change.v->period)
        takt_sleep(takt_longest_period());
    takt_do_on(takt_cpu_index(place), &change.call);
}

#endif
