/*
 * CAN frames, first in, first out, for one loop at a time.
 */
#ifndef TAKT_CAN_MSG_RING_BUFFER_H
#define TAKT_CAN_MSG_RING_BUFFER_H

#include "CanMsg.h"

class CanMsgRingbuffer
{
  public:
    static constexpr size_t RING_BUFFER_SIZE = 32;

    /* Lost if it is full. */
    void enqueue(const CanMsg &frame)
    {
        if (isFull())
            return;
        frames_[(first_ + count_) % RING_BUFFER_SIZE] = frame;
        count_ = count_ + 1;
    }
    /* The oldest; an empty frame if there is none. */
    CanMsg dequeue()
    {
        if (isEmpty())
            return CanMsg();
        CanMsg frame = frames_[first_];
        first_ = (first_ + 1) % RING_BUFFER_SIZE;
        count_ = count_ - 1;
        return frame;
    }
    size_t available() const { return count_; }
    bool isEmpty() const { return count_ == 0; }
    bool isFull() const { return count_ == RING_BUFFER_SIZE; }

  private:
    CanMsg frames_[RING_BUFFER_SIZE];
    volatile size_t first_ = 0, count_ = 0;
};

namespace arduino
{
using ::CanMsgRingbuffer;
} // namespace arduino

#endif
