/*
 * Interrupts above TAKT_IRQ_PRIORITY come whatever the kernel is doing. SysTick measures: the
 * handler's lateness against what the timer was set to, while threads keep the kernel busy.
 * URGENT=0 gives the same interrupt an ordinary priority, which shows that the kernel does hold
 * those up.
 */
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"
#include "noise.h"

#define SYSTICK ((volatile uint32_t *)0xE000E010u) /* control, reload, current */

volatile uint32_t least = 0xFFFFFFFFu, most, taken;
static struct takt_sem ping = TAKT_SEM_INIT(0), pong = TAKT_SEM_INIT(0);
static uint32_t chance = 54321, set_to, set_at;

static void next(void)
{
    chance = chance * 1664525u + 1013904223u;
    set_to = (20 + (chance >> 16) % 300u) * NOISE_MHZ + (chance >> 26);
    set_at = SYSTICK[2];
    noise_after(set_to);
}

void NOISE_HANDLER(void)
{
    uint32_t now = SYSTICK[2];
    uint32_t took = set_at >= now ? set_at - now : set_at + SYSTICK[1] + 1 - now;
    uint32_t late = took - set_to;
    noise_done();
    least = late < least ? late : least;
    most = late > most ? late : most;
    taken++;
    if (taken < 4000)
        next();
#ifdef CALL_KERNEL
    takt_sem_signal_isr(&ping);
#endif
}

static void player(void *arg)
{
    for (;;) {
        takt_sem_signal(arg ? &pong : &ping);
        takt_sem_wait_for(arg ? &ping : &pong, 300);
    }
}

static void first(void *arg)
{
    (void)arg;
    if (SYSTICK[0] == 0) { /* nobody uses it: let it run */
        SYSTICK[1] = 0xFFFFFF;
        SYSTICK[2] = 0;
        SYSTICK[0] = 5;
    }
    noise_open(URGENT ? 0 : NOISE_ORDINARY);
    next();
    while (taken < 4000)
        takt_sleep(90);
    CHECK(taken == 4000);
    done = 1;
    for (;;)
        takt_sleep(1000000);
}

TAKT_BUDGET_THREAD(first, 1000, 9000, first, 0, 1024);
TAKT_BUDGET_THREAD(player_a, 1500, 10000, player, (void *)0, 1024);
TAKT_BUDGET_THREAD(player_b, 1500, 11000, player, (void *)1, 1024);

int main(void)
{
    takt_start();
}
