/*
 * Ring buffer: first in, first out, one writer and one reader, neither ever waits; what does not
 * fit is refused, nothing is overwritten.
 *
 *      tail          head            items  tail..head-1 are the reader's,
 *       v             v              items  head..tail-1 the writer's,
 *     [ # # # # # # # . . . . ]      and one slot always stays empty to tell full from empty.
 *
 * Memory order: an item is stored before `head` is released, and loaded after `head` is acquired;
 * it is loaded before `tail` is released, and overwritten after `tail` is acquired. Each side
 * loads its own index relaxed. No store-load order is needed.
 *
 * Two writers, or two readers, need a lock among themselves.
 */
#ifndef TAKT_RINGBUF_H
#define TAKT_RINGBUF_H

#include <string.h>

#include <takt/types.h>

/* An index is read and written at once: on an 8-bit core it is a byte. */
#if __SIZEOF_INT__ == 2
typedef uint8_t takt_slot_t;
#define TAKT_RING_SLOTS 255u
#else
typedef uint16_t takt_slot_t;
#define TAKT_RING_SLOTS 65535u
#endif

/* Indices of a ring of `slots` slots, which holds up to slots - 1 items. */
struct takt_ring {
    takt_slot_t slots;
    takt_slot_t head; /* writer's: next slot to fill */
    takt_slot_t tail; /* reader's: next slot to empty */
};

static inline takt_slot_t takt_ring_after_(const struct takt_ring *ring, takt_slot_t slot)
{
    return (takt_slot_t)(slot + 1u == ring->slots ? 0u : slot + 1u);
}

/* Writer: the slot to fill next, or TAKT_EOVERFLOW when the ring is full. */
static inline int takt_ring_begin_write(const struct takt_ring *ring)
{
    takt_slot_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
    bool full = takt_ring_after_(ring, head) == __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    return full ? (int)TAKT_EOVERFLOW : (int)head;
}

/* Writer: the slot from begin_write holds its item. */
static inline void takt_ring_end_write(struct takt_ring *ring)
{
    takt_slot_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->head, takt_ring_after_(ring, head), __ATOMIC_RELEASE);
}

/* Reader: the slot to empty next, or TAKT_EAGAIN when the ring is empty. */
static inline int takt_ring_begin_read(const struct takt_ring *ring)
{
    takt_slot_t tail = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
    bool empty = tail == __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
    return empty ? (int)TAKT_EAGAIN : (int)tail;
}

/* Reader: the item in the slot from begin_read has been copied out. */
static inline void takt_ring_end_read(struct takt_ring *ring)
{
    takt_slot_t tail = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->tail, takt_ring_after_(ring, tail), __ATOMIC_RELEASE);
}

/* Items held; exact for the caller's own side, a snapshot otherwise. */
static inline takt_slot_t takt_ring_count(const struct takt_ring *ring)
{
    takt_slot_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
    takt_slot_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    return (takt_slot_t)(head >= tail ? head - tail : head + ring->slots - tail);
}

/* A ring buffer for C: indices and storage for items of `size` bytes. */
struct takt_ringbuf {
    struct takt_ring ring;
    uint16_t size;
    char *items;
};

/* Defines ring buffer `name` for up to `capacity` (1..65534, AVR 254) items of `type`. More are
 * refused by the compiler. */
#define TAKT_RINGBUF(name, type, capacity)                                                         \
    static type takt_items_##name[(capacity) + 1];                                                 \
    struct takt_ringbuf name = {{(capacity) + 1, 0, 0}, sizeof(type), (char *)takt_items_##name}

/* Appends an item. The one writer, either context; never blocks. TAKT_OK or TAKT_EOVERFLOW. */
static inline int takt_ringbuf_write(struct takt_ringbuf *buffer, const void *item)
{
    int slot = takt_ring_begin_write(&buffer->ring);
    if (slot < 0)
        return slot;
    memcpy(buffer->items + (size_t)slot * buffer->size, item, buffer->size);
    takt_ring_end_write(&buffer->ring);
    return TAKT_OK;
}

/* Takes the oldest item. The one reader, either context; never blocks. TAKT_OK or TAKT_EAGAIN. */
static inline int takt_ringbuf_read(struct takt_ringbuf *buffer, void *item)
{
    int slot = takt_ring_begin_read(&buffer->ring);
    if (slot < 0)
        return slot;
    memcpy(item, buffer->items + (size_t)slot * buffer->size, buffer->size);
    takt_ring_end_read(&buffer->ring);
    return TAKT_OK;
}

#endif
