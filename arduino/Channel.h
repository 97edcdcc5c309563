/*
 * Data between two loops, without waiting: Channel (the freshest value) and RingBuffer (every
 * value). One loop writes and one reads; either may also be an interrupt handler.
 */
#ifndef TAKT_CXX_CHANNEL_H
#define TAKT_CXX_CHANNEL_H

#include <type_traits>

#include <takt/channel.h>
#include <takt/ringbuf.h>

namespace takt
{

/* Four-slot channel: read() gives the item last written, or the first one, T{} unless said
 * otherwise. Neither side ever waits. See takt/channel.h. */
template <typename T> class Channel
{
  public:
    constexpr Channel() = default;
    constexpr explicit Channel(const T &first) : items_{first, first, first, first} {}
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;

    void write(const T &item)
    {
        uint8_t n = takt_four_slot_begin_write(&control_);
        items_[n] = item;
        takt_four_slot_end_write(&control_, n);
    }
    T read() { return items_[takt_four_slot_read(&control_)]; }

  private:
    static_assert(std::is_trivially_copyable<T>::value,
                  "Channel<T>: T must be plain data, without a constructor for copies");
    struct takt_four_slot control_ = {};
    T items_[4] = {};
};

/* First in, first out, up to N items. Neither side ever waits; false says full, or empty. */
template <typename T, uint16_t N> class RingBuffer
{
  public:
    constexpr RingBuffer() = default;
    RingBuffer(const RingBuffer &) = delete;
    RingBuffer &operator=(const RingBuffer &) = delete;

    bool write(const T &item)
    {
        int slot = takt_ring_begin_write(&ring_);
        if (slot < 0)
            return false;
        items_[slot] = item;
        takt_ring_end_write(&ring_);
        return true;
    }
    bool read(T &item)
    {
        int slot = takt_ring_begin_read(&ring_);
        if (slot < 0)
            return false;
        item = items_[slot];
        takt_ring_end_read(&ring_);
        return true;
    }
    uint16_t available() const { return takt_ring_count(&ring_); } /* items to read */
    uint16_t free() const { return static_cast<uint16_t>(N - available()); }
    static constexpr uint16_t capacity() { return N; }

  private:
    static_assert(N > 0 && N < TAKT_RING_SLOTS, "RingBuffer<T, N>: N must be 1..65534, 254 on AVR");
    struct takt_ring ring_ = {N + 1, 0, 0};
    T items_[N + 1] = {};
};

} // namespace takt

#endif
