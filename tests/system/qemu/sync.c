/*
 * A queue from an interrupt to a thread, another on to a slower one, flags set by both and by a
 * timer, a condition: nothing is lost or doubled, all that is waited for comes.
 */
#include <takt/cond.h>
#include <takt/flags.h>
#include <takt/isr.h>
#include <takt/queue.h>
#include <takt/time.h>
#include <takt/timer.h>

#include "check.h"
#include "noise.h"

#define ENOUGH 400u

struct item {
    uint32_t number, again;
};

enum { SIXTEEN = 1, TICKED = 2 }; /* flags */

TAKT_QUEUE(coming, struct item, 4);
TAKT_QUEUE(going, uint32_t, 2);
TAKT_TIMER_THREAD(timers, 500, 10000, STACK_BYTES);
static struct takt_flags flags = TAKT_FLAGS_INIT(0);
static struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
static struct takt_cond grown = TAKT_COND_INIT;
static uint32_t sent, kept;
volatile uint32_t refused, late, ticks, rounds;

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    noise_after((60 + sent * 37 % 81) * AVR_SLOWER * NOISE_MHZ + sent % NOISE_MHZ);
    struct item item = {sent, ~sent};
    if (takt_queue_put_isr(&coming, &item) == TAKT_OK)
        sent++;
    else
        refused++;
    takt_isr_exit(99);
}

static void tick(void *arg)
{
    ticks++;
    CHECK(takt_flags_set(arg, TICKED) == TAKT_OK);
}

static void taker_thread(void *arg)
{
    static struct takt_timer ticking = TAKT_TIMER_INIT(tick, &flags);
    struct item item;
    (void)arg;
    CHECK(takt_timer_start(&timers, &ticking, 1000, 3000 * AVR_SLOWER) == TAKT_OK);
    noise_open(NOISE_ORDINARY);
    noise_after(100 * NOISE_MHZ);
    for (uint32_t taken = 0;; taken++) {
        CHECK(takt_queue_get(&coming, &item) == TAKT_OK);
        CHECK(item.number == taken && item.again == ~taken);
        while (takt_queue_put_for(&going, &taken, 200 * AVR_SLOWER) == TAKT_ETIMEOUT)
            late++;
        if (taken % 16 == 15)
            CHECK(takt_flags_set(&flags, SIXTEEN) == TAKT_OK);
    }
}

static void keeper_thread(void *arg)
{
    uint32_t number;
    (void)arg;
    for (;;) {
        CHECK(takt_queue_get_for(&going, &number, 20000 * AVR_SLOWER) == TAKT_OK);
        if (number % 64 == 63)
            takt_sleep(900 * AVR_SLOWER); /* both queues fill */
        CHECK(takt_mutex_lock(&mutex) == TAKT_OK);
        CHECK(number == kept);
        kept++;
        CHECK(takt_cond_signal(&grown) == TAKT_OK);
        CHECK(takt_mutex_unlock(&mutex) == TAKT_OK);
    }
}

static void watcher_thread(void *arg)
{
    uint32_t got, before;
    (void)arg;
    for (;;) {
        CHECK(takt_flags_wait(&flags, SIXTEEN | TICKED, TAKT_FLAGS_ALL, &got) == TAKT_OK);
        CHECK(got == (SIXTEEN | TICKED));
        CHECK(takt_mutex_lock(&mutex) == TAKT_OK);
        for (before = kept; kept == before;)
            CHECK(takt_cond_wait_for(&grown, &mutex, 20000 * AVR_SLOWER) == TAKT_OK);
        CHECK(takt_cond_wait_for(&grown, &mutex, 1) != TAKT_EOWNER);
        CHECK(takt_mutex_unlock(&mutex) == TAKT_OK);
        rounds++;
        done = kept >= ENOUGH && rounds >= 8;
    }
}

TAKT_THREAD(taker, 1, taker_thread, NULL, STACK_BYTES)
TAKT_THREAD(keeper, 2, keeper_thread, NULL, STACK_BYTES)
TAKT_THREAD(watcher, 3, watcher_thread, NULL, STACK_BYTES)

int main(void)
{
    takt_start();
}
