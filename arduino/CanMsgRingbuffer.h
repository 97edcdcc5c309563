/*
 * CAN frames, first in, first out, for one loop at a time.
 */
#ifndef TAKT_CAN_MSG_RING_BUFFER_H
#define TAKT_CAN_MSG_RING_BUFFER_H

#include "CanMsg.h"
#include "RingBuffer.h"

class CanMsgRingbuffer : public arduino::Ring<CanMsg, 32>
{
  public:
    static constexpr size_t RING_BUFFER_SIZE = 32;

    /* Lost if it is full. */
    void enqueue(const CanMsg &frame) { put(frame); }
    /* The oldest; an empty frame if there is none. */
    CanMsg dequeue()
    {
        if (isEmpty())
            return CanMsg();
        CanMsg frame = oldest();
        drop();
        return frame;
    }
    size_t available() const { return static_cast<size_t>(count()); }
    bool isEmpty() const { return count() == 0; }
};

namespace arduino
{
using ::CanMsgRingbuffer;
} // namespace arduino

#endif
