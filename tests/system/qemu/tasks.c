/*
 * Tasks beside threads that sleep, more and less urgent than the tasks' own: everybody comes on time.
 * -DHOST=TAKT_TASKS and the like.
 */
#define TAKT_TICK_US 1000
#include <takt/task.h>
#include <takt/time.h>

#include "check.h"

static volatile uint32_t urgent_runs, low_runs, triggered_runs, above_wakes, below_wakes;

TAKT_TASK(urgent, 0, 10000)
{
    urgent_runs++;
}

TAKT_EVENT_TASK(triggered, 1)
{
    triggered_runs++;
}

TAKT_TASK(low, 5, 40000)
{
    takt_time_t from = takt_now();
    low_runs++;
    while (takt_now() - from < 3000)
        ;
}

#ifdef BUDGET
TAKT_TASKS_VCPU(20000, 40000, STACK_BYTES);
#else
HOST(2, STACK_BYTES);
#endif

static void above(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sleep(7300);
        above_wakes++;
    }
}

static void below(void *arg)
{
    (void)arg;
    takt_time_t start = takt_now();
    while (takt_now() - start < 1000000) {
        takt_sleep(33000);
        below_wakes++;
        CHECK(takt_task_trigger(&takt_task_event_triggered) == TAKT_OK);
    }
    CHECK(urgent_runs >= 99 && urgent_runs <= 106);
    CHECK(low_runs >= 24 && low_runs <= 27);
    CHECK(above_wakes >= 120 && above_wakes <= 143);
    CHECK(below_wakes >= 26 && below_wakes <= 31);
    CHECK(triggered_runs == below_wakes);
    CHECK(takt_task_missed(&takt_task_urgent) == 0 && takt_task_missed(&takt_task_low) == 0);
    done = 1;
    for (;;)
        takt_sleep(100000);
}

TAKT_THREAD(above, 1, above, 0, STACK_BYTES)
TAKT_THREAD(below, 3, below, 0, STACK_BYTES)

int main(void)
{
    takt_start();
}
