/*
 * Blocking queues: items of one size, first in, first out, between threads and handlers, as many of
 * each as there are. Two semaphores count items and room; of several threads that wait for either
 * the most urgent is served first.
 *
 * An item is copied with interrupts off, so it has TAKT_QUEUE_ITEM_MOST bytes at most: of what is
 * larger, a queue holds pointers. For one writer and one reader that never wait: takt/ringbuf.h;
 * for the freshest value alone: takt/channel.h.
 */
#ifndef TAKT_QUEUE_H
#define TAKT_QUEUE_H

#include <takt/sem.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_QUEUE_ITEM_MOST 64

struct takt_queue {
    struct takt_sem items;
    struct takt_sem room;
    uint16_t size;  /* of an item, in bytes */
    uint16_t slots;
    uint16_t first; /* slot of the oldest item */
    uint16_t next;  /* slot of the next one to come */
    char *buffer;
};

#define TAKT_QUEUE_INIT(items_)                                                                    \
    {TAKT_SEM_INIT(0), TAKT_SEM_INIT(sizeof(items_) / sizeof(items_)[0]), sizeof(items_)[0],       \
     sizeof(items_) / sizeof(items_)[0], 0, 0, (char *)(items_)}

/* Defines an empty queue of `count` items of a type, 1..65534; with other counts, or larger items,
 * the size of the array is negative. */
#define TAKT_QUEUE(name, type, count)                                                              \
    static type takt_items_##name[(count) > 0 && (count) < 65535 &&                                \
                                          sizeof(type) <= TAKT_QUEUE_ITEM_MOST                     \
                                      ? (count)                                                    \
                                      : -1];                                                       \
    struct takt_queue name = TAKT_QUEUE_INIT(takt_items_##name)

/* Puts a copy of the item behind all others, and waits for room as long as it takes; switches at
 * once if a more urgent thread waits for an item. Thread context, no mutex held. TAKT_OK,
 * TAKT_ECONTEXT. NULL here and below as with semaphores. All in O(size). */
int takt_queue_put(struct takt_queue *queue, const void *item);

/* Takes the oldest item, waiting as long as it takes. As takt_queue_put(). */
int takt_queue_get(struct takt_queue *queue, void *item);

/* The same, but give up after `us`: TAKT_ETIMEOUT. 0 never waits: TAKT_EAGAIN, and a mutex may be
 * held. TAKT_EINVAL above TAKT_DURATION_MAX. */
int takt_queue_put_for(struct takt_queue *queue, const void *item, uint32_t us);
int takt_queue_get_for(struct takt_queue *queue, void *item, uint32_t us);

/* The same from an interrupt handler, which never waits: TAKT_EAGAIN. */
int takt_queue_put_isr(struct takt_queue *queue, const void *item);
int takt_queue_get_isr(struct takt_queue *queue, void *item);

/* How many items there are that no thread has been given. Either context. */
static inline uint16_t takt_queue_count(const struct takt_queue *queue)
{
    return queue->items.count;
}

#ifdef __cplusplus
}
#endif

#endif
