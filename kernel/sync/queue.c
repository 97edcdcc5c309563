/*
 * Blocking queues (include/takt/queue.h). A thread has an item, or room, once it has a unit of the
 * semaphore that counts them; which item or slot that is, the order in which they copy decides.
 *
 * Invariant: units of `items` given and not yet used up, and its count, are the slots from `first`
 * to before `next` together; the others are `room`'s.
 */
#include "core/cpu.h"

#include <string.h>
#include <takt/queue.h>

static uint16_t behind(const struct takt_queue *queue, uint16_t slot)
{
    return (uint16_t)(slot + 1u) < queue->slots ? (uint16_t)(slot + 1u) : 0;
}

/* What is counted is there, and not twice. Interrupts off. */
static bool is_sound(const struct takt_queue *queue)
{
    return (uint32_t)queue->items.count + queue->room.count <= queue->slots &&
           queue->first < queue->slots && queue->next < queue->slots;
}

static void copy_in(struct takt_queue *queue, const void *item)
{
    port_irq_t irq = port_irq_save();
    memcpy(queue->buffer + (size_t)queue->next * queue->size, item, queue->size);
    queue->next = behind(queue, queue->next);
    if (TAKT_CHECKS)
        TAKT_ASSERT(is_sound(queue));
    port_irq_restore(irq);
}

static void copy_out(struct takt_queue *queue, void *item)
{
    port_irq_t irq = port_irq_save();
    memcpy(item, queue->buffer + (size_t)queue->first * queue->size, queue->size);
    queue->first = behind(queue, queue->first);
    if (TAKT_CHECKS)
        TAKT_ASSERT(is_sound(queue));
    port_irq_restore(irq);
}

int takt_queue_put(struct takt_queue *queue, const void *item)
{
    int result = takt_is_null(queue) ? TAKT_EINVAL : takt_sem_wait(&queue->room);
    if (result == TAKT_OK) {
        copy_in(queue, item);
        result = takt_sem_signal(&queue->items);
    }
    return result;
}

int takt_queue_get(struct takt_queue *queue, void *item)
{
    int result = takt_is_null(queue) ? TAKT_EINVAL : takt_sem_wait(&queue->items);
    if (result == TAKT_OK) {
        copy_out(queue, item);
        result = takt_sem_signal(&queue->room);
    }
    return result;
}

#if TAKT_HAS_TIME

int takt_queue_put_for(struct takt_queue *queue, const void *item, uint32_t us)
{
    int result = takt_is_null(queue) ? TAKT_EINVAL : takt_sem_wait_for(&queue->room, us);
    if (result == TAKT_OK) {
        copy_in(queue, item);
        result = takt_sem_signal(&queue->items);
    }
    return result;
}

int takt_queue_get_for(struct takt_queue *queue, void *item, uint32_t us)
{
    int result = takt_is_null(queue) ? TAKT_EINVAL : takt_sem_wait_for(&queue->items, us);
    if (result == TAKT_OK) {
        copy_out(queue, item);
        result = takt_sem_signal(&queue->room);
    }
    return result;
}

#endif

#if TAKT_HAS_PREEMPTION

int takt_queue_put_isr(struct takt_queue *queue, const void *item)
{
    int result = takt_is_null(queue) ? TAKT_EINVAL : takt_sem_try(&queue->room);
    if (result == TAKT_OK) {
        copy_in(queue, item);
        result = takt_sem_signal_isr(&queue->items);
    }
    return result;
}

int takt_queue_get_isr(struct takt_queue *queue, void *item)
{
    int result = takt_is_null(queue) ? TAKT_EINVAL : takt_sem_try(&queue->items);
    if (result == TAKT_OK) {
        copy_out(queue, item);
        result = takt_sem_signal_isr(&queue->room);
    }
    return result;
}

#endif
