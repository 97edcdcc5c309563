/* Lists of threads that wait (waiters.h). */
#include "waiters.h"

/* Is the most urgent first, and each there once? Those that have timed out aside. */
static bool is_sound(const struct takt_waiter *waiter)
{
    uint8_t least = 0;
    for (; waiter; waiter = waiter->next) {
        if (!takt_waiter_waits(waiter))
            continue;
        if (takt_set_first(waiter->woken.waiters) < least)
            return false;
        least = (uint8_t)(takt_set_first(waiter->woken.waiters) + 1u);
    }
    return true;
}

static void insert_locked(struct takt_waiter **first, struct takt_waiter *self)
{
    struct takt_waiter **link = first;
    uint8_t own = takt_core.current;
    while (*link && !(takt_waiter_waits(*link) && takt_set_first((*link)->woken.waiters) > own))
        link = &(*link)->next;
    self->next = *link;
    self->woken = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    *link = self;
    if (TAKT_CHECKS)
        TAKT_ASSERT(is_sound(*first));
    takt_note_wait_locked(own, &self->woken);
}

int takt_waiter_block_locked(struct takt_waiter **first, struct takt_waiter *self)
{
    insert_locked(first, self);
    self->woken.waiters = takt_set_of(takt_core.current);
    takt_leave_locked(TAKT_BLOCK_SEM, 0);
    port_irq_restore(0);
    return TAKT_OK;
}

bool takt_waiter_wake_locked(struct takt_waiter **link)
{
    struct takt_waiter *waiter = *link;
    uint8_t place = takt_set_first(waiter->woken.waiters);
    *link = waiter->next;
    takt_wake_locked(place);
    waiter->woken.waiters = 0;
    takt_note_wait_locked(place, NULL);
    return takt_here(place);
}

#if TAKT_HAS_TIME

static void take_out_locked(struct takt_waiter **link, const struct takt_waiter *self)
{
    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
}

int takt_waiter_sleep_locked(struct takt_waiter **first, struct takt_waiter *self, takt_time_t at)
{
    insert_locked(first, self);
    int result = takt_sleep_locked(&self->woken.waiters, at);
    if (result != TAKT_ETIMEOUT)
        return result;
    port_irq_t irq = port_irq_save();
    take_out_locked(first, self);
    port_irq_restore(irq);
    return result;
}

#endif
