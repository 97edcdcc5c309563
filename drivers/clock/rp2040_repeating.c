/*
 * Functions that an interrupt calls again and again, by the names of the pico's SDK: alarm 3 of the
 * timer, set for the earliest of them. They are a list of the sketch's own records, in no order.
 *
 * An alarm set to what has passed already would come 71 minutes late: then the interrupt is made
 * pending instead.
 */
#include <pico/time.h>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/types.h>

#include "../rp2040/rp2040.h"

#define ALARM 3u

static struct repeating_timer *timers;
static struct repeating_timer *ringing; /* is called now; NULL: added or cancelled meanwhile */

static struct repeating_timer *earliest(void)
{
    struct repeating_timer *first = timers;
    for (struct repeating_timer *t = timers; t != NULL; t = t->next) {
        if (takt_before(t->at, first->at))
            first = t;
    }
    return first;
}

/* Interrupts off. */
static void arm(void)
{
    const struct repeating_timer *first = earliest();
    RP2040_TIMER->armed = 1u << ALARM;
    if (first == NULL)
        return;
    RP2040_TIMER->alarm[ALARM] = first->at;
    if (!takt_before(RP2040_TIMER->timerawl, first->at))
        rp2040_irq_pend(RP2040_IRQ_TIMER3);
}

static bool leave(const struct repeating_timer *timer)
{
    for (struct repeating_timer **link = &timers; *link != NULL; link = &(*link)->next) {
        if (*link == timer) {
            *link = timer->next;
            return true;
        }
    }
    return false;
}

static bool forget(const struct repeating_timer *timer)
{
    bool rings = timer == ringing;
    if (rings)
        ringing = NULL;
    return leave(timer) || rings;
}

/* Takes out the one that is due. */
static struct repeating_timer *take_due(void)
{
    port_irq_t irq = port_irq_save();
    struct repeating_timer *first = earliest();
    if (first != NULL && takt_before(RP2040_TIMER->timerawl, first->at))
        first = NULL;
    if (first != NULL)
        (void)leave(first);
    ringing = first;
    port_irq_restore(irq);
    return first;
}

/* The one that has been called returns, if it is to be called again. A delay that is negative is
 * from start to start; else from the end to the next start. */
static void put_back(struct repeating_timer *timer, bool again)
{
    port_irq_t irq = port_irq_save();
    if (again && ringing == timer) {
        int64_t delay = timer->delay_us;
        timer->at = delay < 0 ? timer->at + (uint32_t)-delay
                              : RP2040_TIMER->timerawl + (uint32_t)delay;
        timer->next = timers;
        timers = timer;
    }
    ringing = NULL;
    arm();
    port_irq_restore(irq);
}

/* More urgent interrupts may add and cancel meanwhile. */
void isr_timer3(void)
{
    takt_isr_enter();
    RP2040_TIMER->intr = 1u << ALARM;
    struct repeating_timer *due = take_due();
    put_back(due, due != NULL && due->callback(due));
    takt_isr_exit(RP2040_IRQ_TIMER3);
}

bool add_repeating_timer_us(int64_t delay_us, repeating_timer_callback_t callback, void *user_data,
                            repeating_timer_t *timer)
{
    if (delay_us == 0 || delay_us > INT32_MAX || delay_us < -INT32_MAX)
        return false;
    port_irq_t irq = port_irq_save();
    (void)forget(timer);
    *timer = (struct repeating_timer){
        .delay_us = delay_us,
        .callback = callback,
        .user_data = user_data,
        .at = RP2040_TIMER->timerawl + (uint32_t)(delay_us < 0 ? -delay_us : delay_us),
        .next = timers,
    };
    timers = timer;
    if (!(RP2040_TIMER->inte & 1u << ALARM)) {
        RP2040_SET(RP2040_TIMER->inte) = 1u << ALARM;
        rp2040_irq_enable(RP2040_IRQ_TIMER3, 1);
    }
    arm();
    port_irq_restore(irq);
    return true;
}

bool cancel_repeating_timer(repeating_timer_t *timer)
{
    port_irq_t irq = port_irq_save();
    bool was = forget(timer);
    arm();
    port_irq_restore(irq);
    return was;
}
