/*
 * A lock that is held while sleeping: one holder at a time, the most urgent thread that waits is
 * next, and while the holder is awake no thread of medium urgency runs.
 */
#include <takt/lock.h>
#include <takt/time.h>

#include "check.h"

static struct takt_lock lock = TAKT_LOCK_INIT(0);
static volatile bool held, works; /* works: the least urgent thread, awake and holding it */
volatile uint32_t contended, rounds, turns;

static void high_thread(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sleep((1500 + contended * 37 % 500 + turns % 600) * AVR_SLOWER); /* at any time */
        if (takt_lock_take_for(&lock, 50 * AVR_SLOWER) == TAKT_ETIMEOUT) {
            contended++;
            CHECK(takt_lock_take(&lock) == TAKT_OK);
        }
        CHECK(!held);
        held = true;
        takt_sleep(100 * AVR_SLOWER);
        held = false;
        CHECK(takt_lock_give(&lock) == TAKT_OK);
    }
}

static void medium_thread(void *arg)
{
    (void)arg;
    for (;;) {
        for (uint32_t i = 0; i < 40; i++, turns++)
            CHECK(!works);
        takt_sleep(130 * AVR_SLOWER);
    }
}

static void low_thread(void *arg)
{
    (void)arg;
    for (;;) {
        CHECK(takt_lock_take(&lock) == TAKT_OK);
        CHECK(!held);
        held = works = true;
        for (volatile int i = 0; i < 200; i++)
            ;
        works = false; /* the ceiling goes down */
        takt_sleep(700 * AVR_SLOWER);
        works = true;
        for (volatile int i = 0; i < 200; i++)
            ;
        held = works = false;
        CHECK(takt_lock_give(&lock) == TAKT_OK);
        rounds++;
        done = rounds >= 100 && contended >= 10;
    }
}

TAKT_THREAD(high, 1, high_thread, NULL, STACK_BYTES)
TAKT_THREAD(medium, 2, medium_thread, NULL, STACK_BYTES)
TAKT_THREAD(low, 3, low_thread, NULL, STACK_BYTES)

int main(void)
{
    takt_start();
}
