/*
 * Threads that sleep, woken by the board's tickless alarm; with TICK_US by a tick instead: SysTick
 * is then the clock and the alarm of the same kernel, and the board's clock is not linked.
 */
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/thread.h>
#include <takt/time.h>

static void sleeper(void *arg)
{
    for (;;)
        takt_sleep((uint32_t)arg);
}

#ifdef TICK_US
#include "../pins.h"

static takt_time_t now, alarm_at;
static bool armed;

takt_time_t port_now(void)
{
    return now;
}

void port_alarm(takt_time_t at)
{
    alarm_at = at;
    armed = true;
}

void isr_systick(void);
void isr_systick(void)
{
    now += TICK_US;
    if (armed && !takt_before(now, alarm_at)) {
        armed = false;
        takt_alarm_isr();
    }
}

static void clock_start(void)
{
    REGISTER(0xE000E014u) = F_CPU / 1000000 * TICK_US - 1; /* SysTick: reload */
    REGISTER(0xE000E018u) = 0;
    REGISTER(0xE000E010u) = 7; /* CPU clock, interrupt, on */
}
#else
static void clock_start(void) {}
#endif

SLEEPERS /* TAKT_THREAD(..., sleeper, (void *)us, 640) for each, by ticks.py */

int main(void)
{
    clock_start();
    takt_start();
}
