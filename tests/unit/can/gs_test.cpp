#include "usb_fake.h"

#include <cstring>
#include <gtest/gtest.h>
#include <takt/can.h>
#include <takt/time.h>

extern "C" {
#include <can/adapter.h>
}

extern "C" const struct takt_thread takt_thread_usb = {};

static struct takt_endpoint in_end = {nullptr, &can_in_ops, nullptr, nullptr, "in", nullptr,
                                      sizeof(struct takt_can_frame), TAKT_IN, nullptr};
alignas(64) static char room[CAN_ROOM_BYTES];
static struct takt_can_adapter candle = {&can_gs, &in_end, nullptr, room, nullptr};
__attribute__((section("takt_can_adapters"), used)) static struct takt_can_adapter *const one =
    &candle;

enum { SECOND = 1000000 };

class Gs : public testing::Test {
public:
    Gs() : usb(p)
    {
        if (candle.state != nullptr)
            memset(static_cast<void *>(candle.state), 0, sizeof *candle.state);
        candle.state = nullptr;
        in_end.driver = &candle;
        in_end.pipes = nullptr;
        core = usb.device(USBCAN_GS);
        p.thread([] { can_receive(&candle); }, 1000, 4000);
    }

    void run(std::function<void()> body, uint64_t until)
    {
        p.thread([body] {
            while (takt_can_channels(&candle) == 0)
                takt_sleep(1000);
            body();
        });
        p.thread([this] { usb.host_thread(); });
        usb.plug_at(1000, core);
        ASSERT_EQ(p.run(until), SIM_TIME) << sim_fatal_line();
    }

    uint32_t drain(uint64_t until)
    {
        struct takt_can_frame frame;
        uint32_t got = 0;
        while (sim_now() < until &&
               takt_can_wait(&candle, 0, static_cast<uint32_t>(until - sim_now())) == TAKT_OK)
            while (takt_can_read(&candle, 0, &frame) == TAKT_OK) {
                uint32_t truth_us = frame.data[4] | frame.data[5] << 8 | frame.data[6] << 16 |
                                    static_cast<uint32_t>(frame.data[7]) << 24;
                uint32_t error = truth_us - frame.at;
                late = error > late ? error : late;
                got++;
            }
        return got;
    }

    struct takt_can_counters counted()
    {
        struct takt_can_counters counters;
        takt_can_count(&candle, 0, &counters);
        return counters;
    }

    struct takt_can_adapter_counters adapter()
    {
        struct takt_can_adapter_counters counters;
        takt_can_adapter_count(&candle, &counters);
        return counters;
    }

    Program p;
    FakeUsb usb;
    struct usbcan *core;
    uint32_t late = 0;
};

TEST_F(Gs, EveryFrameArrivesAtItsInstant)
{
    run([&] {
        EXPECT_EQ(takt_can_open(&candle, 0, 1000000, 0), TAKT_OK);
        traffic(core, 0, 200);
        drain(sim_now() + SECOND);
        traffic(core, 0, 200, 0, 0, 1);
        drain(sim_now() + 50000);
    }, 2 * SECOND);
    EXPECT_NEAR(counted().received, 5000, 60);
    EXPECT_EQ(counted().received, truth(core, 0).heard);
    EXPECT_EQ(counted().overruns + counted().overflow, 0u);
    EXPECT_EQ(truth(core, 0).dropped, 0u);
    EXPECT_LT(late, 200u);
    EXPECT_EQ(adapter().malformed + adapter().strange, 0u);
}

TEST_F(Gs, SendsWithItsEchoes)
{
    run([&] {
        takt_can_open(&candle, 0, 500000, 0);
        for (uint32_t i = 0; i < 500; i++) {
            struct takt_can_frame frame = {};
            frame.id = i;
            frame.length = static_cast<uint8_t>(i % 9);
            frame.flags = i % 3 == 0 ? TAKT_CAN_EXTENDED : 0;
            while (takt_can_write(&candle, 0, &frame) == TAKT_EAGAIN)
                takt_sleep(1000);
        }
        takt_sleep(100000);
    }, 3 * SECOND);
    EXPECT_EQ(truth(core, 0).sent, 500u);
    EXPECT_EQ(counted().sent, 500u);
    EXPECT_EQ(takt_can_queued(&candle, 0), 0u);
}

TEST_F(Gs, BusOffAndErrors)
{
    int state = 0;
    run([&] {
        takt_can_open(&candle, 0, 500000, 0);
        traffic(core, 0, 1000);
        Fault damaged = {sim_now() * 1000, USBCAN_FAULT_BUS_ERROR, 5, 0};
        usbcan_fault(core, &damaged);
        takt_sleep(50000);
        Fault off = {sim_now() * 1000, USBCAN_FAULT_BUS_OFF, 1, 0};
        usbcan_fault(core, &off);
        takt_sleep(200000);
        state = takt_can_state(&candle, 0);
    }, SECOND);
    EXPECT_EQ(counted().bus_offs, 1u);
    EXPECT_EQ(counted().bus_errors, truth(core, 0).damaged);
    EXPECT_EQ(state, TAKT_CAN_ACTIVE);
}

/* The flag comes with whatever is sent next, be it what came back of the host's. */
TEST_F(Gs, AnOverrunToldOfByAnEchoIsCounted)
{
    run([&] {
        takt_can_open(&candle, 0, 500000, 0);
        uint8_t echo[24] = {99};
        echo[10] = 1;
        can_gs.parse(candle.state, echo, sizeof echo);
    }, SECOND);
    EXPECT_EQ(counted().overruns, 1u);
}

TEST_F(Gs, PulledOutWhileItSendsAndBackInAnotherPort)
{
    uint32_t taken = 0, gone = 0;
    run([&] {
        usb.pull_at(SECOND, core);
        usb.plug_at(SECOND + 500000, core, 4);
        takt_can_open(&candle, 0, 125000, 0);
        struct takt_can_frame frame = {};
        frame.length = 8;
        while (sim_now() < 3 * SECOND) {
            int result = takt_can_write(&candle, 0, &frame);
            taken += result == TAKT_OK;
            gone += result == TAKT_EGONE;
            takt_sleep(300);
        }
        takt_sleep(100000);
    }, 4 * SECOND);
    EXPECT_GT(gone, 1000u);
    EXPECT_GT(taken, 1500u);
    EXPECT_EQ(counted().sent + counted().unsent, taken);
    EXPECT_GT(counted().unsent, 0u);
    EXPECT_LE(counted().unsent, 10u);
    EXPECT_EQ(adapter().plugged, 2u);
}

TEST_F(Gs, BadRatesAndChannels)
{
    run([&] {
        EXPECT_EQ(takt_can_open(&candle, 1, 500000, 0), TAKT_EINVAL);
        EXPECT_EQ(takt_can_open(&candle, 0, 333333, 0), TAKT_EINVAL);
        EXPECT_EQ(takt_can_open(&candle, 0, 500000, TAKT_CAN_LISTEN_ONLY), TAKT_OK);
    }, SECOND);
}

class GsFault : public Gs, public testing::WithParamInterface<Fault> {};

TEST_P(GsFault, CostsWhatItMustAndNoMore)
{
    uint32_t later = 0;
    run([&] {
        takt_can_open(&candle, 0, 500000, 0);
        traffic(core, 0, 500);
        Fault fault = GetParam();
        fault.ns = (sim_now() + 100000) * 1000;
        usbcan_fault(core, &fault);
        drain(sim_now() + SECOND);
        later = drain(sim_now() + SECOND);
    }, 3 * SECOND);
    EXPECT_NEAR(later, 2000, 40);
    auto t = truth(core, 0);
    EXPECT_LE(t.delivered - counted().received, 2u * GetParam().count + 16);
    EXPECT_TRUE(t.delivered - counted().received <= 16 ||
                adapter().malformed + adapter().retried + adapter().strange > 0);
}

INSTANTIATE_TEST_SUITE_P(All, GsFault, testing::Values(
    Fault{0, USBCAN_FAULT_STALL, 1, 0x81},
    Fault{0, USBCAN_FAULT_SHORT, 20, 10},
    Fault{0, USBCAN_FAULT_GARBAGE, 5, 3},
    Fault{0, USBCAN_FAULT_BABBLE, 2, 0}));
