/*
 * Which thread has a bus, and which wait for it. The driver's interrupt handler hands the bus from
 * one request to the next, so that no thread is needed for it: neither one that has used its budget
 * up nor a less urgent one can keep the bus once its request is over.
 *
 *   threads --- bus_enter_locked() ---> waiting, most urgent first ---> current --- done
 *
 * A request lies on the stack of the thread that waits for it.
 */
#ifndef TAKT_BUS_QUEUE_H
#define TAKT_BUS_QUEUE_H

#include <takt/sem.h>

struct bus_request {
    struct bus_request *next;
    struct takt_sem wake; /* given when the request is over, or when its turn has come */
    uint8_t place;        /* of the thread */
    volatile bool over;
    int result;
};

struct bus_queue {
    struct bus_request *current; /* has the bus */
    struct bus_request *waiting; /* most urgent first, equals cannot be */
};

/* May the caller wait for a bus? Either context. */
bool bus_may_wait(void);

/* The calling thread's request gets the bus (true) or waits for it. Interrupts off, O(waiting). */
bool bus_enter_locked(struct bus_queue *queue, struct bus_request *request);

/* The current request is over; the most urgent of those that wait gets the bus. Wakes the thread.
 * Interrupt context. */
void bus_leave_isr(struct bus_queue *queue, int result);

#endif
