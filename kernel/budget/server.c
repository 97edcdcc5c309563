/*
 * Sporadic server with a bounded, ordered list of replenishments (Sprunt et al. 1989 with the
 * corrections of Stanovich et al. 2010; Qduino II-A).
 *
 *      list[0]          list[1]              list[count-1]
 *     +--------------+ +--------------+     +--------------+
 *     | at   amount  | | at   amount  | ... | at   amount  |    at: ascending
 *     +--------------+ +--------------+     +--------------+
 *      the head: usable once at <= now; `at` is its date
 *
 * Use is taken from the head and posted again one period after the head's date. The date is when
 * the amount became usable: the replenishment instant, or the wake-up of the thread if later. Use
 * of part of the head stays `open` until the head is finished or dated anew, so a head that is used
 * in several stretches is posted once: so is one whose thread blocks and wakes less than its jitter
 * after the date, which it keeps. To other threads that is jitter of the release, and admission
 * counts it; for the thread itself nothing comes later than if it had not blocked.
 *
 * Invariants (takt_server_sound; the third: tests/unit/kernel/server_states_test.cpp):
 *   - amounts and open use add up to C + TAKT_BUDGET_MORE_US: nothing is ever lost or made up
 *   - dates ascend
 *   - an amount is usable no earlier than a period after the date it was last used under
 *   - 1 <= count <= TAKT_REPLENISHMENTS; no amount is 0
 *
 * Four rules where the textbook is silent:
 *   - Full list: the two neighbouring future replenishments closest in time become one at the
 *     later date. That delays at most by their distance and never pays early.
 *   - Small pieces: a piece of budget that returns by itself costs a start, which is paid from it.
 *     Beyond the one start in a period that admission counts, a piece that is not worth that
 *     (TAKT_PIECE_US) joins the next while the thread waits for them.
 *   - Starvation: a head that is still there one period after its date has missed its deadline
 *     (overload, interrupts off). It is dated anew, together with all that is usable, so that a
 *     server kept from running does not run several budgets in a row afterwards.
 *   - Debt: use beyond what is usable (a mutex held, takt_vcpu_charge()) is taken from what comes
 *     next, each piece of which then comes a period later, and again, until all is paid; but
 *     nothing is put off to more than 2^30 us from now.
 */
#include "core/uses.h"
#include "server.h"

#include "pibs.h"

#include <takt/periodic.h>

/* No date is put further ahead than this: what a thread owes beyond is forgotten. It leaves room to
 * 2^31 us, where dates of the clock turn round, for a period and for dates of a while ago. */
#define FURTHEST TAKT_DURATION_MAX

static inline bool is_io(const struct takt_vcpu *v)
{
    return TAKT_HAS_IO && (v->flags & TAKT_IO_VCPU);
}

static void remove_at(struct takt_vcpu *v, uint8_t i, uint8_t n)
{
    struct takt_replenishment *to = &v->list[i], *end = &v->list[v->count];
    for (const struct takt_replenishment *from = to + n; from < end; from++)
        *to++ = *from;
    v->count = (uint8_t)(v->count - n);
}

/* Merges the closest pair among list[1..count) and a newcomer at `at`; returns whether there is
 * room now, or the newcomer is to join the last entry. */
static bool merge_closest(struct takt_vcpu *v, takt_time_t at)
{
    uint8_t last = (uint8_t)(v->count - 1), best = last;
    uint32_t gap = at - v->list[last].at;
    takt_time_t date = v->list[1].at;
    for (uint8_t i = 1; i < last; i++) {
        uint32_t here = v->list[i + 1].at - date;
        date += here;
        if (here < gap) {
            gap = here;
            best = i;
        }
    }
    if (best == last)
        return false;
    v->list[best + 1].amount += v->list[best].amount;
    remove_at(v, best, 1);
    return true;
}

static void insert_at(struct takt_vcpu *v, uint8_t i, struct takt_replenishment entry)
{
    for (uint8_t k = v->count++; k > i; k--)
        v->list[k] = v->list[k - 1];
    v->list[i] = entry;
}

/* Adds a replenishment: at the end, unless an increase of the budget is still to come after it. In
 * a full list it does not join that, which may be long from now, but the one before, which then
 * comes with it. */
static void post(struct takt_vcpu *v, takt_time_t at, uint32_t amount)
{
    uint8_t i = v->count;
    while (i > 0 && takt_before(at, v->list[i - 1].at))
        i--;
    if (i > 0 && v->list[i - 1].at == at) {
        v->list[i - 1].amount += amount;
    } else if (v->count < TAKT_REPLENISHMENTS) {
        insert_at(v, i, (struct takt_replenishment){at, amount});
    } else if (i < v->count) {
        if (i > 1 && v->list[i].at - at >= v->period)
            v->list[--i].at = at;
        v->list[i].amount += amount;
    } else if (merge_closest(v, at)) {
        insert_at(v, v->count, (struct takt_replenishment){at, amount});
    } else {
        v->list[i - 1].at = at;
        v->list[i - 1].amount += amount;
    }
}

/* What was open is no longer. */
static void close_use(struct takt_vcpu *v)
{
    if (v->flags & TAKT_PERIODIC_VCPU)
        ((struct takt_periodic *)v)->used += v->open;
    v->open = 0;
}

/* Posts what has been used of the head dated `at`. */
static void close_head(struct takt_vcpu *v, takt_time_t at)
{
    if (v->open == 0)
        return;
    post(v, at + v->period, v->open);
    close_use(v);
}

/* Dates the head `now` and merges every other usable replenishment into it. */
static void redate(struct takt_vcpu *v, takt_time_t now)
{
    close_head(v, v->list[0].at);
    uint8_t usable = 1;
    uint32_t amount = v->list[0].amount;
    while (usable < v->count && !takt_before(now, v->list[usable].at))
        amount += v->list[usable++].amount;
    v->list[0] = (struct takt_replenishment){now, amount};
    if (usable > 1)
        remove_at(v, 1, (uint8_t)(usable - 1));
}

void takt_server_start(struct takt_vcpu *v, takt_time_t now)
{
    if (is_io(v)) {
        takt_pibs_start((struct takt_io_vcpu *)v, now);
        return;
    }
    v->count = 1;
    close_use(v);
    v->next_start = now + v->period;
    v->list[0] = (struct takt_replenishment){now, v->budget + TAKT_BUDGET_MORE_US};
    v->given = v->left = 0;
    takt_server_give(v);
}

void takt_server_wake(struct takt_vcpu *v, takt_time_t now)
{
    if (is_io(v)) {
        takt_pibs_wake(v, now);
        return;
    }
    struct takt_replenishment *head = &v->list[0];
    if (v->open > 0 && now - head->at < takt_server_jitter(v))
        return;
    if (v->count == 1 && !takt_before(now, head->at + v->period)) { /* most often: all is back */
        *head = (struct takt_replenishment){now, head->amount + v->open};
        close_use(v);
        return;
    }
    close_head(v, head->at);
    if (takt_server_usable(v, now))
        redate(v, now);
}

void takt_server_begin(struct takt_vcpu *v, uint32_t us, takt_time_t now)
{
    if (is_io(v)) {
        takt_pibs_owe(v, us);
        return;
    }
    if (!takt_before(v->list[0].at, v->next_start))
        v->next_start = v->list[0].at + v->period;
    (void)takt_server_consume(v, us, now);
}

void takt_server_gather(struct takt_vcpu *v, takt_time_t now)
{
    const uint32_t worth_it = TAKT_PIECE_US;
    while (v->count > 1 && takt_before(now, v->list[0].at) && /* never for an I/O VCPU */
           takt_before(v->list[0].at, v->next_start) && v->list[0].amount < worth_it) {
        v->list[1].amount += v->list[0].amount;
        remove_at(v, 0, 1);
    }
}

bool takt_server_dispatch(struct takt_vcpu *v, takt_time_t now)
{
    if (is_io(v))
        return takt_pibs_dispatch(v, now);
    if (!takt_server_usable(v, now) || now - v->list[0].at < v->period)
        return false;
    bool starved = now - v->list[0].at >= v->period + takt_server_jitter(v);
    redate(v, now);
    v->starved = (uint8_t)(v->starved + starved);
    return starved;
}

/* `later` (<= FURTHEST) after `at`. */
static takt_time_t put_off(takt_time_t at, uint32_t later, takt_time_t now)
{
    return (int32_t)(at - now) > (int32_t)(FURTHEST - later) ? now + FURTHEST : at + later;
}

/* How many pieces come before the first one would come again; their amounts together. */
static uint8_t round_of(const struct takt_vcpu *v, uint32_t *amount)
{
    uint8_t n = 0;
    for (*amount = 0; n < v->count && v->list[n].at - v->list[0].at < v->period; n++)
        *amount += v->list[n].amount;
    return n;
}

/* Nothing is usable, and nothing open. Takes all pieces of a round, and again, as often as can be
 * with none of the others coming between them; returns what is left to take. */
static __attribute__((noinline)) uint32_t owe_rounds(struct takt_vcpu *v, uint32_t used,
                                                      takt_time_t now)
{
    uint32_t amount, rounds, t = v->period;
    uint8_t n = round_of(v, &amount);
    if (used < amount)
        return used;
    rounds = used / amount;
    if (n < v->count && (v->list[n].at - v->list[n - 1].at - 1) / t < rounds)
        rounds = (v->list[n].at - v->list[n - 1].at - 1) / t;
    for (uint8_t i = 0; i < n; i++)
        v->list[i].at = put_off(v->list[i].at, rounds < FURTHEST / t ? rounds * t : FURTHEST, now);
    return used - rounds * amount;
}

/* The head has been used up. */
static void finish_head(struct takt_vcpu *v, takt_time_t now)
{
    takt_time_t at = v->list[0].at;
    remove_at(v, 0, 1);
    post(v, put_off(at, v->period, now), v->open);
    close_use(v);
    takt_server_dispatch(v, now);
}

int32_t takt_server_consume(struct takt_vcpu *v, uint32_t used, takt_time_t now)
{
    if (is_io(v))
        return takt_pibs_consume(v, used, now);
    if (takt_server_take(v, used))
        return -1;
    int32_t response = -1;
    while (used > 0) {
        struct takt_replenishment *head = &v->list[0];
        bool owed = takt_before(now, head->at);
        if (owed && v->open == 0)
            used = owe_rounds(v, used, now);
        uint32_t part = used < head->amount ? used : head->amount;
        used -= part;
        v->open += part;
        head->amount -= part;
        if (head->amount == 0) {
            response = owed ? response : (int32_t)(now - head->at);
            finish_head(v, now);
        }
    }
    return response;
}

void takt_server_settle(struct takt_vcpu *v, takt_time_t now)
{
    uint32_t us = takt_server_used(v);
    if (us > 0)
        (void)takt_server_consume(v, us, now);
    takt_server_give(v);
}

void takt_server_age(struct takt_vcpu *v, takt_time_t now)
{
    if (is_io(v)) {
        takt_pibs_age(v, now);
        return;
    }
    takt_time_t oldest = now - TAKT_PERIOD_MAX;
    for (uint8_t i = 0; i < v->count; i++)
        if (takt_before(v->list[i].at, oldest))
            v->list[i].at = oldest;
    if (takt_before(v->next_start, oldest))
        v->next_start = oldest;
}

/* Takes `amount` away, latest first, always leaving something. */
static void shrink(struct takt_vcpu *v, uint32_t amount)
{
    while (amount > 0) {
        struct takt_replenishment *last = &v->list[v->count - 1];
        uint32_t part = amount < last->amount ? amount : last->amount;
        last->amount -= part;
        amount -= part;
        if (last->amount == 0)
            v->count--;
    }
}

void takt_server_set_budget(struct takt_vcpu *v, uint32_t c_us, takt_time_t from)
{
    close_head(v, v->list[0].at);
    if (c_us < v->budget) {
        shrink(v, v->budget - c_us);
    } else if (c_us > v->budget) {
        post(v, from, c_us - v->budget);
    }
    v->budget = c_us;
    takt_server_give_none(v);
}

bool takt_server_sound(const struct takt_vcpu *v)
{
    if (is_io(v))
        return takt_pibs_sound(v);
    uint32_t sum = v->open;
    for (uint8_t i = 0; i < v->count; i++) {
        sum += v->list[i].amount;
        if (v->list[i].amount == 0)
            return false;
        if (i > 0 && takt_before(v->list[i].at, v->list[i - 1].at))
            return false;
    }
    return v->count >= 1 && v->count <= TAKT_REPLENISHMENTS &&
           sum == v->budget + TAKT_BUDGET_MORE_US;
}
