/* Event flags (include/takt/flags.h). */
#include "waiters.h"

#include <takt/flags.h>

/* Is that what is waited for? */
static bool is_met(const struct takt_flags *flags, uint32_t wanted, uint8_t how)
{
    uint32_t set = flags->set & wanted;
    return how & TAKT_FLAGS_ALL ? set == wanted : set != 0;
}

static uint32_t take_locked(struct takt_flags *flags, uint32_t wanted, uint8_t how)
{
    uint32_t set = flags->set & wanted;
    if (!(how & TAKT_FLAGS_KEEP))
        flags->set &= ~set;
    return set;
}

/* Goes on if that is so already: TAKT_OK. TAKT_EAGAIN: the caller has to wait, and may;
 * TAKT_ECONTEXT: it may not. */
static int try_locked(struct takt_flags *flags, struct takt_waiter *self, int may_block)
{
    if (is_met(flags, self->wanted, self->how)) {
        self->got = take_locked(flags, self->wanted, self->how);
        return TAKT_OK;
    }
    return may_block > 0 ? TAKT_EAGAIN : TAKT_ECONTEXT;
}

static int told(const struct takt_waiter *self, int result, uint32_t *got)
{
    if (got)
        *got = result == TAKT_OK ? self->got : 0;
    return result;
}

int takt_flags_wait(struct takt_flags *flags, uint32_t wanted, uint8_t how, uint32_t *got)
{
    TAKT_FACT("only threads");
    struct takt_waiter self = {.wanted = wanted, .how = how};
    if (takt_is_null(flags) || wanted == 0)
        return told(&self, TAKT_EINVAL, got);
    int result = takt_check_block();
    if (result < 0)
        return told(&self, result, got);
    port_irq_save();
    result = try_locked(flags, &self, result);
    if (result == TAKT_EAGAIN)
        result = takt_waiter_block_locked(&flags->first, &self);
    else
        port_irq_restore(0);
    return told(&self, result, got);
}

#if TAKT_HAS_TIME

int takt_flags_wait_for(struct takt_flags *flags, uint32_t wanted, uint8_t how, uint32_t us,
                        uint32_t *got)
{
    TAKT_FACT("only threads");
    struct takt_waiter self = {.wanted = wanted, .how = how};
    if (us > TAKT_DURATION_MAX || takt_is_null(flags) || wanted == 0)
        return told(&self, TAKT_EINVAL, got);
    takt_time_t at = port_now() + us + 1;
    int result = takt_check_block();
    if (result < 0)
        return told(&self, result, got);
    port_irq_save();
    result = try_locked(flags, &self, result || us == 0);
    if (result == TAKT_EAGAIN && us > 0)
        result = takt_waiter_sleep_locked(&flags->first, &self, at);
    else
        port_irq_restore(0);
    return told(&self, result, got);
}

#endif

/* Returns whether a thread of this CPU was woken. */
static bool set_locked(struct takt_flags *flags, uint32_t set)
{
    bool here = false;
    flags->set |= set;
    for (struct takt_waiter **link = &flags->first; *link;) {
        struct takt_waiter *waiter = *link;
        if (takt_waiter_waits(waiter) && is_met(flags, waiter->wanted, waiter->how)) {
            waiter->got = take_locked(flags, waiter->wanted, waiter->how);
            here |= takt_waiter_wake_locked(link);
        } else {
            link = &waiter->next;
        }
    }
    return here;
}

int takt_flags_set(struct takt_flags *flags, uint32_t set)
{
    if (takt_is_null(flags))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = irq || !takt_started() ? TAKT_ECONTEXT : TAKT_OK;
    if (result == TAKT_OK && set_locked(flags, set))
        takt_dispatch_locked(irq);
    port_irq_restore(irq);
    return result;
}

#if TAKT_HAS_PREEMPTION

int takt_flags_set_isr(struct takt_flags *flags, uint32_t set)
{
    if (takt_is_null(flags))
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    if (set_locked(flags, set))
        takt_dispatch_isr_locked();
    port_irq_restore(irq);
    return TAKT_OK;
}

#endif

uint32_t takt_flags_clear(struct takt_flags *flags, uint32_t cleared)
{
    if (takt_is_null(flags))
        return 0;
    port_irq_t irq = port_irq_save();
    uint32_t before = flags->set;
    flags->set &= ~cleared;
    port_irq_restore(irq);
    return before;
}
