/*
 * A task is triggered while a less urgent one holds a mutex, or is in a whole call: it runs a tick
 * after that at the latest, although nothing else is released for a long time. -DHOST=TAKT_TASKS,
 * or -DBUDGET.
 */
#define TAKT_TICK_US 1000
#include <takt/job.h>
#include <takt/mutex.h>
#include <takt/task.h>
#include <takt/time.h>

#include "check.h"

static struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
static volatile uint32_t events;

TAKT_EVENT_TASK(event, 1)
{
    events++;
}

static void compute(uint32_t us)
{
    for (takt_time_t from = takt_now(); takt_now() - from < us;)
        ;
}

TAKT_TASK(low, 5, 10000000)
{
    CHECK(takt_mutex_lock(&mutex) == TAKT_OK);
    CHECK(takt_task_trigger(&takt_task_event_event) == TAKT_OK);
    compute(100);
    CHECK(events == 0);
    CHECK(takt_mutex_unlock(&mutex) == TAKT_OK);
    compute(3000);
    CHECK(events == 1);
    takt_begin_whole_call();
    CHECK(takt_task_trigger(&takt_task_event_event) == TAKT_OK);
    compute(100);
    CHECK(events == 1);
    takt_end_whole_call();
    compute(3000);
    CHECK(events == 2);
    done = 1;
}

#ifdef BUDGET
TAKT_TASKS_VCPU(20000, 40000, STACK_BYTES + 64);
#else
HOST(2, STACK_BYTES + 64);
#endif

int main(void)
{
    takt_start();
}
