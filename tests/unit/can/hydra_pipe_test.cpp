#include "hydra_fixture.h"

/* Pipes of a channel: a job reads or writes until there is no more, or no room. */
class HydraPipe : public Hydra {
public:
    HydraPipe()
    {
        from = TAKT_PIPE_INIT(500, 10000, &in_end, [](void *) -> void * { return self->job_in(); },
                              nullptr, nullptr, 127, sizeof(struct takt_can_frame), items[0], 4);
        to = TAKT_PIPE_INIT(500, 10000, &out_end, [](void *) -> void * { return self->job_out(); },
                            nullptr, nullptr, 127, sizeof(struct takt_can_frame), items[1], 3);
        self = this;
        p.thread([this] { jobs(from); }, 500, 10000);
    }

    static void jobs(struct takt_pipe &pipe)
    {
        takt_pipe_begin(&pipe);
        for (;;) {
            takt_pipe_wait(&pipe);
            pipe.func(pipe.arg);
        }
    }

    void *job_in()
    {
        struct takt_can_frame frame;
        int result;
        while ((result = takt_pipe_read(&from, &frame)) == TAKT_OK) {
            read++;
            oldest = std::max(oldest, takt_now() - frame.at);
        }
        gone += result == TAKT_EGONE;
        told = result;
        return nullptr;
    }

    void *job_out()
    {
        while (written < wanted) {
            struct takt_can_frame frame = {};
            frame.id = written & 0x7FF;
            frame.length = 8;
            if (takt_pipe_write(&to, &frame) != TAKT_OK)
                break;
            written++;
        }
        return nullptr;
    }

    static HydraPipe *self;
    struct takt_pipe from, to;
    char items[2][128 * sizeof(struct takt_can_frame)];
    uint32_t read = 0, oldest = 0, gone = 0, written = 0, wanted = 0;
    int told = TAKT_OK; /* by the last job's last read */
};
HydraPipe *HydraPipe::self;

TEST_F(HydraPipe, CarriesEveryFrameAlsoAfterAReplug)
{
    usb.plug_at(1000, core);
    usb.pull_at(2 * SECOND, core);
    usb.plug_at(3 * SECOND, core);
    uint32_t before = 0;
    run([&] {
        takt_can_open(&kvaser, 4, 500000, 0);
        wait_until_there();
        traffic(core, 4, 365);
        takt_sleep_until(2 * SECOND + 100000);
        before = read;
        takt_sleep_until(5 * SECOND - 100000);
        traffic(core, 4, 365, 0, 0, 1);
    }, 5 * SECOND);
    EXPECT_GT(before, 4000u);
    EXPECT_GT(read - before, 4000u);
    EXPECT_EQ(read, counted(4).received);
    EXPECT_EQ(counted(4).received + truth(core, 4).flushed, truth(core, 4).heard);
    EXPECT_EQ(gone, 2u); /* before it came, and when it went */
    EXPECT_EQ(from.stats.overflow + from.stats.lost, 0u);
}

TEST_F(HydraPipe, IsReadFromItsFirstFrameOn)
{
    usb.plug_at(1000, core);
    from.channel = 0;
    run([&] {
        for (uint8_t i = 0; i < 5; i++) {
            takt_can_open(&kvaser, i, 500000, 0);
            traffic(core, i, 1000);
        }
        takt_sleep(SECOND);
    }, 2 * SECOND);
    EXPECT_GT(read, 300u);
    EXPECT_LT(oldest, 40000u); /* not as old as the other channels take to open */
}

TEST_F(HydraPipe, OfAChannelThatTheAdapterHasNot)
{
    auto small = usb.device(USBCAN_HYDRA, [](auto &settings) { settings.channels = 4; });
    usb.plug_at(1000, small);
    usb.pull_at(SECOND, small);
    usb.plug_at(SECOND + 100000, core); /* this one has it */
    int first = 0, later = 0;
    run([&] {
        takt_can_open(&kvaser, 4, 500000, 0);
        wait_until_there();
        EXPECT_EQ(takt_can_channels(&kvaser), 4);
        takt_sleep(100000);
        first = told;
        takt_sleep_until(SECOND + 300000);
        traffic(core, 4, 1000);
        takt_sleep(200000);
        later = told;
    }, 2 * SECOND);
    EXPECT_EQ(first, TAKT_EINVAL);
    EXPECT_EQ(later, TAKT_EAGAIN);
    EXPECT_GT(read, 100u);
}

TEST_F(HydraPipe, OfAChannelThatHasOne)
{
    char more[128 * sizeof(struct takt_can_frame)];
    struct takt_pipe second = TAKT_PIPE_INIT(500, 10000, &in_end, nullptr, nullptr, nullptr, 127,
                                             sizeof(struct takt_can_frame), more, 4);
    usb.plug_at(1000, core);
    usb.pull_at(SECOND, core);
    usb.plug_at(SECOND + 100000, core);
    std::vector<int> results;
    p.thread([&] {
        takt_sleep(50000); /* until the first one has begun */
        takt_pipe_begin(&second);
        for (;;) {
            struct takt_can_frame frame;
            takt_pipe_wait(&second);
            results.push_back(takt_pipe_read(&second, &frame));
        }
    });
    run([&] {
        takt_can_open(&kvaser, 4, 500000, 0);
        traffic(core, 4, 1000);
    }, 2 * SECOND);
    EXPECT_EQ(results, std::vector<int>{TAKT_EREFUSED});
    EXPECT_NEAR(read, counted(4).received, 20); /* what has just come */
    EXPECT_GT(read, 1000u);
}

TEST_F(HydraPipe, SendsAllInOrder)
{
    static std::vector<uint32_t> ids;
    ids.clear();
    usbcan_watch(core, [](void *, const struct usbcan_frame *f) { ids.push_back(f->id); }, nullptr);
    usb.plug_at(1000, core);
    wanted = 5000;
    p.thread([this] { jobs(to); }, 500, 10000);
    run([&] {
        takt_can_open(&kvaser, 3, 1000000, 0);
        wait_until_there();
        takt_sleep(2 * SECOND);
    }, 3 * SECOND);
    EXPECT_EQ(truth(core, 3).sent, 5000u);
    EXPECT_EQ(counted(3).sent, 5000u);
    ASSERT_EQ(ids.size(), 5000u);
    for (uint32_t i = 0; i < ids.size(); i++)
        ASSERT_EQ(ids[i], i & 0x7FF);
    EXPECT_EQ(to.stats.lost, 0u);
}

TEST_F(HydraPipe, WhatIsUnderWayWhenItIsPulledOutIsCounted)
{
    usb.plug_at(1000, core);
    usb.pull_at(SECOND + 3333, core);
    usb.plug_at(2 * SECOND, core);
    wanted = 6000;
    p.thread([this] { jobs(to); }, 500, 10000);
    run([&] {
        takt_can_open(&kvaser, 3, 500000, 0);
        takt_sleep(5 * SECOND);
    }, 6 * SECOND);
    EXPECT_EQ(written, 6000u);
    EXPECT_EQ(counted(3).sent + counted(3).unsent, 6000u);
    EXPECT_EQ(to.stats.lost, counted(3).unsent);
    EXPECT_GT(counted(3).unsent, 0u);
    EXPECT_LE(counted(3).unsent, 128u);
    EXPECT_LE(counted(3).sent, truth(core, 3).sent);
}
