/*
 * Byte ring of the serial driver. Positions count bytes for ever and are reduced on use, so
 * head - tail is the number held and all cells are usable.
 *
 *      tail            head
 *   ----[x][x][x][x][x][ ][ ]----
 *
 * Put and take are called with interrupts off or by the only one that puts or takes. Several CPUs:
 * a byte is stored before its position, and loaded behind it; the other way round for cells that
 * are free.
 */
#ifndef TAKT_UART_RING_H
#define TAKT_UART_RING_H

#include <stddef.h>
#include <stdint.h>
#include <takt/config.h>

/* A position, which is read and written in one piece. */
#if UINTPTR_MAX > 0xFFFFu
typedef uint16_t ring_at_t;
#else
typedef uint8_t ring_at_t; /* sizes up to 128 */
#endif

struct byte_ring {
    uint8_t *cell;
    ring_at_t mask; /* size - 1; the size is a power of two */
    volatile ring_at_t head, tail;
};

#define BYTE_RING(array)                                                                           \
    {                                                                                              \
        (array), sizeof(array) - 1u, 0, 0                                                          \
    }

static inline void ring_fence(void)
{
    if (PORT_CPUS > 1)
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

static inline ring_at_t ring_held(const struct byte_ring *ring)
{
    ring_at_t held = (ring_at_t)(ring->head - ring->tail);
    ring_fence();
    return held;
}

static inline ring_at_t ring_free(const struct byte_ring *ring)
{
    return (ring_at_t)(ring->mask + 1u - ring_held(ring));
}

static inline void ring_put(struct byte_ring *ring, uint8_t byte)
{
    ring->cell[ring->head & ring->mask] = byte;
    ring_fence();
    ring->head = (ring_at_t)(ring->head + 1u);
}

/* Puts up to n bytes, as many as fit; returns how many. */
static inline size_t ring_put_some(struct byte_ring *ring, const uint8_t *data, size_t n)
{
    uint8_t *cell = ring->cell;
    unsigned mask = ring->mask, head = ring->head, room = ring_free(ring);
    if (n > room)
        n = room;
    for (const uint8_t *end = data + n; data != end;)
        cell[head++ & mask] = *data++;
    ring_fence();
    ring->head = (ring_at_t)head;
    return n;
}

static inline uint8_t ring_first(const struct byte_ring *ring)
{
    return ring->cell[ring->tail & ring->mask];
}

static inline uint8_t ring_take(struct byte_ring *ring)
{
    uint8_t byte = ring_first(ring);
    ring_fence();
    ring->tail = (ring_at_t)(ring->tail + 1u);
    return byte;
}

#endif
