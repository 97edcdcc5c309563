/*
 * Changing a period while the program runs; the thread stays where it is in the order, so with a
 * shorter one it may have to wait for threads with longer ones, and the exact test says whether it
 * can. What it used before comes back as it would have; a shorter period begins when the longest
 * one has passed, as an increase of the budget does (rebudget.c).
 */
#include "admission.h"
#include "budget/server.h"
#include "core/cpu.h"

#include <takt/time.h>
#include <takt/vcpu.h>

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
    takt_server_settle(r.v, port_now());
    r.v->period = period;
    port_irq_restore(irq);
}

#else
typedef int takt_retime_is_for_dynamic_programs;
#endif
