/* The same three machines, called in turn by hand. */
#define TAKT_TICK_US 20000
#include <takt/task.h>

#include "../machines.h"

struct machine {
    int (*tick)(int state);
    int state;
};

static struct machine machines[] = {{button, -1}, {stairs, -1}, {pilot, -1}};
#define MACHINES (sizeof machines / sizeof machines[0])

TAKT_TASK(round, 0, 200000)
{
    for (uint8_t n = 0; n < MACHINES; n++)
        machines[n].state = machines[n].tick(machines[n].state);
}

int main(void)
{
    pins();
    takt_tasks_run();
}
