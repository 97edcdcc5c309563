/*
 * See queue.h. The list is changed with interrupts off by threads, and by the one interrupt handler
 * of its bus, which no other user of the list can interrupt.
 */
#include "queue.h"

#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/thread.h>

bool bus_may_wait(void)
{
    return !port_in_isr() && takt_self() != TAKT_NOBODY && !takt_mutex_held();
}

bool bus_enter_locked(struct bus_queue *queue, struct bus_request *request)
{
    request->wake = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    request->place = takt_self();
    request->over = false;
    request->next = NULL;
    if (queue->current == NULL) {
        queue->current = request;
        return true;
    }
    struct bus_request **at = &queue->waiting;
    while (*at != NULL && (*at)->place < request->place)
        at = &(*at)->next;
    request->next = *at;
    *at = request;
    return false;
}

void bus_leave_isr(struct bus_queue *queue, int result)
{
    struct bus_request *request = queue->current;
    queue->current = queue->waiting;
    if (queue->waiting != NULL)
        queue->waiting = queue->waiting->next;
    request->result = result;
    request->over = true;
    (void)takt_sem_signal_isr(&request->wake);
}
