// Kvaser's commands and the frames behind them.
#include "hydra_host.h"

namespace
{

TEST(Hydra, IsTheDeviceOfThePaper)
{
    Hydra a;
    ASSERT_EQ(a.control({0x80, 6, 0, 1, 0, 0, 18, 0}), 18);
    EXPECT_EQ(u16(a.answered, 8), 0x0bfdu);
    EXPECT_EQ(u16(a.answered, 10), 0x0105u);
    ASSERT_EQ(a.control({0x80, 6, 0, 2, 0, 0, 9, 0}), 9);
    uint32_t whole = u16(a.answered, 2);
    ASSERT_EQ(a.control({0x80, 6, 0, 2, 0, 0, 255, 0}), static_cast<int>(whole));
    EXPECT_EQ(a.answered[9 + 5], 0xff);
    EXPECT_EQ(a.answered[18 + 2], 0x82);
    EXPECT_EQ(u16(a.answered, 18 + 4), 512u);
    EXPECT_EQ(a.answered[25 + 2], 0x02);
}

TEST(Hydra, AnswersWhatItIsAsked)
{
    const struct {
        uint8_t request, answer;
        bool of_channel;
    } table[] = {{34, 35, false}, {38, 39, false}, {202, 203, false}, {95, 96, false},
                 {30, 31, false}, {17, 18, true},  {19, 20, true},    {48, 66, true},
                 {28, 29, true}};
    Hydra a;
    uint8_t channel = a.address(0);
    for (auto &t : table) {
        uint8_t to = t.of_channel ? channel : 0x3e;
        Bytes m = a.ask(Hydra::command(t.request, to, 0x123), t.answer);
        ASSERT_EQ(m.size(), 32u) << "request " << int{t.request};
        EXPECT_EQ(u16(m, 2) & 0xfff, 0x123u);
        EXPECT_EQ(Hydra::sender(m), t.of_channel ? channel : 0);
    }
}

TEST(Hydra, HasFiveChannelsAtDifferentAddresses)
{
    Hydra a;
    Bytes card = a.ask(Hydra::command(34, 0x3e), 35);
    EXPECT_EQ(card[4 + 24], 5);
    for (uint8_t i = 0; i < 5; i++)
        for (uint8_t j = 0; j < i; j++)
            EXPECT_NE(a.address(i), a.address(j));
    EXPECT_EQ(a.address(5), 0x3e);
}

TEST(Hydra, AnswersGoToWhoAsked)
{
    Hydra a;
    Bytes c = Hydra::command(34, 0x3e | 0x80, 0xa000 | 5); // from 0x2a
    Bytes m = a.ask(c, 35);
    ASSERT_EQ(m.size(), 32u);
    EXPECT_EQ(m[1] & 0x3f, 0x2a);
}

TEST(Hydra, ReadsBackTheBitTiming)
{
    Hydra a;
    uint8_t to = a.address(2);
    Bytes parameters{0x90, 0xd0, 0x03, 0x00, 13, 2, 1, 1}; // 250000
    EXPECT_EQ(a.ask(Hydra::command(16, to, 3, parameters), 85).size(), 32u);
    Bytes m = a.ask(Hydra::command(17, to), 18);
    EXPECT_EQ(Bytes(m.begin() + 4, m.begin() + 12), parameters);
    EXPECT_EQ(a.channel(2).bitrate, 250000u);
}

TEST(Hydra, RefusesAnImpossibleBitRate)
{
    Hydra a;
    Bytes m = a.ask(Hydra::command(16, a.address(0), 3, {0, 0, 0, 0, 13, 2, 1, 1}), 45);
    ASSERT_EQ(m.size(), 32u);
    EXPECT_EQ(m[4 + 7], 9);
    EXPECT_EQ(u16(m, 4 + 8), 16u);
    EXPECT_EQ(a.ask(Hydra::command(26, a.address(0)), 45).size(), 32u); // so it cannot start
}

TEST(Hydra, TellsNobodyAtTheAddress)
{
    Hydra a;
    EXPECT_EQ(a.ask(Hydra::command(26, 0x20), 45).at(4 + 7), 1);
}

TEST(Hydra, ReceivesPlainFrames)
{
    Hydra a;
    a.start(1);
    usbcan_frame f{a.now + 5 * MS, 1, 0x1abcdef0, USBCAN_EXTENDED, 3, {1, 2, 3}};
    ASSERT_EQ(usbcan_inject(a.device, &f), 0);
    EXPECT_EQ(usbcan_next(a.device), a.now + 5 * MS);
    EXPECT_EQ(a.read(), USBCAN_NAK);
    a.now += 5 * MS;
    auto all = a.messages();
    ASSERT_EQ(all.size(), 1u);
    const Bytes &m = all[0];
    EXPECT_EQ(m[0], 106);
    EXPECT_EQ(Hydra::sender(m), a.address(1));
    EXPECT_EQ(u32(m, 4 + 4) + (uint64_t{u16(m, 4 + 8)} << 32), f.ns * 80 / 1000);
    EXPECT_EQ(m[4 + 10], 3);
    EXPECT_EQ(u32(m, 4 + 12), f.id | 1u << 31);
    EXPECT_EQ(Bytes(m.begin() + 20, m.begin() + 23), (Bytes{1, 2, 3}));
}

TEST(Hydra, ReceivesExtendedMessagesOfTheSetLength)
{
    for (uint32_t bytes : {40u, 64u, 128u}) {
        auto settings = Adapter::defaults(USBCAN_HYDRA);
        settings.message_bytes = bytes;
        Hydra a(settings);
        a.speak_extended();
        a.start(0);
        usbcan_frame f{a.now, 0, 0x123, USBCAN_REMOTE, 8, {}};
        ASSERT_EQ(usbcan_inject(a.device, &f), 0);
        auto all = a.messages();
        ASSERT_EQ(all.size(), 1u);
        ASSERT_EQ(all[0].size(), bytes);
        EXPECT_EQ(all[0][6], 226);
        EXPECT_EQ(u32(all[0], 8), 1u << 4);
        EXPECT_EQ(u32(all[0], 12), 0x123u);
        EXPECT_EQ(u32(all[0], 20) >> 8, 8u);
    }
}

TEST(Hydra, FillsTransfersWithWholeMessages)
{
    auto settings = Adapter::defaults(USBCAN_HYDRA);
    settings.message_bytes = 40;
    Hydra a(settings);
    a.speak_extended();
    a.start(0);
    a.traffic(0, MS, 0, a.now);
    a.now += 200 * MS;
    EXPECT_EQ(a.read(3072), 3072 / 40 * 40);
    EXPECT_EQ(a.read(512), 480);
}

// 64-byte messages, 5995 frames a second: 4 KB overrun within the paper's 14 ms, not within 8.
TEST(Hydra, LosesAtFourteenMillisecondsAndNotAtEight)
{
    for (uint64_t period : {14 * MS, 8 * MS}) {
        Hydra a;
        a.speak_extended();
        for (uint8_t i = 0; i < 5; i++)
            a.start(i);
        a.table1(3);
        uint64_t flags = 0, reads = 0;
        for (uint64_t end = a.now + 5 * S; a.now < end; a.now += period, reads++)
            for (const Bytes &m : a.messages())
                flags += u32(m, 8) >> 1 & 1;
        auto n = a.counters();
        EXPECT_EQ(flags, n.flagged);
        EXPECT_EQ(n.overruns, period == 8 * MS ? 0 : reads - 1);
        EXPECT_LE(n.peak_bytes, period == 8 * MS ? 51u * 64 : 4096u); // 8 ms of Table I, rounded up
        expect_accounted(a, 5);
    }
}

TEST(Hydra, OverwritesTheOldestAndMarksTheFrameBehindTheGap)
{
    Hydra a;
    a.start(0);
    a.traffic(0, MS, 130, a.now);
    a.now += S;
    auto all = a.messages();
    ASSERT_EQ(all.size(), 4096u / 32);
    EXPECT_EQ(u32(all[0], 20), 2u); // frames 0 and 1 are gone
    for (size_t i = 0; i < all.size(); i++)
        EXPECT_EQ(all[i][7] & 2, i == 0 ? 2 : 0);
    EXPECT_EQ(a.channel(0).overwritten, 2u);
    EXPECT_EQ(a.counters().overruns, 1u);
}

TEST(Hydra, HearsNothingWhileStopped)
{
    Hydra a;
    a.start(0);
    a.traffic(0, MS, 10, a.now);
    a.now += 4 * MS + 1;
    EXPECT_FALSE(a.ask(Hydra::command(28, a.address(0)), 29).empty());
    a.now += S;
    EXPECT_EQ(a.read(), USBCAN_NAK);
    EXPECT_EQ(a.channel(0).unheard, 5u);
    EXPECT_EQ(a.channel(0).heard, 5u);
}

TEST(Hydra, TakesSeveralCommandsInATransferAndSkipsPadding)
{
    Hydra a;
    Bytes both = Hydra::command(34, 0x3e), second = Hydra::command(38, 0x3e);
    append(both, second);
    both.resize(512);
    ASSERT_EQ(a.write(both), 512);
    auto all = a.messages();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0][0], 35);
    EXPECT_EQ(all[1][0], 39);
    EXPECT_EQ(a.counters().malformed, 0u);
}

TEST(Hydra, WaitsForTheHostToReadItsAnswers)
{
    Hydra a;
    int taken = 0;
    while (taken < 5000 && a.write(Hydra::command(34, 0x3e)) == 32)
        taken++;
    EXPECT_GT(taken, 500);
    EXPECT_LT(taken, 1024);
    EXPECT_EQ(a.write(Hydra::command(34, 0x3e)), USBCAN_NAK);
    int answered = 0;
    for (int length = a.read(); length > 0; length = a.read())
        answered += length / 32;
    EXPECT_EQ(answered, taken);
    EXPECT_EQ(a.write(Hydra::command(34, 0x3e)), 32);
}

TEST(Hydra, IsAsNewAfterAReset)
{
    Hydra a;
    a.speak_extended();
    a.start(0);
    a.traffic(0, MS, 0, a.now);
    a.now += 10 * MS;
    usbcan_reset(a.device, a.now);
    EXPECT_EQ(a.read(), USBCAN_ERROR); // not configured
    EXPECT_EQ(a.configure(), 0);
    EXPECT_EQ(a.read(), USBCAN_NAK);
    EXPECT_EQ(a.channel(0).state, uint32_t{USBCAN_STOPPED});
    expect_accounted(a, 5);
}

} // namespace
