#include "hydra_fixture.h"

/* What goes wrong on USB or in the adapter for a while costs frames, all of them counted, and the
 * rest arrives. */
class HydraFault : public Hydra, public testing::WithParamInterface<Fault> {};

TEST_P(HydraFault, CostsWhatItMustAndNoMore)
{
    usb.plug_at(1000, core);
    uint32_t got = 0, later = 0;
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 0, 500000, 0);
        traffic(core, 0, 500);
        Fault fault = GetParam();
        fault.ns = (sim_now() + 100000) * 1000;
        EXPECT_EQ(usbcan_fault(core, &fault), 0);
        got = drain(0, sim_now() + SECOND);
        later = drain(0, sim_now() + SECOND);
        struct takt_can_frame frame = {};
        int result = takt_can_write(&kvaser, 0, &frame);
        EXPECT_EQ(result, TAKT_OK);
        traffic(core, 0, 500, 0x100, 0, 1);
        drain(0, sim_now() + 100000);
    }, 4 * SECOND);
    EXPECT_GT(got, 1700u);
    EXPECT_NEAR(later, 2000, 40);
    auto t = truth(core, 0);
    auto c = counted(0);
    EXPECT_EQ(c.received, frames.size());
    EXPECT_LE(t.delivered - c.received, 64u * GetParam().count);
    EXPECT_TRUE(t.delivered == c.received || counted().malformed + counted().retried +
                counted().strange > 0);
    EXPECT_EQ(c.sent, 1u);
}

INSTANTIATE_TEST_SUITE_P(All, HydraFault, testing::Values(
    Fault{0, USBCAN_FAULT_STALL, 1, 0x82},
    Fault{0, USBCAN_FAULT_SHORT, 3, 100},
    Fault{0, USBCAN_FAULT_SHORT, 20, 7},
    Fault{0, USBCAN_FAULT_SHORT, 20, 33},
    Fault{0, USBCAN_FAULT_GARBAGE, 5, 1},
    Fault{0, USBCAN_FAULT_GARBAGE, 5, 77},
    Fault{0, USBCAN_FAULT_BABBLE, 2, 0},
    Fault{0, USBCAN_FAULT_ERROR, 3, 0}));

TEST_F(Hydra, WritesToAHaltedEndpointAreToldAndMended)
{
    usb.plug_at(1000, core);
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 0, 500000, 0);
        Fault fault = {sim_now() * 1000, USBCAN_FAULT_STALL, 1, 0x02};
        usbcan_fault(core, &fault);
        struct takt_can_frame frame = {};
        takt_sleep(1000);
        for (uint32_t i = 0; i < 20; i++) {
            while (takt_can_write(&kvaser, 0, &frame) == TAKT_EAGAIN)
                takt_sleep(1000);
            takt_sleep(1000);
        }
        takt_sleep(100000);
    }, SECOND);
    auto c = counted(0);
    EXPECT_EQ(c.sent + c.unsent, 20u);
    EXPECT_GE(c.unsent, 1u);
    EXPECT_EQ(c.sent, truth(core, 0).sent);
    EXPECT_EQ(takt_can_queued(&kvaser, 0), 0u);
}

TEST_F(Hydra, LateAnswersAreNotTakenForOthers)
{
    Fault late = {2000000, USBCAN_FAULT_LATE, 2, 1500000000};
    usbcan_fault(core, &late);
    usb.plug_at(1000, core);
    run([&] { wait_until_there(); }, 6 * SECOND);
    EXPECT_EQ(usb.attached, TAKT_OK);
    EXPECT_GE(counted().timeouts, 1u);
    EXPECT_GE(counted().strange, 1u);
}

TEST_F(Hydra, AMuteAdapterIsNotAttached)
{
    Fault mute = {2000000, USBCAN_FAULT_MUTE, 0, 0};
    usbcan_fault(core, &mute);
    usb.plug_at(1000, core);
    run([] {}, 4 * SECOND);
    EXPECT_EQ(usb.attached, TAKT_ETIMEOUT);
    EXPECT_EQ(counted().failed, 1u);
    EXPECT_EQ(takt_can_channels(&kvaser), 0);
}

TEST_F(Hydra, ASecondAdapterFindsNoRoom)
{
    usb.plug_at(1000, core);
    usb.plug_at(SECOND, usb.device(USBCAN_HYDRA), 2);
    run([] {}, 2 * SECOND);
    EXPECT_EQ(usb.attached, TAKT_ENOSPACE);
    EXPECT_EQ(takt_can_channels(&kvaser), 5);
}

TEST_F(Hydra, OverrunsOfTheAdapterAreCounted)
{
    usb.plug_at(1000, core);
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 0, 500000, 0);
        takt_can_open(&kvaser, 1, 500000, 0);
        traffic(core, 0, 100); /* more than 64 between two reads */
        traffic(core, 1, 100);
        takt_sleep(300000);
        traffic(core, 0, 100, 0, 0, 1);
        traffic(core, 1, 100, 0, 0, 1);
        takt_sleep(50000);
    }, SECOND);
    struct usbcan_counters device;
    usbcan_counters(core, &device);
    EXPECT_GT(device.flagged, 10u);
    EXPECT_EQ(counted(0).overruns + counted(1).overruns, device.flagged);
    EXPECT_GT(counted(0).overflow, 0u); /* nobody reads */
}
