/*
 * Periodic jobs: one that is in time, one that never ends, one that is to be terminated while it holds a
 * mutex, and who judges them.
 */
#include <takt/mutex.h>
#include <takt/periodic.h>
#include <takt/time.h>

#include "check.h"

enum { STEADY, WILD, SECTION };

static volatile uint32_t steady_jobs, wild_jobs, wild_rounds, sections, unlocked, beyond;
static volatile takt_time_t last, longest, shortest = 0xFFFFFFFFu;
static struct takt_periodic nobody = TAKT_PERIODIC_INIT(1000, 10000, TAKT_SKIP);
static struct takt_mutex mutex = TAKT_MUTEX_INIT(SECTION);

static void steady(void)
{
    takt_time_t now = takt_now();
    if (steady_jobs++ > 0) {
        longest = now - last > longest ? now - last : longest;
        shortest = now - last < shortest ? now - last : shortest;
    }
    last = now;
}

static void wild(void)
{
    wild_jobs++;
    for (;;)
        wild_rounds++;
}

static void section(void)
{
    takt_time_t start = takt_now();
    sections++;
    CHECK(takt_mutex_lock(&mutex) == TAKT_OK);
    while (takt_now() - start < 33000)
        ;
    unlocked++;
    CHECK(takt_mutex_unlock(&mutex) == TAKT_OK);
    beyond++;
}

TAKT_PERIODIC(steady, 1000, 10000, TAKT_TERMINATE, steady, STACK_BYTES);
TAKT_PERIODIC(wild, 2000, 20000, TAKT_TERMINATE, wild, STACK_BYTES);
TAKT_PERIODIC(section, 12000, 30000, TAKT_TERMINATE, section, STACK_BYTES);

/* In so many periods there were so many, or a few less or more. */
static int about(uint32_t jobs, uint32_t us, uint32_t period)
{
    return jobs + 2 >= us / period && jobs <= us / period + 2;
}

static void judge(void *arg)
{
    const struct takt_periodic *s = &takt_periodic_of_steady, *w = &takt_periodic_of_wild;
    (void)arg;
    takt_time_t start = takt_now();
    takt_sleep(600000);
    uint32_t us = takt_now() - start;
    CHECK(about(steady_jobs, us, 10000));
    CHECK(s->releases - steady_jobs <= 1);
    CHECK(s->late == 0 && s->overruns == 0 && s->response_max < 10000);
    CHECK(longest < 11000 && shortest > 9000);
    CHECK(about(wild_jobs, us, 20000) && wild_rounds > 100);
    CHECK(w->terminated + 1u == wild_jobs && w->overruns == w->terminated && w->late == 0);
    CHECK(unlocked >= 3 && sections - unlocked <= 1 && beyond == 0);
    CHECK(unlocked - takt_periodic_of_section.terminated <= 1);
    CHECK(takt_periodic_register(&takt_periodic_of_steady) == TAKT_EINVAL);
    CHECK(takt_periodic_register(&nobody) == TAKT_EINVAL);
    CHECK(takt_periodic_unregister(&nobody) == TAKT_EINVAL);
    CHECK(takt_periodic_unregister(&takt_periodic_of_steady) == TAKT_OK);
    uint32_t then = steady_jobs;
    takt_sleep(50000);
    CHECK(steady_jobs == then);
    start = takt_now();
    CHECK(takt_periodic_register(&takt_periodic_of_steady) == TAKT_OK);
    takt_sleep(100000);
    CHECK(about(steady_jobs - then, takt_now() - start, 10000));
    done = 1;
    for (;;)
        takt_sleep(100000);
}

TAKT_BUDGET_THREAD(judge, 5000, 100000, judge, 0, STACK_BYTES);

int main(void)
{
    takt_start();
}
