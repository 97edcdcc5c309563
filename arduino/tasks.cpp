/*
 * The thread of a sketch's tasks without a budget, in the time that loops leave. Linked when the sketch
 * has tasks and no tasksVcpu().
 */
#include "tasks.h"

extern "C" {
extern char takt_stack_tasks[], takt_stack_tasks_end[];
extern const struct takt_thread takt_thread_tasks;
const struct takt_thread takt_thread_tasks __attribute__((used)) = {
    takt_tasks_thread, reinterpret_cast<void *>(TAKT_TICK_US), takt_stack_tasks,
    takt_stack_tasks_end, nullptr, "tasks"};
}
TAKT_REGISTER_(tasks, TAKT_ORDER_PRIORITY_(0), __COUNTER__)
