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

enum { SECOND = 1000000, GRANTS = 25000, SLOTS = 256 };

static struct takt_endpoint in_end = {nullptr, &can_in_ops, nullptr, nullptr, "in", nullptr,
                                      sizeof(struct takt_can_frame), TAKT_IN, nullptr};
static struct takt_endpoint out_end = {nullptr, &can_out_ops, nullptr, nullptr, "out", nullptr,
                                       sizeof(struct takt_can_frame), TAKT_OUT, nullptr};
alignas(64) static char room[CAN_ROOM_BYTES];
static struct takt_can_adapter adapter = {&can_gs, &in_end, &out_end, room, nullptr};
__attribute__((section("takt_can_adapters"), used)) static struct takt_can_adapter *const one =
    &adapter;

struct Given {
    uint32_t kind;
    uint32_t period;   /* of the RX thread, us */
    uint32_t hog_c, hog_t; /* of a thread that is more urgent */
    uint32_t sent;         /* frames a second that a pipe sends through each channel, at least */
};

class Admitted : public testing::TestWithParam<Given> {
public:
    Admitted() : usb(p)
    {
        if (adapter.state != nullptr)
            memset(static_cast<void *>(adapter.state), 0, sizeof *adapter.state);
        adapter.state = nullptr;
        adapter.kind = GetParam().kind == USBCAN_GS ? &can_gs : &can_hydra;
        const Given &g = GetParam();
        const struct takt_endpoint_attrs attrs[2][2] = {
            {CAN_IN_hydra(g.period), CAN_OUT_hydra(g.period)},
            {CAN_IN_gs(g.period), CAN_OUT_gs(g.period)}};
        in = attrs[g.kind == USBCAN_GS][0];
        out = attrs[g.kind == USBCAN_GS][1];
        in_end.attrs = &in;
        out_end.attrs = &out;
        in_end.driver = out_end.driver = &adapter;
        in_end.pipes = out_end.pipes = nullptr;
        qos = {1000000000, g.sent * 512ull, 64 * SLOTS, 100000};
        core = usb.device(GetParam().kind);
        usbcan_settings settings;
        usbcan_defaults(&settings, GetParam().kind);
        channels = settings.channels;
    }

    /* Does admission grant each channel so many frames a second? */
    bool granted(uint32_t frames) const
    {
        const Given &g = GetParam();
        const struct takt_admit_thread threads[] = {{g.hog_c, g.hog_t, 0, 0, 1},
                                                    {1000, g.period, 0, 0, 1}};
        const struct takt_admit_io io = {1, 10, 0, 0};
        const struct takt_admit_set set = {threads, nullptr, &io, 2, 0, 1, {}, nullptr, 0};
        struct takt_admit_rate rates[USBCAN_CHANNELS];
        for (auto &rate : rates)
            rate = takt_admit_rate(frames, 1000000000);
        struct takt_admit_endpoint end = {};
        const struct takt_admit_rate sent = takt_admit_rate(g.sent, 1000000000);
        end.attrs = &in;
        end.echoes = g.sent > 0 ? channels * takt_admit_echoes(&out, &in, &sent) : 0;
        end.echo_bytes = out.echo_bytes;
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

    static void jobs(struct takt_pipe &pipe)
    {
        takt_pipe_begin(&pipe);
        for (;;) {
            takt_pipe_wait(&pipe);
            pipe.func(&pipe);
        }
    }

    static void *read_all(void *pipe)
    {
        struct takt_can_frame frame;
        while (takt_pipe_read(static_cast<struct takt_pipe *>(pipe), &frame) == TAKT_OK)
            read++;
        return nullptr;
    }

    /* As much as there is room for. */
    static void *write_all(void *pipe)
    {
        struct takt_can_frame frame = {};
        frame.length = 8;
        while (takt_pipe_write(static_cast<struct takt_pipe *>(pipe), &frame) == TAKT_OK)
            ;
        return nullptr;
    }

    void write_without_pipes()
    {
        struct takt_can_frame frame = {};
        for (uint8_t i = 0; i < channels; i++)
            while (takt_can_write(&adapter, i, &frame) == TAKT_OK)
                direct++;
    }

    void make_pipes()
    {
        for (uint8_t i = 0; i < channels; i++) {
            const size_t size = sizeof(struct takt_can_frame);
            from[i] = TAKT_PIPE_INIT(500, 5000, &in_end, read_all, nullptr, nullptr, SLOTS, size,
                                     items[0][i], i);
            to[i] = TAKT_PIPE_INIT(500, 5000, &out_end, write_all, nullptr, &qos, SLOTS, size,
                                   items[1][i], i);
            p.thread([&, i] { jobs(from[i]); });
            if (GetParam().sent > 0)
                p.thread([&, i] { jobs(to[i]); });
        }
    }

    Program p;
    FakeUsb usb;
    struct usbcan *core;
    struct takt_endpoint_attrs in, out;
    struct takt_qos qos;
    struct takt_pipe from[USBCAN_CHANNELS], to[USBCAN_CHANNELS];
    char items[2][USBCAN_CHANNELS][(SLOTS + 1) * sizeof(struct takt_can_frame)];
    uint32_t channels, direct = 0;
    static uint32_t read;
};
uint32_t Admitted::read;

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
    p.thread([] { can_send(&adapter); }, 500, g.period);
    make_pipes();
    uint64_t begun = 0;
    read = 0;
    p.thread([&] {
        while (takt_can_channels(&adapter) == 0)
            takt_sleep(1000);
        for (uint8_t i = 0; i < channels; i++)
            EXPECT_EQ(takt_can_open(&adapter, i, 1000000, 0), TAKT_OK);
        begun = sim_now();
        busy(frames);
        for (;;) {
            write_without_pipes();
            takt_sleep(300);
        }
    });
    p.thread([this] { usb.host_thread(); });
    usb.plug_at(1000, core);
    ASSERT_EQ(p.run(3 * SECOND), SIM_TIME) << sim_fatal_line();
    EXPECT_GT(read, frames * channels);
    EXPECT_GT(direct, 100u);
    for (uint8_t i = 0; i < channels; i++) {
        struct takt_can_counters c;
        takt_can_count(&adapter, i, &c);
        auto t = truth(core, i);
        EXPECT_EQ(t.dropped + t.overwritten, 0u) << frames << " frames/s on channel " << +i;
        EXPECT_EQ(c.overflow + c.overruns, 0u);
        EXPECT_EQ(from[i].stats.lost + from[i].stats.overflow, 0u);
        EXPECT_GE(t.sent - direct * (i == 0), g.sent * (3 * SECOND - begun) / SECOND);
        EXPECT_EQ(c.unsent, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Admitted, testing::Values(
    Given{USBCAN_GS, 4000, 1000, 3000, 0},
    Given{USBCAN_GS, 8000, 3000, 7000, 0},
    Given{USBCAN_GS, 20000, 3000, 7000, 0},
    Given{USBCAN_GS, 4000, 1000, 3000, 400},
    Given{USBCAN_GS, 2000, 300, 1500, 800},
    Given{USBCAN_HYDRA, 4000, 1000, 3000, 0},
    Given{USBCAN_HYDRA, 8000, 3000, 7000, 0},
    Given{USBCAN_HYDRA, 20000, 3000, 7000, 0},
    Given{USBCAN_HYDRA, 4000, 1000, 3000, 300},
    Given{USBCAN_HYDRA, 2000, 300, 1500, 1500},
    Given{USBCAN_HYDRA, 8000, 3000, 7000, 250}));
