/*
 * Eight threads with budgets that keep the dispatcher busy: some run all of theirs and wait for more,
 * some sleep, so that lists of replenishments are full.
 */
#include <takt/time.h>
#include <takt/vcpu.h>

volatile uint32_t turns[8];

static void busy(void *arg)
{
    for (;;)
        turns[(uintptr_t)arg]++;
}

static void sleepy(void *arg)
{
    static const uint16_t us[] = {0, 0, 2000, 0, 900, 7000, 11000, 0};
    for (;;) {
        turns[(uintptr_t)arg]++;
        takt_sleep(us[(uintptr_t)arg]);
        __asm__ volatile(".global napped\nnapped:");
    }
}

#define STACK 96

TAKT_BUDGET_THREAD(a, 1000, 19000, busy, (void *)0, STACK);
TAKT_BUDGET_THREAD(b, 1000, 20000, busy, (void *)1, STACK);
TAKT_BUDGET_THREAD(c, 1000, 30000, sleepy, (void *)2, STACK);
TAKT_BUDGET_THREAD(d, 1000, 40000, busy, (void *)3, STACK);
TAKT_BUDGET_THREAD(e, 3000, 50000, sleepy, (void *)4, STACK);
TAKT_BUDGET_THREAD(f, 2000, 60000, sleepy, (void *)5, STACK);
TAKT_BUDGET_THREAD(g, 1000, 70000, sleepy, (void *)6, STACK);
TAKT_BUDGET_THREAD(h, 5000, 100000, busy, (void *)7, STACK);

int main(void)
{
    takt_start();
}
