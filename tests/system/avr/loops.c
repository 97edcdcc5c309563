/*
 * Eight threads with budgets that keep the dispatcher busy: some run all of it and wait for more, some
 * sleep, so that lists of replenishments are full.
 */
#include <takt/time.h>
#include <takt/vcpu.h>

volatile uint32_t turns[8];

#define BUSY(n)                                                                                    \
    static void busy_##n(void *arg)                                                                \
    {                                                                                              \
        (void)arg;                                                                                 \
        for (;;)                                                                                   \
            turns[n]++;                                                                            \
    }

#define SLEEPY(n, us)                                                                              \
    static void sleepy_##n(void *arg)                                                              \
    {                                                                                              \
        (void)arg;                                                                                 \
        for (;;) {                                                                                 \
            turns[n]++;                                                                            \
            takt_sleep(us);                                                                        \
        }                                                                                          \
    }

BUSY(0)
BUSY(1)
SLEEPY(2, 2000)
BUSY(3)
SLEEPY(4, 900)
SLEEPY(5, 7000)
SLEEPY(6, 11000)
BUSY(7)

#define STACK 96

TAKT_BUDGET_THREAD(a, 1000, 19000, busy_0, NULL, STACK);
TAKT_BUDGET_THREAD(b, 1000, 20000, busy_1, NULL, STACK);
TAKT_BUDGET_THREAD(c, 1000, 30000, sleepy_2, NULL, STACK);
TAKT_BUDGET_THREAD(d, 1000, 40000, busy_3, NULL, STACK);
TAKT_BUDGET_THREAD(e, 3000, 50000, sleepy_4, NULL, STACK);
TAKT_BUDGET_THREAD(f, 2000, 60000, sleepy_5, NULL, STACK);
TAKT_BUDGET_THREAD(g, 1000, 70000, sleepy_6, NULL, STACK);
TAKT_BUDGET_THREAD(h, 5000, 100000, busy_7, NULL, STACK);

int main(void)
{
    takt_start();
}
