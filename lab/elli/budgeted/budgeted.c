/*
 * The ping-pong of elli.switch with a budget for each thread: C of PERIOD_US, of which a run of the
 * lab uses a part, or, with a short period, all many times over.
 */
#include <takt/vcpu.h>

#ifndef BUDGET_US
#define BUDGET_US 400000
#define PERIOD_US 1000000
#endif
#define PING_THREAD(id, order) TAKT_BUDGET_THREAD(id, BUDGET_US, PERIOD_US, id, NULL, 640)

#include "../switch/switch.c"
