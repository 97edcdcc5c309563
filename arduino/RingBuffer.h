/*
 * Buffers for up to N items, first in, first out, for one loop at a time; loops that share one have
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

/* What those below have in common. */
template <typename T, int N> class Ring
{
  public:
    bool isFull() const { return count_ == N; }
    void clear() { first_ = count_ = 0; }

  protected:
    int count() const { return count_; }
    /* Lost if it is full. */
    void put(const T &item)
    {
        if (isFull())
            return;
        _aucBuffer[(first_ + count_) % N] = item;
        count_ = count_ + 1;
    }
    /* The oldest, of one at least; without it. */
    const T &oldest() const { return _aucBuffer[first_]; }
    void drop()
    {
        first_ = (first_ + 1) % N;
        count_ = count_ - 1;
    }

    T _aucBuffer[N] = {}; /* by the name under which libraries look into it */

  private:
    volatile int first_ = 0, count_ = 0;
};

template <int N> class RingBufferN : public Ring<uint8_t, N>
{
  public:
    /* Lost if it is full. */
    void store_char(uint8_t byte) { this->put(byte); }
    /* The oldest byte, taken or not; -1: there is none. */
    int read_char()
    {
        int byte = peek();
        if (byte >= 0)
            this->drop();
        return byte;
    }
    int peek() const { return this->count() == 0 ? -1 : this->oldest(); }

    int available() const { return this->count(); }
    int availableForStore() const { return N - this->count(); }

    using Ring<uint8_t, N>::_aucBuffer;
};

using RingBuffer = RingBufferN<SERIAL_BUFFER_SIZE>;

} // namespace arduino

#endif
