// An adapter and the host's end of its cable.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // C has functions named like structures
extern "C" {
#include "usbcan.h"
}
#pragma GCC diagnostic pop

using Bytes = std::vector<uint8_t>;

constexpr uint64_t US = 1000, MS = 1000 * US, S = 1000 * MS;

inline uint32_t u16(const Bytes &b, size_t at)
{
    return static_cast<uint32_t>(b[at] | b[at + 1] << 8);
}

inline uint32_t u32(const Bytes &b, size_t at)
{
    return u16(b, at) | u16(b, at + 2) << 16;
}

inline void append32(Bytes &b, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        b.push_back(static_cast<uint8_t>(value >> 8 * i));
}

inline void append(Bytes &b, const Bytes &more)
{
    for (uint8_t byte : more)
        b.push_back(byte);
}

class Adapter {
  public:
    explicit Adapter(const usbcan_settings &settings) : memory_(usbcan_size() / 8 + 1)
    {
        device = reinterpret_cast<usbcan *>(memory_.data());
        EXPECT_EQ(usbcan_init(device, &settings), 0);
        in_ = settings.kind == USBCAN_HYDRA ? 0x82 : 0x81;
    }

    static usbcan_settings defaults(uint32_t kind)
    {
        usbcan_settings s{};
        EXPECT_EQ(usbcan_defaults(&s, kind), 0);
        return s;
    }

    int control(const Bytes &setup, const Bytes &data = {})
    {
        Bytes room = data;
        room.resize(256);
        uint32_t size = u16(setup, 6);
        int done = usbcan_control(device, now, setup.data(), room.data(), size);
        answered.assign(room.begin(), room.begin() + (done > 0 ? done : 0));
        return done;
    }

    int configure() { return control({0x00, 9, 1, 0, 0, 0, 0, 0}); }

    int read(uint32_t size = 4096)
    {
        answered.resize(size);
        int done = usbcan_in(device, now, in_, answered.data(), size);
        answered.resize(done > 0 ? static_cast<size_t>(done) : 0);
        return done;
    }

    int write(const Bytes &data)
    {
        return usbcan_out(device, now, 0x02, data.data(), static_cast<uint32_t>(data.size()));
    }

    struct usbcan_counters counters() const
    {
        struct usbcan_counters n{};
        usbcan_counters(device, &n);
        return n;
    }

    usbcan_channel_counters channel(uint32_t number) const
    {
        usbcan_channel_counters n{};
        EXPECT_EQ(usbcan_channel(device, number, &n), 0);
        return n;
    }

    void fault(uint32_t kind, uint64_t argument = 0, uint32_t count = 1, uint64_t ns = 0)
    {
        struct usbcan_fault f{ns, kind, count, argument};
        EXPECT_EQ(usbcan_fault(device, &f), 0);
    }

    usbcan *device;
    uint64_t now = 0;
    Bytes answered;

  private:
    std::vector<uint64_t> memory_;
    uint32_t in_;
};

// What usbcan.h promises of the counters; `held` of the channel's frames are still in the buffer.
inline void expect_accounted(const Adapter &a, uint32_t channels)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < channels; i++) {
        auto n = a.channel(i);
        ASSERT_EQ(n.on_bus, n.heard + n.unheard + n.damaged) << "channel " << i;
        ASSERT_EQ(n.heard, n.stored + n.dropped) << "channel " << i;
        ASSERT_GE(n.stored, n.delivered + n.overwritten + n.flushed) << "channel " << i;
        ASSERT_EQ(n.asked, n.sent + n.unsent + n.queued) << "channel " << i;
        held += n.stored - n.delivered - n.overwritten - n.flushed;
    }
    auto n = a.counters();
    ASSERT_LE(n.held_bytes, n.peak_bytes);
    ASSERT_EQ(held == 0, n.held_bytes == 0);
    ASSERT_LE(n.flagged, n.overruns);
}
