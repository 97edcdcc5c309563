/*
 * The ping-pong of elli.switch with a budget for each thread. With BURST, it pauses after so many
 * rounds, so that budget is posted, replenished and merged all the time.
 */
#include <takt/time.h>
#include <takt/vcpu.h>

#ifndef BUDGET_US
#define BUDGET_US 400000
#define PERIOD_US 1000000
#endif
#define PING_THREAD(id, order) TAKT_BUDGET_THREAD(id, BUDGET_US, PERIOD_US, id, NULL, 640)

#ifdef BURST
#define PING_REST() rest()
static void rest(void)
{
    static unsigned rounds;
    if (++rounds % BURST == 0)
        takt_sleep(PAUSE_US);
}
#endif

#include "../switch/switch.c"
