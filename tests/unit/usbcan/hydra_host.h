// The host's side of Kvaser's commands.
#pragma once

#include "adapter.h"

class Hydra : public Adapter {
  public:
    explicit Hydra(usbcan_settings s = defaults(USBCAN_HYDRA)) : Adapter(s)
    {
        EXPECT_EQ(configure(), 0);
    }

    static Bytes command(uint8_t number, uint8_t to, uint16_t transid = 1, Bytes payload = {})
    {
        Bytes c{number, to, static_cast<uint8_t>(transid), static_cast<uint8_t>(transid >> 8)};
        append(c, payload);
        c.resize(32);
        return c;
    }

    // Sends a command; the first answer of that number, all others dropped; empty: none came.
    Bytes ask(const Bytes &c, uint8_t answer)
    {
        EXPECT_EQ(write(c), static_cast<int>(c.size()));
        for (const Bytes &m : messages())
            if (m[0] == answer)
                return m;
        return {};
    }

    std::vector<Bytes> messages(uint32_t size = 4096)
    {
        std::vector<Bytes> all;
        if (read(size) <= 0)
            return all;
        for (size_t at = 0; at < answered.size();) {
            size_t length = answered[at] == 255 ? u16(answered, at + 4) : 32;
            auto begin = answered.begin() + static_cast<std::ptrdiff_t>(at);
            EXPECT_LE(at + length, answered.size());
            all.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
            at += length;
        }
        return all;
    }

    static uint8_t sender(const Bytes &m)
    {
        return static_cast<uint8_t>((m[1] & 0xc0) >> 2 | m[3] >> 4);
    }

    uint8_t address(uint8_t channel)
    {
        Bytes name{'C', 'A', 'N'};
        name.resize(17);
        name[16] = channel;
        Bytes m = ask(command(200, 0, static_cast<uint16_t>(0x40 + channel), name), 201);
        EXPECT_EQ(m.size(), 32u);
        return m.empty() ? 0 : m[4];
    }

    void start(uint8_t channel, uint32_t bitrate = 500000)
    {
        Bytes parameters;
        append32(parameters, bitrate);
        append(parameters, {13, 2, 1, 1});
        uint8_t to = address(channel);
        EXPECT_FALSE(ask(command(16, to, 7, parameters), 85).empty());
        EXPECT_FALSE(ask(command(26, to, 8), 27).empty());
    }

    void speak_extended()
    {
        EXPECT_FALSE(ask(command(202, 0x3e, 9, {1}), 203).empty());
    }

    // A frame of 8 bytes to be sent, as a plain command.
    static Bytes frame(uint8_t to, uint16_t transid, uint32_t id, uint8_t fill = 0)
    {
        Bytes payload;
        append32(payload, id);
        append(payload, Bytes(8, fill));
        payload.push_back(8);
        return command(33, to, transid, payload);
    }

    void traffic(uint32_t channel, uint64_t period, uint64_t count = 0, uint64_t start = 0)
    {
        struct usbcan_traffic t{};
        t.start_ns = start;
        t.shortest_ns = t.longest_ns = period;
        t.count = count;
        t.id = 0x100 + channel;
        t.length = 8;
        EXPECT_EQ(usbcan_traffic(device, channel, &t), 0);
    }

    // Table I of the paper.
    void table1(uint64_t seed)
    {
        const uint64_t periods[] = {2516 * US, 3000 * US, 840 * US, 750 * US, 364800};
        for (uint8_t i = 0; i < 5; i++)
            traffic(i, periods[i], 0, now + seed * 7919 * (i + 1) % periods[i]);
    }
};
