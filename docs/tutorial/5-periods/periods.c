/* The machines, each as often as it needs, beside a long calculation. */
#define TAKT_TICK_US 20000
#include <takt/task.h>
#include <takt/thread.h>

#include "../machines.h"

#define WORK 11 /* high while it lasts */

static unsigned found;

TAKT_STATE_TASK(button, 0, 20000)
{
    return button(state);
}

TAKT_STATE_TASK(stairs, 1, 200000)
{
    return stairs(state);
}

TAKT_STATE_TASK(pilot, 2, 500000)
{
    return pilot(state);
}

/* How many primes are below 500? It stands for whatever takes long. */
TAKT_TASK(primes, 3, 1000000)
{
    unsigned n, d;
    takt_gpio_write(WORK, true);
    for (found = 0, n = 2; n < 500; n++) {
        for (d = 2; n % d; d++)
            ;
        found += d == n;
    }
    takt_gpio_write(WORK, false);
}

TAKT_TASKS(0, 400); /* the thread that runs them, and its stack */

int main(void)
{
    pins();
    takt_gpio_mode(WORK, TAKT_GPIO_OUTPUT);
    takt_start();
}
