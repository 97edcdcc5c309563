/* The example of Figure 7: tasks of 10, 100 and 500 ms, every 250, 500 and 1000 ms. */
#define TAKT_TICK_US 250000
#define TAKT_TASK_BITS 8
#include <takt/task.h>
#include <util/delay.h>

TAKT_TASK(one, 1, 250000) { _delay_ms(10); }
TAKT_TASK(two, 2, 500000) { _delay_ms(100); }
TAKT_TASK(three, 3, 1000000) { _delay_ms(500); }

int main(void)
{
    takt_tasks_run();
}
