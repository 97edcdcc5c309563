/*
 * A buffer of N bytes, first in, first out, for one loop at a time; loops that share one have
 * takt::RingBuffer (Channel.h).
 */
#ifndef TAKT_RING_BUFFER_N_H
#define TAKT_RING_BUFFER_N_H

#include <stdint.h>

#ifndef SERIAL_BUFFER_SIZE
#define SERIAL_BUFFER_SIZE 64
#endif

namespace arduino
{

template <int N> class RingBufferN
{
  public:
    /* Lost if it is full. */
    void store_char(uint8_t byte)
    {
        if (isFull())
            return;
        _aucBuffer[(first_ + count_) % N] = byte;
        count_ = count_ + 1;
    }
    /* The oldest byte, taken or not; -1: there is none. */
    int read_char()
    {
        int byte = peek();
        if (byte >= 0) {
            first_ = (first_ + 1) % N;
            count_ = count_ - 1;
        }
        return byte;
    }
    int peek() const { return count_ == 0 ? -1 : _aucBuffer[first_]; }

    void clear() { first_ = count_ = 0; }
    int available() const { return count_; }
    int availableForStore() const { return N - count_; }
    bool isFull() const { return count_ == N; }

    uint8_t _aucBuffer[N] = {}; /* libraries look into it */

  private:
    volatile int first_ = 0, count_ = 0;
};

using RingBuffer = RingBufferN<SERIAL_BUFFER_SIZE>;

} // namespace arduino

#endif
