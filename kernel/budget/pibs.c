/*
 * Priority Inheritance Bandwidth-preserving Server (Danish, Li and West 2011; Qduino II-A; Tuned
 * Pipes II-A) of share U. It has one replenishment, so that many short runs do not fragment its
 * budget:
 *
 *      eligible           block or budget used up           eligible'
 *         |---- runs, uses u ----|.......... waits ..........|
 *         |<------------------- ceil(u / U) ---------------->|
 *
 * From `eligible` on it may use U T, T being the period of the most urgent thread it serves. When
 * it blocks having used u of that, or has used all, it is eligible again ceil(u / U) after
 * `eligible`; if it wakes later than that, from the wake-up. So of any time t after an eligible
 * instant it takes at most W(t) = U t + (1 - U) (U T + x).
 *
 * u counts everything: its own run, late ends included, top halves while it is runnable, and as
 * overhead x, which moves the next budget away but leaves this one whole, what the kernel took for
 * it to become runnable and to go (TAKT_IO_START_COST_US at most) and the top halves before that:
 * one per source, as sources stay masked.
 *
 * Where the original is silent or wrong:
 *   - The quotient is rounded up, for rounding down leaks share.
 *   - A budget under way is trimmed when T shrinks, for otherwise an admitted server could starve
 *     threads of the shorter period.
 *   - When the rank rises, a budget that was usable before is dated anew, if what has been used of
 *     it is made good. Waiting for a less urgent thread it may have been kept from running; those
 *     it comes before now would otherwise have to bear that budget and the next at once.
 *   - The same happens to a budget not used up one period after its date (overload).
 *   - Changing the share closes the budget as it was, so switching off and on renews nothing.
 *   - U = 0 never runs and never divides.
 *
 * In the embedded struct takt_vcpu, list[0] is the replenishment {eligible, what is left}, `open`
 * what has been used, `budget` floor(U T), `period` T. While the budget is 0, list[0] lies in the
 * far future instead.
 *
 * Invariants (takt_pibs_sound): count is 1; what is left is at most the budget.
 */
#include "pibs.h"

#include "core/own.h"
#include "server.h"

#define FAR (TAKT_DURATION_MAX / 2)

static struct takt_io_vcpu *io_of(struct takt_vcpu *v)
{
    return (struct takt_io_vcpu *)v; /* its first member */
}

static uint32_t share_of(const struct takt_io_vcpu *io, uint32_t period)
{
    return io->off ? 0 : (uint32_t)((uint64_t)io->share.numerator * period / io->share.denominator);
}

/* Where list[0] lies: in force from `eligible`, or out of reach. */
static void set_date(struct takt_io_vcpu *io, takt_time_t now)
{
    io->server.list[0].at = io->server.budget > 0 ? io->eligible : now + FAR;
}

static void renew(struct takt_io_vcpu *io, takt_time_t now)
{
    io->server.list[0].amount = io->server.budget;
    set_date(io, now);
}

/* How far what has been used moves the next budget away: ceil(u / U). */
static uint32_t gap_of(const struct takt_io_vcpu *io)
{
    uint32_t n = io->share.numerator;
    uint64_t scaled = (uint64_t)io->server.open * io->share.denominator;
    uint64_t gap = n > 0 ? (scaled + n - 1) / n : 0;
    return gap < FAR ? (uint32_t)gap : FAR;
}

static void close_budget(struct takt_io_vcpu *io)
{
    io->eligible += gap_of(io);
    io->server.open = 0;
}

/* What handlers took while it did not run, now used. They add to `owed` whenever they come. */
static uint32_t pay_owed(struct takt_io_vcpu *io)
{
    port_irq_t irq = takt_own_save();
    uint32_t owed = takt_take_own(&io->owed);
    takt_own_restore(irq);
    io->server.open += owed;
    return owed;
}

/* The budget is usable: closes it and dates the next one `now`, if that is not early. */
static bool redate(struct takt_io_vcpu *io, takt_time_t now)
{
    if (takt_before(now, io->eligible + gap_of(io)))
        return false;
    close_budget(io);
    io->eligible = now;
    renew(io, now);
    return true;
}

void takt_pibs_start(struct takt_io_vcpu *io, takt_time_t now)
{
    io->server.count = 1;
    io->server.open = 0;
    io->server.given = io->server.left = 0;
    (void)takt_take_own(&io->owed);
    io->eligible = now;
    io->server.budget = share_of(io, io->server.period);
    renew(io, now);
    takt_server_give(&io->server);
}

void takt_pibs_inherit(struct takt_io_vcpu *io, uint32_t period, bool rises, takt_time_t now)
{
    struct takt_vcpu *v = &io->server;
    if (rises && takt_server_usable(v, now))
        redate(io, now);
    v->period = period;
    v->budget = share_of(io, period);
    if (v->list[0].amount > v->budget)
        v->list[0].amount = v->budget;
    set_date(io, now);
}

void takt_pibs_change(struct takt_io_vcpu *io, struct takt_io_fraction share, bool off,
                      takt_time_t from)
{
    close_budget(io);
    io->share = share;
    io->off = off;
    if (takt_before(io->eligible, from))
        io->eligible = from;
    io->server.budget = share_of(io, io->server.period);
    renew(io, from);
}

void takt_pibs_wake(struct takt_vcpu *v, takt_time_t now)
{
    struct takt_io_vcpu *io = io_of(v);
    close_budget(io);
    if (takt_before(io->eligible, now))
        io->eligible = now;
    renew(io, now);
}

void takt_pibs_owe(struct takt_vcpu *v, uint32_t us)
{
    pay_owed(io_of(v));
    v->open += us;
}

bool takt_pibs_dispatch(struct takt_vcpu *v, takt_time_t now)
{
    struct takt_replenishment *left = &v->list[0];
    uint32_t owed = pay_owed(io_of(v));
    if (left->amount > 0)
        left->amount = owed < left->amount ? left->amount - owed : 1;
    if (takt_before(now, left->at) || now - left->at < v->period || !redate(io_of(v), now))
        return false;
    v->starved++;
    return true;
}

int32_t takt_pibs_consume(struct takt_vcpu *v, uint32_t used, takt_time_t now)
{
    struct takt_io_vcpu *io = io_of(v);
    takt_time_t since = io->eligible;
    v->open += used;
    if (used < v->list[0].amount || used == 0) {
        v->list[0].amount -= used;
        return -1;
    }
    close_budget(io);
    renew(io, now);
    takt_pibs_dispatch(v, now);
    return takt_before(now, since) ? -1 : (int32_t)(now - since);
}

void takt_pibs_age(struct takt_vcpu *v, takt_time_t now)
{
    struct takt_io_vcpu *io = io_of(v);
    takt_time_t oldest = now - TAKT_PERIOD_MAX;
    if (takt_before(io->eligible, oldest))
        io->eligible = oldest;
    set_date(io, now);
}

bool takt_pibs_sound(const struct takt_vcpu *v)
{
    return v->count == 1 && v->list[0].amount <= v->budget;
}
