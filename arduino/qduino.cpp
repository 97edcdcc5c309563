/*
 * Qduino's channels and ring buffers; see Qduino.h.
 */
#include "Qduino.h"

#include <takt/port.h>

channel channelInit()
{
    static takt::Channel<long> channels[QDUINO_CHANNELS];
    static int used;
    port_irq_t irq = port_irq_save();
    int n = used < QDUINO_CHANNELS ? used++ : -1;
    port_irq_restore(irq);
    if (n < 0)
        takt_fatal(TAKT_FATAL_ASSERT, takt_self(), "channelInit: there are 8 channels only");
    return &channels[n];
}

bool ringbufInit(ringbuf &buffer, int size)
{
    bool fits = size >= 1 && size <= QDUINO_RINGBUF;
    buffer.ring = {static_cast<takt_slot_t>(fits ? size + 1 : 0), 0, 0};
    return fits;
}

bool ringbufWrite(ringbuf &buffer, long item)
{
    int slot = buffer.ring.slots ? takt_ring_begin_write(&buffer.ring) : TAKT_EOVERFLOW;
    if (slot < 0)
        return false;
    buffer.items[slot] = item;
    takt_ring_end_write(&buffer.ring);
    return true;
}

bool ringbufRead(ringbuf &buffer, long &item)
{
    int slot = buffer.ring.slots ? takt_ring_begin_read(&buffer.ring) : TAKT_EAGAIN;
    if (slot < 0)
        return false;
    item = buffer.items[slot];
    takt_ring_end_read(&buffer.ring);
    return true;
}
