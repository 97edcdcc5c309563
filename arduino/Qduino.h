/*
 * The names of Qduino (Cheng, Li, West, "Qduino: A Multithreaded Arduino System for Embedded
 * Computing", 2015, table II and listing 1) as thin aliases, for sketches written for it. Items are
 * longs, as in its listings. interruptsVcpu() and attachInterruptVcpu() are in interrupts.h. New
 * sketches use <Takt.h>.
 */
#ifndef TAKT_QDUINO_H
#define TAKT_QDUINO_H

#include "Takt.h"

/* Four-slot channels. There are QDUINO_CHANNELS of them; asking for more is a fatal error. */
constexpr int QDUINO_CHANNELS = 8;
typedef takt::Channel<long> *channel;
channel channelInit();
inline void channelWrite(channel c, long item)
{
    c->write(item);
}
inline long channelRead(channel c)
{
    return c->read();
}

/* Ring buffers, of up to QDUINO_RINGBUF longs. */
constexpr int QDUINO_RINGBUF = 64;
struct ringbuf {
    struct takt_ring ring;
    long items[QDUINO_RINGBUF + 1];
};
/* Empties the buffer and sets its size; false when that is not 1..QDUINO_RINGBUF. Before use. */
bool ringbufInit(ringbuf &buffer, int size);
/* true: done; false: full, or empty, or not initialised. */
bool ringbufWrite(ringbuf &buffer, long item);
bool ringbufRead(ringbuf &buffer, long &item);
inline bool ringbufInit(ringbuf *buffer, int size)
{
    return ringbufInit(*buffer, size);
}
inline bool ringbufWrite(ringbuf *buffer, long item)
{
    return ringbufWrite(*buffer, item);
}
inline bool ringbufRead(ringbuf *buffer, long *item)
{
    return ringbufRead(*buffer, *item);
}

/* Spinlocks. */
typedef struct takt_spinlock spinlock;
inline void spinlockInit(spinlock &lock)
{
    lock = TAKT_SPINLOCK_INIT;
}
inline void spinlockLock(spinlock &lock)
{
    takt_spinlock_lock(&lock);
}
inline void spinlockUnlock(spinlock &lock)
{
    takt_spinlock_unlock(&lock);
}
inline void spinlockInit(spinlock *lock)
{
    spinlockInit(*lock);
}
inline void spinlockLock(spinlock *lock)
{
    takt_spinlock_lock(lock);
}
inline void spinlockUnlock(spinlock *lock)
{
    takt_spinlock_unlock(lock);
}

/* Modes of pins that the Galileo connects to the processor directly, past its slow expander: the
 * board's pins_arduino.h says what they are here. */
#define FAST_INPUT  INPUT_FAST
#define FAST_OUTPUT OUTPUT_FAST
inline void fastDigitalWrite(uint8_t pin, uint8_t level)
{
    digitalWrite(pin, level);
}
inline int fastDigitalRead(uint8_t pin)
{
    return digitalRead(pin);
}

#endif
