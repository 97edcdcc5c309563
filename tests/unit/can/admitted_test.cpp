#include "usb_fake.h"

#include <cstring>
#include <gtest/gtest.h>
#include <takt/admit_pipe.h>
#include <takt/can.h>
#include <takt/time.h>

extern "C" {
#include <can/adapter.h>
}

/* The most that admission grants an adapter loses nothing, whoever runs beside it. */

extern "C" const struct takt_thread takt_thread_usb = {};

enum { SECOND = 1000000, GRANTS = 25000 };

static struct takt_endpoint in_end = {nullptr, &can_in_ops, nullptr, nullptr, "in", nullptr,
                                      sizeof(struct takt_can_frame), TAKT_IN, nullptr};
static struct takt_can_adapter adapter = {&can_gs, &in_end, nullptr, nullptr};
__attribute__((section("takt_can_adapters"), used)) static struct takt_can_adapter *const one =
    &adapter;

struct Given {
    uint32_t kind;
    uint32_t period;   /* of the RX thread, us */
    uint32_t hog_c, hog_t; /* of a thread that is more urgent */
};

class Admitted : public testing::TestWithParam<Given> {
public:
    Admitted() : usb(p)
    {
        if (adapter.state != nullptr)
            memset(static_cast<void *>(adapter.state), 0, sizeof *adapter.state);
        adapter.state = nullptr;
        adapter.kind = GetParam().kind == USBCAN_GS ? &can_gs : &can_hydra;
        in_end.driver = &adapter;
        in_end.pipes = nullptr;
        core = usb.device(GetParam().kind);
        usbcan_settings settings;
        usbcan_defaults(&settings, GetParam().kind);
        channels = settings.channels;
    }

    /* Does admission grant each channel so many frames a second? */
    bool granted(uint32_t frames) const
    {
        const Given &g = GetParam();
        const struct takt_endpoint_attrs gs = CAN_IN_gs(g.period), hydra = CAN_IN_hydra(g.period);
        const struct takt_endpoint_attrs &attrs = g.kind == USBCAN_GS ? gs : hydra;
        const struct takt_admit_thread threads[] = {{g.hog_c, g.hog_t, 0, 0, 1},
                                                    {1000, g.period, 0, 0, 1}};
        const struct takt_admit_io io = {1, 10, 0, 0};
        const struct takt_admit_set set = {threads, nullptr, &io, 2, 0, 1, {}};
        struct takt_admit_rate rates[USBCAN_CHANNELS];
        for (auto &rate : rates)
            rate = takt_admit_rate(frames, 1000000000);
        struct takt_admit_endpoint end = {};
        end.attrs = &attrs;
        end.place = end.user = 1;
        end.shortest_us = end.longest_us = g.period;
        end.rates = rates;
        end.pipe_count = channels;
        struct takt_pipe_refusal why;
        return takt_admit_exact(&set, nullptr) == TAKT_OK &&
               takt_admit_endpoint(&set, &end, &why) == TAKT_OK;
    }

    uint32_t most_granted() const
    {
        uint32_t low = 0, high = GRANTS;
        while (high - low > 1) {
            uint32_t middle = (low + high) / 2;
            (granted(middle) ? low : high) = middle;
        }
        return low;
    }

    void busy(uint32_t frames)
    {
        for (uint8_t i = 0; i < channels; i++) {
            struct usbcan_traffic t = {};
            t.start_ns = sim_now() * 1000;
            t.shortest_ns = t.longest_ns = 1000000000 / frames + 1;
            t.length = 8;
            ASSERT_EQ(usbcan_traffic(core, i, &t), 0);
        }
    }

    void read_all()
    {
        struct takt_can_frame frame;
        for (uint8_t i = 0; i < channels; i++)
            while (takt_can_read(&adapter, i, &frame) == TAKT_OK)
                read++;
    }

    Program p;
    FakeUsb usb;
    struct usbcan *core;
    uint32_t channels, read = 0;
};

TEST_P(Admitted, TheMostThatIsGrantedIsNotLost)
{
    const Given &g = GetParam();
    uint32_t frames = most_granted();
    ASSERT_GT(frames, 0u);
    p.thread([&] {
        for (takt_time_t at = takt_now();; at += g.hog_t) {
            sim_consume(g.hog_c - 10);
            takt_sleep_until(at + g.hog_t);
        }
    }, g.hog_c, g.hog_t);
    p.thread([] { can_receive(&adapter); }, 1000, g.period);
    p.thread([&] {
        while (takt_can_channels(&adapter) == 0)
            takt_sleep(1000);
        for (uint8_t i = 0; i < channels; i++)
            EXPECT_EQ(takt_can_open(&adapter, i, 1000000, 0), TAKT_OK);
        busy(frames);
        for (;;) {
            takt_sleep(2000);
            read_all();
        }
    });
    p.thread([this] { usb.host_thread(); });
    usb.plug_at(1000, core);
    ASSERT_EQ(p.run(3 * SECOND), SIM_TIME) << sim_fatal_line();
    EXPECT_GT(read, frames * channels);
    for (uint8_t i = 0; i < channels; i++) {
        struct takt_can_counters c;
        takt_can_count(&adapter, i, &c);
        auto t = truth(core, i);
        EXPECT_EQ(t.dropped + t.overwritten, 0u) << frames << " frames/s on channel " << +i;
        EXPECT_EQ(c.overflow + c.overruns, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Admitted, testing::Values(
    Given{USBCAN_GS, 4000, 1000, 3000},
    Given{USBCAN_GS, 8000, 3000, 7000},
    Given{USBCAN_GS, 20000, 3000, 7000},
    Given{USBCAN_HYDRA, 4000, 1000, 3000},
    Given{USBCAN_HYDRA, 8000, 3000, 7000},
    Given{USBCAN_HYDRA, 20000, 3000, 7000}));
