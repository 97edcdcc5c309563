/*
 * A mutex whose ceiling is the place of the least urgent thread, which holds it for long: threads above
 * the ceiling wake when they are due, with a budget in the program and without one.
 */
#include <takt/mutex.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"

#define SECTION_US 50000
#define LATE_US 2000 /* the slowest board's alarm and switches, several times over */

static struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
static struct takt_sem go = TAKT_SEM_INIT(0);
static volatile takt_time_t unlocked;
volatile uint32_t late_us;

static void above(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_wait(&go);
        takt_time_t asked = takt_now() + 1000;
        takt_sleep_until(asked);
        late_us = takt_now() - asked;
        CHECK(unlocked == 0);
        CHECK(late_us <= LATE_US);
    }
}

/* Wakes in the section, too, and wants the mutex. */
static void user(void *arg)
{
    (void)arg;
    takt_sleep(5000);
    CHECK(takt_mutex_lock(&mutex) == TAKT_OK);
    CHECK(unlocked != 0);
    CHECK(takt_mutex_unlock(&mutex) == TAKT_OK);
    done = 1;
    for (;;)
        takt_sleep(1000000);
}

static void holder(void *arg)
{
    (void)arg;
    mutex.ceiling = (uint8_t)(takt_self() - 1); /* that of `user` */
    takt_sleep(2000);
    takt_sem_signal(&go);
    CHECK(takt_mutex_lock(&mutex) == TAKT_OK);
    takt_time_t since = takt_now();
    while (takt_now() - since < SECTION_US) {
    }
    unlocked = takt_now();
    CHECK(takt_mutex_unlock(&mutex) == TAKT_OK);
    for (;;)
        takt_sleep(1000000);
}

#ifdef BUDGET
static void budgeted(void *arg)
{
    (void)arg;
    for (;;)
        takt_sleep(500000);
}

TAKT_BUDGET_THREAD(budgeted, 1000, 10000, budgeted, 0, STACK_BYTES);
#endif
TAKT_THREAD(above, 1, above, 0, STACK_BYTES);
TAKT_THREAD(user, 2, user, 0, STACK_BYTES);
TAKT_THREAD(holder, 3, holder, 0, STACK_BYTES);

int main(void)
{
    takt_start();
}
