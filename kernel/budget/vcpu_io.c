/*
 * Bottom halves on I/O VCPUs (include/takt/io.h): which thread they serve, and with what rank they
 * compete. The budget itself is pibs.c's; the dispatcher is dispatch.c's, which calls in here
 * where a program has bottom halves (TAKT_HAS_IO).
 *
 *   takt_io_raise_isr: serves |= place        ------> raised (the dispatcher looks at the rank)
 *   takt_io_wait:      serving = serves, serves = 0   until then the bottom half is `waiting`
 *
 * A bottom half has a place, as every thread, by which it is known; but it competes with the rank
 * of the most urgent thread in serves | serving, before that thread itself, and with that thread's
 * period. Both follow at once when events come or have been passed on.
 *
 * Invariant: `waiting` implies that serves is empty, or that the thread is about to be woken.
 */
#include "change/admission.h"
#include "core/cpu.h"
#include "pibs.h"
#include "server.h"

#include <takt/io.h>
#include <takt/isr.h>
#include <takt/records.h>
#include <takt/time.h>

#if TAKT_HAS_IO

TAKT_RECORDS(const struct takt_io_share, shares, "takt_shares");

static struct takt_io_vcpu *io_at(uint8_t place)
{
    return (struct takt_io_vcpu *)TAKT_OF(place, vcpu);
}

/* The threads it has events for. Read once: the first may come meanwhile. */
static inline takt_set_t clients_of(const struct takt_io_vcpu *io)
{
    const volatile takt_set_t *serves = &io->serves;
    return (takt_set_t)(TAKT_SEEN(*serves) | io->serving);
}

static uint8_t rank_of(const struct takt_io_vcpu *io)
{
    takt_set_t clients = clients_of(io);
    return clients ? takt_set_first(clients) : TAKT_PLACES - 1;
}

/* Takes on the period of the most urgent thread served; without one, keeps what it had. If events
 * come meanwhile it is looked at again. */
static void inherit(struct takt_io_vcpu *io)
{
    uint32_t period = io->server.period;
    uint8_t rank = rank_of(io);
    bool rises = rank < io->rank;
    if (takt_set_has(clients_of(io), rank)) { /* else it has none, or had none just now */
        const struct takt_vcpu *served = TAKT_OF(rank, vcpu);
        period = served ? served->period : TAKT_PERIOD_MAX;
    }
    io->rank = rank;
    takt_pibs_inherit(io, period, rises, port_now());
    port_irq_t irq = takt_own_save();
    takt_server_give(&io->server);
    takt_own_restore(irq);
}

uint8_t takt_io_pick_locked(takt_set_t bottoms, uint8_t most)
{
    uint8_t found = TAKT_NOBODY;
    for (; bottoms; bottoms = takt_set_rest(bottoms)) {
        uint8_t place = takt_set_first(bottoms), rank = rank_of(io_at(place));
        if (rank < most || (rank == most && found == TAKT_NOBODY)) {
            most = rank;
            found = place;
        }
    }
    return found;
}

void takt_io_look(takt_set_t raised)
{
    for (; raised; raised = takt_set_rest(raised))
        inherit(io_at(takt_set_first(raised)));
}

/* c / t with 16 bits each, rounded up where that does not suffice. */
static struct takt_io_fraction fraction(uint32_t c, uint32_t t)
{
    uint32_t a = c, b = t;
    while (b > 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    c /= a;
    t /= a;
    if (t > UINT16_MAX) {
        c = (uint32_t)(((uint64_t)c * UINT16_MAX + t - 1) / t);
        t = UINT16_MAX;
    }
    return (struct takt_io_fraction){(uint16_t)c, (uint16_t)t};
}

static bool larger(struct takt_io_fraction a, struct takt_io_fraction b)
{
    return (uint32_t)a.numerator * b.denominator > (uint32_t)b.numerator * a.denominator;
}

/* Something has changed that decides about rank or budget. */
static void look_again_locked(struct takt_io_vcpu *io)
{
    if (io->place == TAKT_NOBODY)
        return; /* before the start, which looks at everything */
    takt_set_t raised = TAKT_AT(io->place, cpu).raised | takt_set_of(io->place);
    TAKT_SHOW(TAKT_AT(io->place, cpu).raised, raised);
    takt_kick_locked(io->place);
    if (io->waiting && io->serves) {
        io->waiting = false;
        takt_wake_locked(io->place);
    }
}

/* The share it begins with, if some statement of the program says so. */
void takt_io_claim(struct takt_io_vcpu *io)
{
    bool claimed = false;
    for (const struct takt_io_share *s = shares_start; s < shares_end; s++) {
        struct takt_io_fraction share = fraction(s->c_us, s->t_us);
        if (s->io == io && (!claimed || larger(share, io->share)))
            io->share = share;
        claimed |= s->io == io;
    }
    io->most = io->share;
}

void takt_io_begin_locked(uint8_t place)
{
    struct takt_io_vcpu *io = io_at(place);
    takt_io_claim(io);
    io->place = place;
    look_again_locked(io); /* there may have been events already */
}

/* The kernel or a handler has worked for the bottom half: part of its budget if it runs now. */
static void charge_locked(struct takt_io_vcpu *io, uint32_t us)
{
    if (takt_cpu.charging && takt_core.current == io->place && !takt_cpu.busy)
        takt_charge_locked(us);
    else
        takt_add_own(&io->owed, us);
}

void takt_io_raise_isr(struct takt_io_vcpu *io, uint8_t place)
{
    port_irq_t irq = port_irq_save();
    uint8_t before = rank_of(io);
    TAKT_SHOW(io->serves, io->serves | takt_set_of(place));
    if (io->waiting || rank_of(io) < before) {
        look_again_locked(io);
        takt_dispatch_isr_locked();
    }
    port_irq_restore(irq);
}

int takt_io_raise(struct takt_io_vcpu *io, const struct takt_thread *client)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    uint8_t before = rank_of(io), place = takt_place_of(client);
    if (place == TAKT_NOBODY) {
        port_irq_restore(irq);
        return TAKT_EINVAL;
    }
    TAKT_SHOW(io->serves, io->serves | takt_set_of(place));
    if (io->waiting || rank_of(io) < before) {
        look_again_locked(io);
        takt_dispatch_locked(irq);
    }
    port_irq_restore(irq);
    return TAKT_OK;
}

void takt_io_isr_exit(struct takt_io_vcpu *io, uint8_t source)
{
    port_irq_t irq = takt_own_save();
    uint32_t took = port_now() - takt_cpu.isr_start[takt_cpu.isr_depth - 1];
    takt_isr_exit(source);
    charge_locked(io, took);
    takt_own_restore(irq);
}

takt_set_t takt_io_wait(struct takt_io_vcpu *io)
{
    if (!takt_may_block() || takt_core.current != io->place)
        return 0;
    port_irq_t irq = port_irq_save();
    io->serving = 0;
    while (io->serves == 0) {
        io->waiting = true;
        takt_block_locked(TAKT_BLOCK_EVENT, irq);
    }
    io->serving = io->serves;
    io->serves = 0;
    look_again_locked(io);
    takt_dispatch_locked(irq); /* a thread may be more urgent than the one served now */
    takt_set_t places = io->serving;
    port_irq_restore(irq);
    return places;
}

/* What is to change, the share or whether it is off; the other may change meanwhile. */
struct change {
    struct takt_cross_call call;
    struct takt_io_vcpu *io;
    const struct takt_io_fraction *share; /* NULL: as it is */
    bool off;                             /* of no account with a share */
    uint32_t delay;                       /* from now, until its budgets begin */
};

static struct takt_io_fraction share_after(const struct change *c)
{
    return c->share ? *c->share : c->io->share;
}

static bool off_after(const struct change *c)
{
    return c->share ? c->io->off : c->off;
}

static void note_locked(const struct change *c)
{
    struct takt_io_fraction share = share_after(c);
    uint32_t numerator = off_after(c) ? 0 : share.numerator;
    takt_trace_locked(port_now(), TAKT_EV_SHARE, c->io->place, numerator << 16 | share.denominator);
}

/* What was used before has been settled. What follows from it for rank and band, too. */
static void apply_locked(const struct change *c)
{
    takt_pibs_change(c->io, share_after(c), off_after(c), port_now() + c->delay);
    takt_server_give(&c->io->server);
    look_again_locked(c->io);
}

/* The CPU's dispatcher has settled, and goes on. */
static void change_here_locked(struct takt_cross_call *call)
{
    apply_locked((struct change *)call);
}

static void change_elsewhere_locked(struct change *c, port_irq_t irq)
{
    uint8_t cpu = takt_cpu_index(c->io->place);
    c->call.run_locked = change_here_locked;
    port_irq_restore(irq);
    takt_cross_call(cpu, &c->call);
    port_irq_save();
}

static void change_locked(struct change c, port_irq_t irq)
{
    note_locked(&c);
    if (!takt_here(c.io->place)) {
        change_elsewhere_locked(&c, irq);
    } else {
        takt_dispatch_locked(irq); /* it runs if it can, and is settled then */
        apply_locked(&c);
        takt_dispatch_locked(irq);
    }
}

int takt_io_enable(struct takt_io_vcpu *io, bool on)
{
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    if (io->place == TAKT_NOBODY)
        io->off = !on;
    else if (io->off == on)
        change_locked((struct change){.io = io, .off = !on}, irq);
    port_irq_restore(irq);
    return TAKT_OK;
}

bool takt_io_is_off(const struct takt_io_vcpu *io)
{
    return io->off;
}

/* Its budgets begin after the delay. */
static void change_share(struct takt_io_vcpu *io, struct takt_io_fraction share, uint32_t delay)
{
    port_irq_t irq = port_irq_save();
    if (larger(share, io->most))
        io->most = share;
    change_locked((struct change){.io = io, .share = &share, .delay = delay}, irq);
    port_irq_restore(irq);
}

/* Pipes' bounds follow. A larger share than ever before is to be admitted, other ones are. */
#if TAKT_DYNAMIC
static void follow(int result)
{
    if (result == TAKT_OK && TAKT_HAS_PROMISES)
        takt_pipes_follow();
}

/* More than ever admitted comes when all budgets of before are over. Until then pipes depend on the
 * share there is. */
int takt_share_in_turn(struct takt_io_vcpu *io, struct takt_io_fraction share)
{
    bool more = larger(share, io->most);
    int result = more ? takt_admit_share(io, share) : TAKT_OK;
    if (result == TAKT_OK && more)
        (void)takt_sleep(takt_longest_period());
    if (result == TAKT_OK)
        change_share(io, share, 0);
    follow(result);
    return result;
}
#else
#define follow(result) ((void)0)
#endif

int takt_io_set_share(struct takt_io_vcpu *io, uint32_t c_us, uint32_t t_us)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    if (t_us == 0 || c_us > t_us || t_us > TAKT_PERIOD_MAX)
        return TAKT_EINVAL;
    struct takt_io_fraction share = fraction(c_us, t_us);
    takt_turn_take();
    bool more = larger(share, io->most);
    int result = more ? takt_admit_share(io, share) : TAKT_OK;
    if (result == TAKT_OK)
        change_share(io, share, more ? takt_longest_period() : 0);
    follow(result);
    takt_turn_give();
    return result;
}

#endif
