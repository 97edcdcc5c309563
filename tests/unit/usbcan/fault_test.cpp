// What is put wrong happens when and as it was said, and ends.
#include "hydra_host.h"

namespace
{

TEST(Fault, AStalledEndpointWaitsForTheHost)
{
    Hydra a;
    a.fault(USBCAN_FAULT_STALL, 0x82);
    EXPECT_EQ(a.read(), USBCAN_STALL);
    EXPECT_EQ(a.read(), USBCAN_STALL);
    ASSERT_EQ(a.control({0x82, 0, 0, 0, 0x82, 0, 2, 0}), 2);
    EXPECT_EQ(a.answered[0], 1);
    EXPECT_EQ(a.write(Hydra::command(34, 0x3e)), 32); // the other one works on
    EXPECT_EQ(a.control({0x02, 1, 0, 0, 0x82, 0, 0, 0}), 0);
    EXPECT_EQ(a.read(), 32);
}

TEST(Fault, AShortTransferHoldsTheRestBack)
{
    Hydra a;
    a.fault(USBCAN_FAULT_SHORT, 20, 2);
    Bytes two = Hydra::command(34, 0x3e, 1), second = Hydra::command(38, 0x3e, 2);
    append(two, second);
    ASSERT_EQ(a.write(two), 64);
    Bytes all;
    for (int length : {20, 20, 24}) {
        ASSERT_EQ(a.read(), length);
        append(all, a.answered);
    }
    EXPECT_EQ(all[0], 35);
    EXPECT_EQ(all[32], 39);
    EXPECT_EQ(a.read(), USBCAN_NAK);
}

TEST(Fault, GarbageTakesNothingAway)
{
    Hydra a;
    a.fault(USBCAN_FAULT_GARBAGE, 1, 2);
    ASSERT_EQ(a.write(Hydra::command(34, 0x3e)), 32);
    EXPECT_GT(a.read(), 0);
    Bytes first = a.answered;
    EXPECT_GT(a.read(), 0);
    EXPECT_NE(a.answered, first);
    EXPECT_EQ(a.read(), 32);
    EXPECT_EQ(a.answered[0], 35);
}

TEST(Fault, AnAnswerComesLate)
{
    Hydra a;
    a.fault(USBCAN_FAULT_LATE, 20 * MS, 1);
    ASSERT_EQ(a.write(Hydra::command(34, 0x3e)), 32);
    EXPECT_EQ(usbcan_next(a.device), 20 * MS);
    a.now = 20 * MS - 1;
    EXPECT_EQ(a.read(), USBCAN_NAK);
    a.now++;
    EXPECT_EQ(a.read(), 32);
    EXPECT_FALSE(a.ask(Hydra::command(34, 0x3e), 35).empty());
}

TEST(Fault, AnAnswerNeverComes)
{
    Hydra a;
    a.fault(USBCAN_FAULT_MUTE, 0, 1);
    EXPECT_TRUE(a.ask(Hydra::command(34, 0x3e), 35).empty());
    EXPECT_FALSE(a.ask(Hydra::command(34, 0x3e), 35).empty());
}

TEST(Fault, BabblesAndErrorsAreCounted)
{
    Hydra a;
    a.fault(USBCAN_FAULT_BABBLE, 0, 2);
    a.fault(USBCAN_FAULT_ERROR, 0, 1);
    EXPECT_EQ(a.read(), USBCAN_ERROR);
    EXPECT_EQ(a.read(), USBCAN_BABBLE);
    EXPECT_EQ(a.read(), USBCAN_BABBLE);
    EXPECT_EQ(a.read(), USBCAN_NAK);
}

TEST(Fault, PulledOutAndPutInAnew)
{
    Hydra a;
    a.start(0);
    a.traffic(0, MS, 0, a.now);
    a.fault(USBCAN_FAULT_UNPLUG, 0, 1, 10 * MS);
    a.fault(USBCAN_FAULT_GARBAGE, 0, 0, 5 * MS);
    a.now = 10 * MS;
    EXPECT_EQ(a.read(), USBCAN_GONE);
    EXPECT_EQ(a.write(Hydra::command(34, 0x3e)), USBCAN_GONE);
    EXPECT_EQ(a.control({0x80, 6, 0, 1, 0, 0, 18, 0}), USBCAN_GONE);
    a.now = 20 * MS;
    usbcan_plug(a.device, a.now, 1);
    EXPECT_EQ(a.read(), USBCAN_ERROR);
    EXPECT_EQ(a.configure(), 0);
    EXPECT_EQ(a.read(), USBCAN_NAK);
    a.start(0);
    a.now += 5 * MS;
    EXPECT_GT(a.read(), 0);
    expect_accounted(a, 5);
}

TEST(Fault, ComesInOrderOfTimeAndWithinBounds)
{
    Hydra a;
    struct usbcan_fault f = {5 * MS, USBCAN_FAULT_ERROR, 1, 0};
    for (int i = 0; i < USBCAN_FAULTS; i++, f.ns -= 100 * US)
        ASSERT_EQ(usbcan_fault(a.device, &f), 0);
    EXPECT_EQ(usbcan_fault(a.device, &f), USBCAN_BAD);
    EXPECT_EQ(usbcan_next(a.device), 5 * MS - 15 * 100 * US);
    f.kind = 99;
    EXPECT_EQ(usbcan_fault(a.device, &f), USBCAN_BAD);
    a.now = S;
    EXPECT_EQ(a.read(), USBCAN_ERROR);
    f = {0, USBCAN_FAULT_BUS_OFF, 1, 5};
    EXPECT_EQ(usbcan_fault(a.device, &f), USBCAN_BAD);
    f = {0, USBCAN_FAULT_STALL, 1, 0x83};
    EXPECT_EQ(usbcan_fault(a.device, &f), USBCAN_BAD);
}

TEST(Fault, ImpossibleSettingsAreRefused)
{
    auto good = Adapter::defaults(USBCAN_HYDRA);
    std::vector<uint64_t> memory(usbcan_size() / 8 + 1);
    auto *device = reinterpret_cast<usbcan *>(memory.data());
    const struct {
        uint32_t usbcan_settings::*field;
        uint32_t value;
    } table[] = {{&usbcan_settings::kind, 2},           {&usbcan_settings::channels, 0},
                 {&usbcan_settings::channels, 6},       {&usbcan_settings::message_bytes, 36},
                 {&usbcan_settings::message_bytes, 42}, {&usbcan_settings::message_bytes, 132},
                 {&usbcan_settings::buffer_bytes, 63},  {&usbcan_settings::buffer_bytes, 65537}};
    for (auto &t : table) {
        auto bad = good;
        bad.*t.field = t.value;
        EXPECT_EQ(usbcan_init(device, &bad), USBCAN_BAD) << t.value;
    }
    ASSERT_EQ(usbcan_init(device, &good), 0);
    struct usbcan_traffic t {};
    t.shortest_ns = 999;
    t.longest_ns = 2000;
    EXPECT_EQ(usbcan_traffic(device, 0, &t), USBCAN_BAD);
    t.shortest_ns = 3000;
    EXPECT_EQ(usbcan_traffic(device, 0, &t), USBCAN_BAD);
    EXPECT_EQ(usbcan_traffic(device, 5, &t), USBCAN_BAD);
}

} // namespace
