/*
 * Tasks that are triggered. A trigger is counted beside its task and makes it wait to be started;
 * the task takes triggers until there are none. So none is lost, and one that comes while the task
 * runs is served by the same job. Counting ticks releases such a task, too, once in
 * TAKT_TASK_PERIOD_MAX, and where the linker composes the pass at the start: then it finds nothing
 * to take.
 */
#include "task.h"

bool takt_task_take_(struct takt_task_event *event)
{
    port_irq_t irq = port_irq_save();
    bool any = event->waiting > 0;
    event->waiting = (uint8_t)(event->waiting - any);
    port_irq_restore(irq);
    return any;
}

/* Counts it; the caller has to look then. */
static int note(struct takt_task_event *event)
{
    int result = TAKT_EOVERFLOW;
    port_irq_t irq = port_irq_save();
    if (event->waiting < UINT8_MAX) {
        event->waiting++;
        if (event->task->left >= 0)
            event->task->left = -1;
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}

int takt_task_trigger(struct takt_task_event *event)
{
    int result = note(event);
    if (result == TAKT_OK)
        takt_task_look();
    return result;
}

int takt_task_trigger_isr(struct takt_task_event *event)
{
    int result = note(event);
    if (result == TAKT_OK)
        takt_task_look_isr();
    return result;
}

takt_task_count_t takt_task_missed(const struct takt_task *task)
{
    port_irq_t irq = port_irq_save();
    takt_task_count_t missed = task->missed;
    port_irq_restore(irq);
    return missed;
}
