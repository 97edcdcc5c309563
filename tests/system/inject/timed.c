/*
 * Timed waits and sleeps, to be disturbed at every cycle: by the alarm, which `lag` and `limit` move, by
 * a signal, and by a more urgent thread that sleeps itself. One round, from a write to `opened` to one to
 * `closed`, is a window (windows.py):
 *
 *   base waits for a signal, `limit` us at most, then sleeps until all is quiet
 *   top is woken by an interrupt and sleeps a little
 *   work, with SLEEPER, always sleeps
 */
#include "program.h"

#include <takt/port.h>
#include <takt/time.h>

#define QUIET_US 8

volatile uint32_t wakes[2] = {BASE, TOP};
volatile uint32_t limit = 20, lag;
extern volatile uint32_t takt_timers[]; /* the kernel's: the first word says who sleeps */

static void top_thread(void *arg)
{
    (void)arg;
    for (;;) {
        wrong += takt_sem_wait(&sems[TOP]) != TAKT_OK;
        served[TOP]++;
        wrong += takt_sleep(1) != TAKT_OK;
    }
}

static void other_thread(void *arg)
{
    for (;;) {
#if defined(SLEEPER)
        takt_sleep(TAKT_DURATION_MAX);
#endif
        wrong += takt_sem_wait(arg) != TAKT_OK;
    }
}

/* A unit that came too late, taken before anybody looks: interrupts are off. */
static void take_left_locked(void)
{
    if (takt_sem_try(&sems[BASE]) == TAKT_OK)
        served[BASE]++;
}

/* 10 or 11 cycles a turn: with as many turns as a us has cycles the alarm comes at each phase. */
static void spend(uint32_t turns)
{
    __asm__ volatile(".syntax unified\n\tb 2f\n"
                     "1: nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n"
                     "2: subs %0, #1\n\tbcs 1b\n\t.syntax divided"
                     : "+l"(turns)
                     :
                     : "cc");
}

static void wait_timed(void)
{
    int result = takt_sem_wait_for(&sems[BASE], limit);
    if (result == TAKT_OK)
        served[BASE]++;
    else
        wrong += result != TAKT_ETIMEOUT;
    wrong += takt_timers[0] >> BASE & 1u;
}

static void base_thread(void *arg)
{
    (void)arg;
    listen();
    for (;;) {
        opened++;
        spend(lag);
        wait_timed();
        wrong += takt_sleep(QUIET_US) != TAKT_OK;
        port_irq_t irq = port_irq_save();
        take_left_locked();
        closed++;
        port_irq_restore(irq);
    }
}

THREAD(top, 1, top_thread, NULL)
THREAD(mid, 2, other_thread, &sems[MID])
THREAD(work, 3, other_thread, &sems[WORK])
LAST_THREAD(base, 4, base_thread, NULL)
