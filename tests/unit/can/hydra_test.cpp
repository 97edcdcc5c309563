#include "hydra_fixture.h"

TEST_F(Hydra, EveryFrameOfFiveChannelsArrives)
{
    const uint32_t periods[] = {2516, 3000, 840, 750, 365}; /* Table I */
    usb.plug_at(1000, core);
    uint32_t got = 0;
    run([&] {
        wait_until_there();
        EXPECT_EQ(takt_can_channels(&kvaser), 5);
        for (uint8_t i = 0; i < 5; i++)
            EXPECT_EQ(takt_can_open(&kvaser, i, 500000, 0), TAKT_OK);
        for (uint8_t i = 0; i < 5; i++)
            traffic(core, i, periods[i], 0x100u + i, i % 2 != 0 ? USBCAN_EXTENDED : 0);
        uint64_t end = sim_now() + 2 * SECOND;
        while (sim_now() < end) {
            takt_sleep(20000);
            for (uint8_t i = 0; i < 5; i++) {
                struct takt_can_frame frame;
                while (takt_can_read(&kvaser, i, &frame) == TAKT_OK) {
                    EXPECT_EQ(frame.channel, i);
                    EXPECT_EQ(frame.id, 0x100u + i);
                    EXPECT_EQ(frame.flags, i % 2 != 0 ? TAKT_CAN_EXTENDED : 0);
                    EXPECT_EQ(frame.length, 8);
                    got++;
                }
            }
        }
        for (uint8_t i = 0; i < 5; i++)
            traffic(core, i, 1000, 0, 0, 1); /* silence */
        takt_sleep(100000);
    }, 4 * SECOND);
    EXPECT_GT(got, 2 * 5900u);
    for (uint8_t i = 0; i < 5; i++) {
        EXPECT_EQ(counted(i).received, truth(core, i).heard);
        EXPECT_EQ(counted(i).overruns + counted(i).overflow, 0u);
    }
    EXPECT_EQ(counted().malformed + counted().strange + counted().retried, 0u);
}

TEST_F(Hydra, FramesAreInOrderAndTheirInstantsAreTheAdapters)
{
    usb.plug_at(1000, core);
    run([&] {
        takt_can_open(&kvaser, 2, 250000, 0);
        wait_until_there();
        traffic(core, 2, 500);
        drain(2, 3 * SECOND);
    }, 3 * SECOND);
    EXPECT_GT(frames.size(), 4000u);
    EXPECT_TRUE(in_order);
    EXPECT_LT(late, 200u); /* never later than it was, and not much earlier */
}

TEST_F(Hydra, OpenedBeforeItIsThereAndAgainWhenItComesBack)
{
    usb.plug_at(100000, core);
    usb.pull_at(2 * SECOND, core);
    usb.plug_at(3 * SECOND, core);
    int early = 0, gone = 0, waited = 0;
    uint32_t before = 0, after = 0;
    run([&] {
        early = takt_can_open(&kvaser, 0, 1000000, 0);
        wait_until_there();
        traffic(core, 0, 1000);
        before = drain(0, 4 * SECOND);
        gone = takt_can_wait(&kvaser, 0, SECOND);
        struct takt_can_frame frame = {};
        waited = takt_can_write(&kvaser, 0, &frame);
        wait_until_there();
        after = drain(0, 5 * SECOND);
    }, 5 * SECOND);
    EXPECT_EQ(early, TAKT_EGONE);
    EXPECT_NEAR(before, 1500, 300);
    EXPECT_EQ(gone, TAKT_EGONE);
    EXPECT_EQ(waited, TAKT_EGONE);
    EXPECT_GT(after, 1000u);
    EXPECT_EQ(counted().plugged, 2u);
    EXPECT_EQ(usb.released, 1);
}

TEST_F(Hydra, PulledOutAtAnyMoment)
{
    for (uint64_t at = 1500, n = 0; at < 2 * SECOND - 100000; at += 60000, n++) {
        usb.plug_at(at, core);
        usb.pull_at(at + 100 + n * n * 53, core); /* up to 51 ms: from the first question on */
    }
    usb.plug_at(2 * SECOND, core);
    uint32_t got = 0;
    run([&] {
        takt_can_open(&kvaser, 4, 500000, 0);
        traffic(core, 4, 700);
        takt_sleep_until(static_cast<takt_time_t>(2 * SECOND + 500000));
        wait_until_there();
        got = drain(4, 4 * SECOND);
    }, 4 * SECOND);
    EXPECT_GT(got, 1500u);
    EXPECT_GT(counted().failed, 10u);
}

TEST_F(Hydra, SendsAndLearnsThatItWasSent)
{
    usb.plug_at(1000, core);
    std::vector<int> results;
    uint32_t most = 0;
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 1, 500000, 0);
        for (uint32_t i = 0; i < 1000; i++) {
            struct takt_can_frame frame = {};
            frame.id = i & 0x7FF;
            frame.length = 8;
            frame.data[0] = static_cast<uint8_t>(i);
            int result = takt_can_write(&kvaser, 1, &frame);
            while (result == TAKT_EAGAIN) {
                takt_sleep(500);
                result = takt_can_write(&kvaser, 1, &frame);
            }
            EXPECT_EQ(result, TAKT_OK);
            most = std::max(most, takt_can_queued(&kvaser, 1));
        }
        takt_sleep(200000);
    }, 2 * SECOND);
    EXPECT_EQ(truth(core, 1).sent, 1000u);
    EXPECT_EQ(counted(1).sent, 1000u);
    EXPECT_EQ(counted(1).unsent, 0u);
    EXPECT_EQ(takt_can_queued(&kvaser, 1), 0u);
    EXPECT_GT(most, 20u);
    EXPECT_LE(most, 128u);
}

TEST_F(Hydra, OneChannelHoldsUpNoOther)
{
    usb.plug_at(1000, core);
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 0, 10000, 0); /* 13 ms a frame */
        takt_can_open(&kvaser, 1, 1000000, 0);
        struct takt_can_frame frame = {};
        frame.length = 8;
        while (takt_can_queued(&kvaser, 0) < 128) {
            (void)takt_can_write(&kvaser, 0, &frame);
            takt_sleep(200);
        }
        takt_sleep(5000);
        for (uint32_t i = 0; i < 300; i++) {
            EXPECT_EQ(takt_can_write(&kvaser, 1, &frame), TAKT_OK);
            takt_sleep(1000);
        }
        takt_sleep(50000);
    }, 2 * SECOND);
    EXPECT_EQ(truth(core, 1).sent, 300u);
    EXPECT_LT(truth(core, 0).sent, 160u);
}

TEST_F(Hydra, BusOffIsToldAndLeftBehind)
{
    core = usb.device(USBCAN_HYDRA, [](auto &settings) { settings.recovery_ns = 60000000; });
    usb.plug_at(1000, core);
    int during = 0, state = 0;
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 3, 500000, 0);
        struct takt_can_frame frame = {};
        for (uint32_t i = 0; i < 20; i++) {
            EXPECT_EQ(takt_can_write(&kvaser, 3, &frame), TAKT_OK);
            takt_sleep(150);
        }
        Fault fault = {sim_now() * 1000, USBCAN_FAULT_BUS_OFF, 1, 3};
        usbcan_fault(core, &fault);
        for (uint32_t i = 0; i < 100 && takt_can_state(&kvaser, 3) != TAKT_CAN_BUS_OFF; i++)
            takt_sleep(200);
        during = takt_can_write(&kvaser, 3, &frame);
        takt_sleep(100000);
        state = takt_can_state(&kvaser, 3);
        EXPECT_EQ(takt_can_write(&kvaser, 3, &frame), TAKT_OK);
        takt_sleep(100000);
    }, SECOND);
    EXPECT_EQ(during, TAKT_EBUS);
    EXPECT_EQ(state, TAKT_CAN_ACTIVE);
    EXPECT_EQ(counted(3).bus_offs, 1u);
    EXPECT_EQ(counted(3).sent + counted(3).unsent, 21u);
    EXPECT_EQ(counted(3).sent, truth(core, 3).sent);
}

TEST_F(Hydra, ListensOnly)
{
    usb.plug_at(1000, core);
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 0, 500000, TAKT_CAN_LISTEN_ONLY);
        struct takt_can_frame frame = {};
        EXPECT_EQ(takt_can_write(&kvaser, 0, &frame), TAKT_EINVAL);
        traffic(core, 0, 1000);
        EXPECT_GT(drain(0, sim_now() + 100000), 80u);
    }, SECOND);
}

TEST_F(Hydra, BadArguments)
{
    usb.plug_at(1000, core);
    run([&] {
        struct takt_can_frame frame = {};
        EXPECT_EQ(takt_can_open(&kvaser, 5, 500000, 0), TAKT_EINVAL);
        EXPECT_EQ(takt_can_open(&kvaser, 0, 9999, 0), TAKT_EINVAL);
        EXPECT_EQ(takt_can_open(&kvaser, 0, 1000001, 0), TAKT_EINVAL);
        EXPECT_EQ(takt_can_open(&kvaser, 0, 500000, 4), TAKT_EINVAL);
        EXPECT_EQ(takt_can_read(&kvaser, 5, &frame), TAKT_EINVAL);
        EXPECT_EQ(takt_can_wait(&kvaser, 5, 0), TAKT_EINVAL);
        EXPECT_EQ(takt_can_state(&kvaser, 5), TAKT_EINVAL);
        wait_until_there();
        EXPECT_EQ(takt_can_open(&kvaser, 0, 333333, 0), TAKT_EINVAL); /* no divisor of 80 MHz */
        EXPECT_EQ(takt_can_state(&kvaser, 0), TAKT_CAN_CLOSED);
        EXPECT_EQ(takt_can_write(&kvaser, 0, &frame), TAKT_EINVAL);
        EXPECT_EQ(takt_can_open(&kvaser, 0, 500000, 0), TAKT_OK);
        EXPECT_EQ(takt_can_wait(&kvaser, 0, 5000), TAKT_ETIMEOUT);
        frame.length = 9;
        EXPECT_EQ(takt_can_write(&kvaser, 0, &frame), TAKT_EINVAL);
        frame.length = 8;
        frame.id = 0x800;
        EXPECT_EQ(takt_can_write(&kvaser, 0, &frame), TAKT_EINVAL);
        frame.flags = TAKT_CAN_EXTENDED;
        EXPECT_EQ(takt_can_write(&kvaser, 0, &frame), TAKT_OK);
        EXPECT_EQ(takt_can_close(&kvaser, 0), TAKT_OK);
        EXPECT_EQ(takt_can_state(&kvaser, 0), TAKT_CAN_CLOSED);
    }, SECOND);
}
