/* Three state machines, three tasks. */
#define TAKT_TICK_US 20000
#include <takt/task.h>

#include "../machines.h"

TAKT_STATE_TASK(button, 0, 200000)
{
    return button(state);
}

TAKT_STATE_TASK(stairs, 1, 200000)
{
    return stairs(state);
}

TAKT_STATE_TASK(pilot, 2, 200000)
{
    return pilot(state);
}

int main(void)
{
    pins();
    takt_tasks_run();
}
