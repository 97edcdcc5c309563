// gs_usb: control requests and one frame per transfer.
#include "adapter.h"

namespace
{

class Gs : public Adapter {
  public:
    explicit Gs(usbcan_settings s = defaults(USBCAN_GS)) : Adapter(s)
    {
        EXPECT_EQ(configure(), 0);
    }

    int to(uint8_t request, uint8_t channel, const std::vector<uint32_t> &words)
    {
        Bytes data;
        for (uint32_t word : words)
            append32(data, word);
        auto size = static_cast<uint8_t>(data.size());
        return control({0x41, request, channel, 0, 0, 0, size, 0}, data);
    }

    int from(uint8_t request, uint8_t channel, uint8_t size)
    {
        return control({0xc1, request, channel, 0, 0, 0, size, 0});
    }

    // 500 kbit/s of 48 MHz: 16 quanta of 6 clocks.
    void start(uint8_t channel, uint32_t flags = 1 << 4)
    {
        EXPECT_EQ(to(1, channel, {1, 12, 2, 1, 6}), 0);
        EXPECT_EQ(to(2, channel, {1, flags}), 0);
    }

    static Bytes frame(uint32_t echo, uint32_t id, uint8_t channel = 0)
    {
        Bytes f;
        append32(f, echo);
        append32(f, id);
        append(f, {8, channel, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8});
        return f;
    }
};

TEST(Gs, TellsItsChannelsAndBounds)
{
    auto settings = Adapter::defaults(USBCAN_GS);
    settings.channels = 3;
    Gs a(settings);
    EXPECT_EQ(a.to(0, 1, {0x0000beef}), 0);
    ASSERT_EQ(a.from(5, 1, 12), 12);
    EXPECT_EQ(a.answered[3], 2);
    ASSERT_EQ(a.from(4, 2, 40), 40);
    EXPECT_EQ(u32(a.answered, 4), 48000000u);
    EXPECT_EQ(u32(a.answered, 32), 1024u);
}

TEST(Gs, SetsTheBitRateByItsParts)
{
    Gs a;
    a.start(0);
    EXPECT_EQ(a.channel(0).bitrate, 500000u);
    EXPECT_EQ(a.channel(0).state, uint32_t{USBCAN_ACTIVE});
}

TEST(Gs, RefusesWhatItDoesNotKnow)
{
    Gs a;
    EXPECT_EQ(a.to(2, 0, {1, 0}), USBCAN_STALL);            // no bit timing yet
    EXPECT_EQ(a.to(1, 0, {1, 12, 2, 1, 0}), USBCAN_STALL);  // divided by 0
    EXPECT_EQ(a.to(1, 0, {1, 12}), USBCAN_STALL);           // too short
    EXPECT_EQ(a.to(1, 1, {1, 12, 2, 1, 6}), USBCAN_STALL);  // no such channel
    EXPECT_EQ(a.to(2, 0, {1, 1 << 8}), USBCAN_STALL);       // CAN FD
    EXPECT_EQ(a.from(99, 0, 4), USBCAN_STALL);
    a.start(0);
    EXPECT_EQ(a.channel(0).bitrate, 500000u);
}

TEST(Gs, ReceivesAFramePerTransfer)
{
    for (bool stamped : {false, true}) {
        Gs a;
        a.start(0, stamped ? 1 << 4 : 0);
        usbcan_frame f{3 * MS, 0, 0x1234567, USBCAN_EXTENDED, 2, {7, 8}};
        ASSERT_EQ(usbcan_inject(a.device, &f), 0);
        ASSERT_EQ(usbcan_inject(a.device, &f), 0);
        a.now = 5 * MS;
        for (int i = 0; i < 2; i++) {
            ASSERT_EQ(a.read(64), stamped ? 24 : 20);
            EXPECT_EQ(u32(a.answered, 0), 0xffffffffu);
            EXPECT_EQ(u32(a.answered, 4), 0x1234567u | 1u << 31);
            EXPECT_EQ(a.answered[8], 2);
            EXPECT_EQ(a.answered[13], 8);
            if (stamped) {
                EXPECT_EQ(u32(a.answered, 20), 3000u);
            }
        }
        EXPECT_EQ(a.read(64), USBCAN_NAK);
    }
}

TEST(Gs, EchoesWhatItSent)
{
    Gs a;
    a.start(0);
    ASSERT_EQ(a.write(Gs::frame(7, 0x123)), 20);
    EXPECT_EQ(a.read(64), USBCAN_NAK);
    a.now += MS;
    ASSERT_EQ(a.read(64), 24);
    EXPECT_EQ(u32(a.answered, 0), 7u);
    EXPECT_EQ(a.channel(0).sent, 1u);
}

TEST(Gs, DropsTheNewestWhenFull)
{
    Gs a;
    a.start(0);
    for (int i = 0; i < 70; i++) {
        usbcan_frame f{a.now, 0, static_cast<uint32_t>(i), 0, 0, {}};
        ASSERT_EQ(usbcan_inject(a.device, &f), 0);
        usbcan_advance(a.device, a.now);
    }
    for (uint32_t i = 0; i < 64; i++) {
        ASSERT_EQ(a.read(64), 24);
        EXPECT_EQ(u32(a.answered, 4), i);
        EXPECT_EQ(a.answered[10], 0);
    }
    EXPECT_EQ(a.read(64), USBCAN_NAK);
    usbcan_frame f{a.now, 0, 99, 0, 0, {}};
    ASSERT_EQ(usbcan_inject(a.device, &f), 0);
    ASSERT_EQ(a.read(64), 24);
    EXPECT_EQ(a.answered[10], 1);
    EXPECT_EQ(a.channel(0).dropped, 6u);
    EXPECT_EQ(a.counters().overruns, 1u);
    expect_accounted(a, 1);
}

TEST(Gs, TellsBusOffAndTheWayBack)
{
    Gs a;
    a.start(0);
    a.fault(USBCAN_FAULT_BUS_OFF, 0, 1, MS);
    a.now = MS;
    ASSERT_EQ(a.read(64), 24);
    EXPECT_EQ(u32(a.answered, 4), 0x20000040u);
    a.now = S;
    ASSERT_EQ(a.read(64), 24);
    EXPECT_EQ(u32(a.answered, 4), 0x20000100u);
    ASSERT_EQ(a.write(Gs::frame(1, 0x123)), 20);
    a.now += MS;
    ASSERT_EQ(a.read(64), 24);
    EXPECT_EQ(u32(a.answered, 0), 1u);
}

TEST(Gs, ATransferTooSmallBabbles)
{
    Gs a;
    a.start(0);
    usbcan_frame f{0, 0, 1, 0, 8, {}};
    ASSERT_EQ(usbcan_inject(a.device, &f), 0);
    EXPECT_EQ(a.read(16), USBCAN_BABBLE);
    EXPECT_EQ(a.read(64), 24);
}

} // namespace
