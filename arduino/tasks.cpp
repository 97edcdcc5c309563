/*
 * The thread of a sketch's tasks without a budget, in the time that loops leave. Linked when the
 * sketch has tasks and no tasksVcpu().
 */
#include "tasks.h"

extern "C" {
extern char takt_stack_tasks[], takt_stack_tasks_end[];
}
TAKT_NAME_(tasks, "tasks");
TAKT_DESCRIPTOR_(tasks) = {takt_tasks_thread,
                           reinterpret_cast<void *>(TAKT_TICK_US),
                           takt_stack_tasks,
                           takt_stack_tasks_end,
                           nullptr,
                           takt_name_tasks};
TAKT_REGISTER_(tasks, TAKT_ORDER_PRIORITY_(0), __COUNTER__)
