// Anything from the host, in any order: the device answers, keeps its accounts, and stays in its
// memory (the sanitized build says so).
#include <random>

#include "hydra_host.h"

namespace
{

#ifdef __SANITIZE_ADDRESS__
constexpr int CASES = 1000000;
#else
constexpr int CASES = 100000;
#endif

class Host {
  public:
    Host(uint32_t kind, uint32_t seed) : random_(seed), adapter_(settings(kind)), kind_(kind)
    {
        adapter_.configure();
        for (uint32_t i = 0; i < 5; i++) {
            struct usbcan_traffic t {};
            t.shortest_ns = 50 * US + below(MS);
            t.longest_ns = t.shortest_ns + below(MS);
            t.seed = i;
            t.length = below(9);
            t.flags = below(4);
            t.bitrate = below(4) == 0 ? 250000 : 0;
            usbcan_traffic(adapter_.device, i, &t);
        }
    }

    void step()
    {
        adapter_.now += below(20) == 0 ? below(20 * MS) : below(100 * US);
        switch (below(16)) {
        case 0:
            control();
            break;
        case 1:
            rare();
            break;
        case 2: case 3: case 4: case 5: case 6: case 7:
            adapter_.write(sensible() ? message() : noise(below(200)));
            break;
        default:
            if (!lazy_)
                adapter_.read(below(3) == 0 ? below(200) : 4096);
        }
        if (below(500) == 0)
            lazy_ = !lazy_;
        if (below(200) == 0)
            revive();
        usbcan_advance(adapter_.device, adapter_.now);
        ASSERT_GT(usbcan_next(adapter_.device), adapter_.now);
    }

    // The window is live: what can happen did.
    void expect_lively()
    {
        uint64_t sent = 0, lost = 0, off = 0, delivered = 0, failed = 0;
        for (uint32_t i = 0; i < 3; i++) {
            auto n = adapter_.channel(i);
            sent += n.sent;
            lost += n.overwritten + n.dropped;
            off += n.bus_offs;
            delivered += n.delivered;
            failed += n.failed;
        }
        EXPECT_GT(sent, 100u);
        EXPECT_GT(lost, 100u);
        EXPECT_GT(off, 10u);
        EXPECT_GT(delivered, 1000u);
        EXPECT_GT(failed, 1u);
        EXPECT_GT(adapter_.counters().malformed, 1000u);
    }

    void check() { expect_accounted(adapter_, kind_ == USBCAN_GS ? 3 : 5); }

  private:
    static usbcan_settings settings(uint32_t kind)
    {
        auto s = Adapter::defaults(kind);
        s.channels = kind == USBCAN_GS ? 3 : 5;
        s.reply_ns = 20 * US;
        return s;
    }

    uint32_t below(uint64_t n) { return static_cast<uint32_t>(random_() % n); }
    bool sensible() { return below(4) != 0; }

    Bytes noise(uint32_t size)
    {
        Bytes b(size);
        for (uint8_t &byte : b)
            byte = static_cast<uint8_t>(random_());
        return b;
    }

    // A command that could be one, with noise for a payload.
    Bytes message()
    {
        static const uint8_t commands[] = {16, 17, 19, 21, 26,  26,  28,  30,  33,  33, 33,
                                           34, 38, 48, 76, 95, 200, 202, 255, 255, 0};
        Bytes b = noise(kind_ == USBCAN_GS ? 20 : 32);
        if (kind_ == USBCAN_GS) {
            b[8] = static_cast<uint8_t>(below(10));
            b[9] = static_cast<uint8_t>(below(4));
            return b;
        }
        b[0] = commands[below(sizeof commands)];
        b[1] = static_cast<uint8_t>(below(8) | (b[1] & 0xc0));
        if (b[0] == 16)
            b = Hydra::command(16, b[1], 1, {0x20, 0xa1, 7, 0, 13, 2, 1, 1});
        if (b[0] == 255) {
            b.resize(40 + below(60));
            b[4] = static_cast<uint8_t>(b.size() + below(2) * below(20));
            b[5] = 0;
            b[6] = 224;
            b[24] = static_cast<uint8_t>(below(10));
        }
        return b;
    }

    void control()
    {
        Bytes setup = noise(8);
        static const uint8_t types[] = {0x00, 0x01, 0x02, 0x41, 0x80, 0x81, 0x82, 0xc1};
        if (sensible()) {
            setup[0] = types[below(sizeof types)];
            setup[1] = static_cast<uint8_t>(below(12));
            setup[2] = static_cast<uint8_t>(below(4));
            setup[3] = static_cast<uint8_t>(below(7));
            setup[6] = static_cast<uint8_t>(below(80));
        }
        setup[7] = 0;
        adapter_.control(setup, noise(setup[6]));
    }

    // Puts it into order: channels are started by requests that noise does not hit.
    void revive()
    {
        usbcan_plug(adapter_.device, adapter_.now, 1);
        adapter_.configure();
        for (uint8_t i = 0; i < 5; i++) {
            if (kind_ == USBCAN_HYDRA) {
                auto to = static_cast<uint8_t>(2 + i);
                adapter_.write(Hydra::command(16, to, 1, {0x20, 0xa1, 7, 0, 13, 2, 1, 1}));
                adapter_.write(Hydra::command(26, to));
                continue;
            }
            Bytes timing;
            for (uint32_t word : {1u, 12u, 2u, 1u, 6u})
                append32(timing, word);
            adapter_.control({0x41, 1, i, 0, 0, 0, 20, 0}, timing);
            Bytes mode{1, 0, 0, 0, static_cast<uint8_t>(below(2) << 4), 0, 0, 0};
            adapter_.control({0x41, 2, i, 0, 0, 0, 8, 0}, mode);
        }
    }

    void rare()
    {
        struct usbcan_fault f {};
        f.ns = adapter_.now + below(10 * MS);
        f.kind = below(10);
        f.count = 1 + below(3);
        f.argument = below(2) == 0 ? below(5) : below(40);
        if (f.kind == USBCAN_FAULT_STALL)
            f.argument = below(2) == 0 ? 0x02 : kind_ == USBCAN_GS ? 0x81 : 0x82;
        if (below(4) == 0)
            usbcan_fault(adapter_.device, &f);
        if (below(50) == 0)
            usbcan_reset(adapter_.device, adapter_.now);
        usbcan_frame frame{.ns = adapter_.now + below(MS), .channel = below(5), .id = below(0x800),
                           .flags = below(4), .length = below(9), .data = {}};
        usbcan_inject(adapter_.device, &frame);
    }

    bool lazy_ = false; // reads nothing for a while
    std::mt19937 random_;
    Adapter adapter_;
    uint32_t kind_;
};

void fuzz(uint32_t kind, uint32_t seed)
{
    Host host(kind, seed);
    for (int i = 0; i < CASES / 2; i++) {
        ASSERT_NO_FATAL_FAILURE(host.step()) << "case " << i;
        if (i % 64 == 0) {
            ASSERT_NO_FATAL_FAILURE(host.check()) << "case " << i;
        }
    }
    host.expect_lively();
}

TEST(Fuzz, Hydra)
{
    fuzz(USBCAN_HYDRA, 1);
}

TEST(Fuzz, Gs)
{
    fuzz(USBCAN_GS, 2);
}

} // namespace
