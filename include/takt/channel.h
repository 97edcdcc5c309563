/*
 * Four-slot channel (H. Simpson, "Four-slot fully asynchronous communication mechanism", IEE
 * Proc. 137E, 1990): one writer, one reader, neither ever waits, and a read gives the freshest
 * item whose write was complete when the read began, or a newer one, never a mixture.
 *
 *                 slot[0]            slot[1]        slot[p]: where pair p's newest item lies
 *     pair 0   [ item 0 ] [ item 1 ]                latest:  the pair written last
 *     pair 1   [ item 2 ] [ item 3 ]                reading: the pair the reader is in or was in
 *
 * The writer takes the pair the reader is not in, and there the item that is not the newest.
 *
 * Memory order. Simpson assumed that every CPU sees control variables change in program order.
 * Two store-load pairs need it, and so all four control variables are accessed seq_cst (which on
 * one core comes to compiler barriers and, on ARM, a DMB):
 *   reader: `reading` is stored before `slot` is loaded;
 *   writer: `slot` and `latest` are stored before, in its next write, `reading` is loaded.
 * The same accesses release the item before it is published and acquire it after it is chosen;
 * and the reader's next store to `reading` releases the item it has read, so the plain copies of
 * items race with nothing. tests/unit/arduino checks every interleaving.
 *
 * Two writers, or two readers, need a lock among themselves.
 */
#ifndef TAKT_CHANNEL_H
#define TAKT_CHANNEL_H

#include <string.h>

#include <takt/types.h>

/* Before each access to shared memory; test builds put a choice of interleaving here. */
#ifndef TAKT_CHANNEL_STEP
#define TAKT_CHANNEL_STEP() ((void)0)
#endif

/* The four control variables; all zero is a channel whose item 0 is the newest. */
struct takt_four_slot {
    uint8_t latest;  /* writer's */
    uint8_t slot[2]; /* writer's */
    uint8_t reading; /* reader's */
};

static inline uint8_t takt_four_slot_load_(const uint8_t *control)
{
    TAKT_CHANNEL_STEP();
    return __atomic_load_n(control, __ATOMIC_SEQ_CST);
}

static inline void takt_four_slot_store_(uint8_t *control, uint8_t value)
{
    TAKT_CHANNEL_STEP();
    __atomic_store_n(control, value, __ATOMIC_SEQ_CST);
}

/* Writer: the number (0..3) of the item it may overwrite now. */
static inline uint8_t takt_four_slot_begin_write(const struct takt_four_slot *c)
{
    uint8_t pair = !takt_four_slot_load_(&c->reading);
    return (uint8_t)(2 * pair + !c->slot[pair]); /* slot is the writer's own: a plain load */
}

/* Writer: item number `item`, from begin_write, is complete: publishes it. */
static inline void takt_four_slot_end_write(struct takt_four_slot *c, uint8_t item)
{
    uint8_t pair = (uint8_t)(item >> 1);
    takt_four_slot_store_(&c->slot[pair], item & 1u);
    takt_four_slot_store_(&c->latest, pair);
}

/* Reader: the number (0..3) of the item to read; it stays untouched until the next call. */
static inline uint8_t takt_four_slot_read(struct takt_four_slot *c)
{
    uint8_t pair = takt_four_slot_load_(&c->latest);
    takt_four_slot_store_(&c->reading, pair);
    return (uint8_t)(2 * pair + takt_four_slot_load_(&c->slot[pair]));
}

/* A channel for C: control and storage for four items of `size` bytes. */
struct takt_channel {
    struct takt_four_slot control;
    uint16_t size;
    char *items;
};

/* Defines channel `name` for items of `type`; reads give all-zero items until the first write. */
#define TAKT_CHANNEL(name, type)                                                                   \
    static type takt_items_##name[4];                                                              \
    struct takt_channel name = {{0, {0, 0}, 0}, sizeof(type), (char *)takt_items_##name}

/* Writes an item. The one writer, either context; never blocks; O(size). */
static inline void takt_channel_write(struct takt_channel *channel, const void *item)
{
    uint8_t n = takt_four_slot_begin_write(&channel->control);
    memcpy(channel->items + (size_t)n * channel->size, item, channel->size);
    takt_four_slot_end_write(&channel->control, n);
}

/* Reads the freshest item. The one reader, either context; never blocks; O(size). */
static inline void takt_channel_read(struct takt_channel *channel, void *item)
{
    uint8_t n = takt_four_slot_read(&channel->control);
    memcpy(item, channel->items + (size_t)n * channel->size, channel->size);
}

#endif
