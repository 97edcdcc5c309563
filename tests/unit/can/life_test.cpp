#include "hydra_fixture.h"

/* What an adapter lives through: other ports, late answers, many questions, being stopped with
 * frames in its queue, silence. */

TEST_F(Hydra, BackInAnotherPort)
{
    usb.plug_at(1000, core, 1);
    usb.pull_at(SECOND, core);
    usb.plug_at(SECOND + 300000, core, 3);
    usb.pull_at(2 * SECOND, core);
    usb.plug_at(2 * SECOND + 300000, core, 1);
    uint32_t got[3] = {};
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 1, 500000, 0);
        traffic(core, 1, 1000);
        for (auto &n : got) {
            struct takt_can_frame old; /* what came while nobody read */
            while (takt_can_read(&kvaser, 1, &old) == TAKT_OK)
                ;
            n = drain(1, sim_now() + 400000);
            while (takt_can_channels(&kvaser) != 0 && sim_now() < 2 * SECOND + 500000)
                takt_sleep(1000);
            wait_until_there();
        }
    }, 3 * SECOND + 500000);
    EXPECT_NEAR(got[0], 400, 30);
    EXPECT_NEAR(got[1], 400, 60); /* the channel is opened after the adapter is there */
    EXPECT_NEAR(got[2], 400, 60);
    EXPECT_EQ(counted().plugged, 3u);
    EXPECT_EQ(counted().failed, 0u);
    EXPECT_EQ(takt_can_state(&kvaser, 1), TAKT_CAN_ACTIVE); /* opened each time */
}

/* One that is pulled out and put into another port before the host has dealt with the first. */
TEST_F(Hydra, MovedAtOnce)
{
    usb.plug_at(1000, core, 1);
    usb.pull_at(SECOND, core);
    usb.plug_at(SECOND + 50, core, 2);
    uint32_t got = 0;
    run([&] {
        takt_can_open(&kvaser, 1, 500000, 0);
        traffic(core, 1, 1000);
        takt_sleep_until(SECOND + 300000);
        wait_until_there();
        got = drain(1, 2 * SECOND - 10000);
    }, 2 * SECOND);
    EXPECT_GT(got, 600u);
    EXPECT_EQ(counted().plugged, 2u);
}

class LateAnswers : public Hydra, public testing::WithParamInterface<uint32_t> {};

/* The n-th answer of opening a channel comes after the question was given up. */
TEST_P(LateAnswers, ToOpeningAChannel)
{
    usb.plug_at(1000, core);
    int opened = 1, again = 1;
    uint32_t got = 0;
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 0, 500000, 0);
        /* those before it come in time */
        Fault late = {sim_now() * 1000, USBCAN_FAULT_LATE, GetParam(), 1200000000};
        usbcan_fault(core, &late);
        opened = takt_can_open(&kvaser, 2, 500000, 0);
        takt_sleep(2 * SECOND);
        again = opened == TAKT_OK ? opened : takt_can_open(&kvaser, 2, 500000, 0);
        traffic(core, 2, 1000);
        got = drain(2, sim_now() + SECOND);
    }, 16 * SECOND);
    EXPECT_TRUE(opened == TAKT_OK || opened == TAKT_ETIMEOUT) << opened;
    EXPECT_EQ(again, TAKT_OK);
    EXPECT_GE(counted().timeouts, 1u);
    EXPECT_GE(counted().strange, 1u); /* the late one */
    EXPECT_GT(got, 900u);
    EXPECT_EQ(takt_can_state(&kvaser, 2), TAKT_CAN_ACTIVE);
}

INSTANTIATE_TEST_SUITE_P(All, LateAnswers, testing::Values(1, 2, 3, 4));

/* A reading of the clock that comes after the next one was asked for is not taken for that. */
TEST_F(Hydra, AReadingOfTheClockThatComesLate)
{
    usb.plug_at(1000, core);
    bool later = false;
    run([&] {
        wait_until_there();
        takt_can_open(&kvaser, 1, 500000, 0);
        traffic(core, 1, 1000);
        Fault late = {sim_now() * 1000, USBCAN_FAULT_LATE, 1, 1040000000};
        usbcan_fault(core, &late);
        uint64_t end = sim_now() + 4 * SECOND;
        while (sim_now() < end && takt_can_wait(&kvaser, 1, 100000) == TAKT_OK) {
            struct takt_can_frame f;
            while (takt_can_read(&kvaser, 1, &f) == TAKT_OK) {
                uint32_t truth_us = f.data[4] | f.data[5] << 8 | f.data[6] << 16 |
                                    static_cast<uint32_t>(f.data[7]) << 24;
                later = later || takt_before(truth_us, f.at);
            }
        }
    }, 6 * SECOND);
    EXPECT_FALSE(later); /* no frame's instant is later than it was */
    EXPECT_GE(counted().strange, 1u);
}

/* The way out stops when nothing but the clock is asked for. */
TEST_F(Hydra, AStallThatNobodyMeetsButTheClock)
{
    usb.plug_at(1000, core);
    run([&] {
        struct takt_can_frame frame = {};
        wait_until_there();
        takt_can_open(&kvaser, 1, 500000, 0);
        Fault fault = {sim_now() * 1000, USBCAN_FAULT_STALL, 1, 0x02};
        usbcan_fault(core, &fault);
        takt_sleep(4 * SECOND);
        for (uint32_t i = 0; i < 10; i++) {
            EXPECT_EQ(takt_can_write(&kvaser, 1, &frame), TAKT_OK);
            takt_sleep(10000);
        }
    }, 6 * SECOND);
    EXPECT_EQ(counted(1).sent, 10u);
    EXPECT_EQ(counted().retried, 1u);
}

/* It met a write, whose caller has to try again. */
TEST_F(Hydra, AWayOutThatIsHaltedIsMendedForWhoWrites)
{
    usb.plug_at(1000, core);
    uint32_t tries = 0;
    run([&] {
        struct takt_can_frame frame = {};
        wait_until_there();
        takt_can_open(&kvaser, 1, 500000, 0);
        kvaser.state->out->state = USB_HALTED;
        while (takt_can_write(&kvaser, 1, &frame) != TAKT_OK && ++tries < 1000)
            takt_sleep(1000);
        takt_sleep(100000);
    }, 3 * SECOND);
    EXPECT_LT(tries, 50u);
    EXPECT_EQ(counted(1).sent, 1u);
}

TEST_F(Hydra, ARefusalIsToldAtOnce)
{
    usb.plug_at(1000, core);
    uint64_t took = 0;
    int result = 0;
    run([&] {
        wait_until_there();
        kvaser.state->addresses[1] = 0x3D; /* nobody */
        took = sim_now();
        result = takt_can_open(&kvaser, 1, 500000, 0);
        took = sim_now() - took;
    }, 5 * SECOND);
    EXPECT_EQ(result, TAKT_EREFUSED);
    EXPECT_LT(took, 100000u);
    EXPECT_EQ(counted().refused, 1u);
    EXPECT_EQ(counted().timeouts, 0u);
}

/* Numbers of questions are used again after some 3600. */
TEST_F(Hydra, MoreQuestionsThanThereAreNumbers)
{
    usb.plug_at(1000, core);
    uint32_t opened = 0;
    run([&] {
        wait_until_there();
        for (uint32_t i = 0; i < 800; i++)
            opened += takt_can_open(&kvaser, static_cast<uint8_t>(i % 5), 500000, 0) == TAKT_OK;
    }, 70 * SECOND);
    EXPECT_EQ(opened, 800u);
    EXPECT_EQ(counted().timeouts + counted().strange, 0u);
}

TEST_F(Hydra, StoppedWithFramesInItsQueue)
{
    usb.plug_at(1000, core);
    uint32_t taken = 0;
    run([&] {
        struct takt_can_frame frame = {};
        frame.length = 8;
        wait_until_there();
        for (uint32_t round = 0; round < 20; round++) {
            EXPECT_EQ(takt_can_open(&kvaser, 1, 50000, 0), TAKT_OK);
            uint64_t end = sim_now() + 20000 + 1000 * round;
            while (sim_now() < end) {
                taken += takt_can_write(&kvaser, 1, &frame) == TAKT_OK;
                takt_sleep(100);
            }
            EXPECT_GT(takt_can_queued(&kvaser, 1), 0u);
            if (round % 2 == 0) {
                EXPECT_EQ(takt_can_close(&kvaser, 1), TAKT_OK);
                EXPECT_EQ(takt_can_queued(&kvaser, 1), 0u);
                EXPECT_EQ(takt_can_write(&kvaser, 1, &frame), TAKT_EINVAL);
            }
        }
        takt_can_close(&kvaser, 1);
    }, 10 * SECOND);
    EXPECT_GT(taken, 500u);
    EXPECT_EQ(counted(1).sent + counted(1).unsent, taken);
    EXPECT_LE(counted(1).sent, truth(core, 1).sent);
    EXPECT_EQ(counted(1).unsent - truth(core, 1).unsent, truth(core, 1).sent - counted(1).sent);
}

/* An adapter that loses what waits to be sent when its controller goes bus-off. */
TEST_F(Hydra, FramesThatBusOffHasSweptAwayAreGivenUp)
{
    core = usb.device(USBCAN_HYDRA, [](auto &settings) { settings.recovery_ns = 300000000; });
    usb.plug_at(1000, core);
    uint32_t taken = 0;
    run([&] {
        struct takt_can_frame frame = {};
        wait_until_there();
        takt_can_open(&kvaser, 3, 10000, 0); /* slow: they wait */
        for (uint32_t i = 0; i < 20; i++) {
            taken += takt_can_write(&kvaser, 3, &frame) == TAKT_OK;
            takt_sleep(500);
        }
        Fault off = {sim_now() * 1000, USBCAN_FAULT_BUS_OFF, 1, 3};
        usbcan_fault(core, &off);
        takt_sleep(20000);
        EXPECT_EQ(takt_can_state(&kvaser, 3), TAKT_CAN_BUS_OFF);
        /* swept away: a flush, whose answer nobody waits for */
        uint8_t flush[32] = {48, static_cast<uint8_t>(kvaser.state->addresses[3]), 1, 0};
        EXPECT_EQ(usbcan_out(core, sim_now() * 1000, 2, flush, sizeof flush), 32);
        takt_sleep(3 * SECOND);
        EXPECT_EQ(takt_can_state(&kvaser, 3), TAKT_CAN_ACTIVE);
        EXPECT_EQ(takt_can_queued(&kvaser, 3), 0u);
        taken += takt_can_write(&kvaser, 3, &frame) == TAKT_OK;
        takt_sleep(200000);
    }, 5 * SECOND);
    EXPECT_EQ(taken, 21u);
    EXPECT_EQ(counted(3).sent + counted(3).unsent, 21u);
    EXPECT_EQ(counted(3).sent, truth(core, 3).sent);
}

/* The first frame that was ever sent brings bus-off, and is sent when that is over. */
TEST_F(Hydra, AFrameThatWaitsForTheEndOfBusOffIsNotGivenUp)
{
    core = usb.device(USBCAN_HYDRA, [](auto &settings) { settings.recovery_ns = 2700000000; });
    usb.plug_at(1000, core);
    run([&] {
        struct takt_can_frame frame = {};
        wait_until_there();
        takt_can_open(&kvaser, 3, 10000, 0);
        Fault off = {sim_now() * 1000 + 2000000, USBCAN_FAULT_BUS_OFF, 1, 3};
        usbcan_fault(core, &off);
        EXPECT_EQ(takt_can_write(&kvaser, 3, &frame), TAKT_OK);
    }, 5 * SECOND);
    EXPECT_EQ(counted(3).bus_offs, 1u);
    EXPECT_EQ(counted(3).sent, 1u);
    EXPECT_EQ(counted(3).unsent, 0u);
}
