#include "hydra_fixture.h"

/* Each way in which frames are lost, made on purpose: the counters tell of it, and so do those of
 * the pipes that may have lost them. Channels 0 and 1 have pipes, channel 2 has none. */
class HydraLoss : public Hydra {
public:
    enum { PIPES = 2, SLOTS = 127 };

    HydraLoss()
    {
        for (uint8_t i = 0; i < PIPES; i++) {
            pipes[i] = TAKT_PIPE_INIT(500, 5000, &in_end, read_all, nullptr, nullptr, SLOTS,
                                      sizeof(struct takt_can_frame), items[i], i);
            p.thread([this, i] {
                takt_pipe_begin(&pipes[i]);
                for (;;) {
                    takt_pipe_wait(&pipes[i]);
                    if (!idle)
                        read_all(&pipes[i]);
                }
            }, 500, 5000);
        }
        usb.plug_at(1000, core);
    }

    static void *read_all(void *pipe)
    {
        struct takt_can_frame frame;
        while (takt_pipe_read(static_cast<struct takt_pipe *>(pipe), &frame) == TAKT_OK)
            ;
        return nullptr;
    }

    /* With all three channels open. */
    void with_channels(std::function<void()> body, uint64_t until = SECOND)
    {
        run([=, this] {
            wait_until_there();
            for (uint8_t i = 0; i < 3; i++)
                EXPECT_EQ(takt_can_open(&kvaser, i, 500000, 0), TAKT_OK);
            body();
        }, until);
    }

    void busy(uint8_t channel, uint32_t us)
    {
        traffic(core, channel, us);
    }

    void silence()
    {
        for (uint8_t i = 0; i < 3; i++)
            traffic(core, i, 100, 0, 0, 1);
        takt_sleep(50000);
    }

    void fault(uint32_t kind, uint32_t count, uint64_t argument = 0)
    {
        Fault one = {sim_now() * 1000, kind, count, argument};
        EXPECT_EQ(usbcan_fault(core, &one), 0);
    }

    /* As if the adapter had sent this. */
    void parse(const std::vector<uint8_t> &bytes)
    {
        kvaser.kind->parse(kvaser.state, bytes.data(), static_cast<uint32_t>(bytes.size()));
    }

    uint32_t flagged()
    {
        struct usbcan_counters device;
        usbcan_counters(core, &device);
        return static_cast<uint32_t>(device.flagged);
    }

    struct takt_pipe pipes[PIPES];
    char items[PIPES][(SLOTS + 1) * sizeof(struct takt_can_frame)];
    bool idle = false;
};

TEST_F(HydraLoss, NothingWithoutACause)
{
    with_channels([&] {
        busy(0, 500);
        busy(1, 700);
        takt_sleep(300000);
        silence();
    });
    EXPECT_EQ(pipes[0].stats.lost + pipes[1].stats.lost, 0u);
    EXPECT_EQ(counted().malformed + counted().retried + counted().strange, 0u);
}

TEST_F(HydraLoss, InTheAdaptersBuffer)
{
    with_channels([&] {
        busy(0, 100);
        busy(1, 100);
        takt_sleep(200000);
        silence();
    });
    EXPECT_GT(flagged(), 5u);
    EXPECT_EQ(counted(0).overruns + counted(1).overruns, flagged());
    EXPECT_EQ(pipes[0].stats.lost, counted(0).overruns);
    EXPECT_EQ(pipes[1].stats.lost, counted(1).overruns);
}

TEST_F(HydraLoss, InTheAdaptersBufferToldOfByAChannelWithoutAPipe)
{
    with_channels([&] {
        busy(0, 3000);
        busy(2, 50);
        takt_sleep(200000);
        silence();
    });
    EXPECT_GT(counted(2).overruns, 5u);
    EXPECT_EQ(pipes[0].stats.lost, counted(0).overruns + counted(2).overruns);
    EXPECT_EQ(pipes[1].stats.lost, counted(1).overruns + counted(2).overruns);
}

TEST_F(HydraLoss, InAChannelsBuffer)
{
    with_channels([&] {
        busy(2, 300);
        takt_sleep(200000);
        silence();
    });
    EXPECT_EQ(counted(2).received, truth(core, 2).delivered);
    EXPECT_EQ(counted(2).overflow, counted(2).received - TAKT_CAN_FRAMES);
}

TEST_F(HydraLoss, InAPipesBuffer)
{
    idle = true;
    with_channels([&] {
        busy(1, 500);
        takt_sleep(200000);
        silence();
    });
    EXPECT_GT(counted(1).overflow, 0u);
    EXPECT_EQ(counted(1).overflow, counted(1).received - SLOTS);
    EXPECT_EQ(pipes[1].stats.overflow, counted(1).overflow);
    EXPECT_EQ(takt_can_lost(&kvaser), counted(1).overflow);
}

TEST_F(HydraLoss, InATransferThatBabbles)
{
    with_channels([&] {
        busy(0, 500);
        takt_sleep(50000);
        fault(USBCAN_FAULT_BABBLE, 3);
        takt_sleep(100000);
        silence();
    });
    EXPECT_GT(truth(core, 0).delivered, counted(0).received);
    EXPECT_EQ(counted().retried, 3u);
    EXPECT_EQ(counted().broken, 3u);
    EXPECT_EQ(takt_can_lost(&kvaser), 3u);
    EXPECT_EQ(pipes[0].stats.lost, 3u);
    EXPECT_EQ(pipes[1].stats.lost, 3u); /* it could have been theirs */
}

TEST_F(HydraLoss, AStallAloneLosesNothing)
{
    with_channels([&] {
        busy(0, 500);
        takt_sleep(50000);
        fault(USBCAN_FAULT_STALL, 1, 0x82);
        takt_sleep(100000);
        silence();
    });
    EXPECT_EQ(counted().retried, 1u);
    EXPECT_EQ(takt_can_lost(&kvaser), 0u);
    EXPECT_EQ(truth(core, 0).delivered, counted(0).received);
    EXPECT_EQ(pipes[0].stats.lost, 0u);
}

TEST_F(HydraLoss, InGarbage)
{
    with_channels([&] {
        fault(USBCAN_FAULT_GARBAGE, 4, 7);
        takt_sleep(100000);
    });
    EXPECT_GT(counted().malformed, 0u);
    EXPECT_EQ(pipes[0].stats.lost, counted().malformed);
    EXPECT_EQ(pipes[1].stats.lost, counted().malformed);
}

TEST_F(HydraLoss, BehindPaddingThatIsNone)
{
    with_channels([&] {
        std::vector<uint8_t> read(96);
        parse(read);
        EXPECT_EQ(counted().malformed, 0u);
        read[64] = 106; /* a frame behind nothing */
        parse(read);
    });
    EXPECT_EQ(counted().malformed, 1u);
    EXPECT_EQ(pipes[0].stats.lost, 1u);
}

TEST_F(HydraLoss, HalfAMessageWhenItIsPulledOut)
{
    usb.pull_at(SECOND / 2, core);
    with_channels([&] {
        std::vector<uint8_t> half(20);
        half[0] = 106;
        parse(half);
        EXPECT_EQ(counted().malformed, 0u);
        takt_sleep(400000);
    });
    EXPECT_EQ(takt_can_channels(&kvaser), 0);
    EXPECT_EQ(counted().malformed, 1u);
    EXPECT_EQ(pipes[0].stats.lost, 1u);
}

TEST_F(HydraLoss, OfAChannelThatIsNone)
{
    with_channels([&] {
        std::vector<uint8_t> frame(32);
        frame[0] = 106;
        frame[3] = 0xF0;
        parse(frame);
    });
    EXPECT_EQ(counted().malformed, 1u);
    EXPECT_EQ(pipes[0].stats.lost, 1u);
}

/* Frames whose acknowledgements are lost do not wait for ever, be it that none comes or others. */
TEST_F(HydraLoss, OfAcknowledgements)
{
    const std::vector<uint8_t> nonsense = {106, 0, 0, 0xF0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                           0,   0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    with_channels([&] {
        struct takt_can_frame frame = {};
        struct can_channel &c = kvaser.state->channels[2];
        for (uint32_t i = 0; i < TAKT_CAN_DIRECT; i++)
            EXPECT_GE(can_take_token(kvaser.state, &c, false), 0); /* as if it were sent */
        EXPECT_EQ(takt_can_write(&kvaser, 2, &frame), TAKT_EAGAIN);
        takt_sleep(3 * SECOND);
        EXPECT_EQ(takt_can_queued(&kvaser, 2), TAKT_CAN_DIRECT + 0u); /* it may be a slow bus */
        parse(nonsense);
        takt_sleep(3 * SECOND);
        EXPECT_EQ(takt_can_queued(&kvaser, 2), 0u);
        EXPECT_EQ(counted(2).unsent, TAKT_CAN_DIRECT + 0u);
        EXPECT_GE(can_take_token(kvaser.state, &c, false), 0);
        parse(nonsense);
        for (uint32_t i = 0; i < 400; i++) {
            takt_can_write(&kvaser, 2, &frame);
            takt_sleep(10000);
        }
    }, 12 * SECOND);
    EXPECT_EQ(takt_can_queued(&kvaser, 2), 0u);
    EXPECT_GT(counted(2).sent, 300u);
    EXPECT_EQ(counted(2).sent, truth(core, 2).sent);
    EXPECT_EQ(counted(2).unsent, TAKT_CAN_DIRECT + 1u);
    EXPECT_EQ(takt_can_unsent(&kvaser), TAKT_CAN_DIRECT + 1u);
    EXPECT_EQ(counted().strange, 0u);
}

/* What the caller still has is not lost. */
TEST_F(HydraLoss, NotAFrameThatWasNotTaken)
{
    int result = 0;
    with_channels([&] {
        kvaser.state->out->state = USB_HALTED;
        struct takt_can_frame frame = {};
        result = takt_can_write(&kvaser, 2, &frame);
        kvaser.state->out->state = USB_OPEN;
    });
    EXPECT_EQ(result, TAKT_EAGAIN);
    EXPECT_EQ(counted(2).unsent, 0u);
    EXPECT_EQ(takt_can_queued(&kvaser, 2), 0u);
}
