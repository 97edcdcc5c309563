/* The program of Figure 8 as three threads. */
#include <takt/thread.h>
#include <takt/time.h>
#include <util/delay.h>

static __attribute__((noinline)) void body_one(void)
{
    _delay_ms(1);
}

static __attribute__((noinline)) void body_two(void)
{
    _delay_ms(5);
}

static __attribute__((noinline)) void body_three(void)
{
    _delay_ms(25);
}

static inline __attribute__((always_inline)) void every(uint32_t us, void (*body)(void))
{
    takt_time_t next = 25000; /* after the start */
    for (;;) {
        takt_sleep_until(next);
        body();
        next += us;
    }
}

#ifdef TICK_US
static void tick(void *arg)
{
    (void)arg;
    for (takt_time_t next = 25000;; next += TICK_US)
        takt_sleep_until(next);
}

TAKT_THREAD(tick, 0, tick, 0, 160);
#endif

static void one(void *arg)
{
    (void)arg;
    every(25000, body_one);
}

static void two(void *arg)
{
    (void)arg;
    every(50000, body_two);
}

static void three(void *arg)
{
    (void)arg;
    every(100000, body_three);
}

TAKT_THREAD(one, 1, one, 0, 160);
TAKT_THREAD(two, 2, two, 0, 160);
TAKT_THREAD(three, 3, three, 0, 160);

int main(void)
{
    takt_start();
}
