/* What goes wrong on the wire, and transfers that are taken back. */
#include "bus.h"

#include <takt/time.h>

class Recovery : public Bus {
public:
    Recovery() { c.plug(1, &gadget); }
    int read(uint32_t n = 512, uint32_t timeout = 100000)
    {
        return usb_move(find(0x81), data, n, timeout);
    }
    void check_good()
    {
        gadget.give(0x81, counting(100), 512);
        EXPECT_EQ(read(), 100);
        EXPECT_EQ(Bytes(data, data + 100), counting(100));
    }
    uint8_t data[16384];
};

TEST_F(Recovery, AStallHaltsAndClearingTheHaltMends)
{
    drive([this] {
        for (int i = 0; i < 5; i++) {
            gadget.answer(0x81, Answer::Stall);
            EXPECT_EQ(read(), TAKT_EREFUSED);
            EXPECT_EQ(read(), TAKT_EREFUSED) << "halted";
            EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_OK);
            check_good();
        }
        EXPECT_EQ(gadget.cleared, 5);
        EXPECT_EQ(usb_counters.stalls, 5u);
    });
}

TEST_F(Recovery, ErrorsOnTheWireAreTriedAgain)
{
    drive([this] {
        gadget.give(0x81, counting(512), 512);
        gadget.answer(0x81, Answer::Error);
        gadget.answer(0x81, Answer::Error);
        gadget.give(0x81, counting(100), 512);
        EXPECT_EQ(read(1024), 612) << "what came before the error is not lost, nor comes twice";
        EXPECT_EQ(Bytes(data, data + 512), counting(512));
        EXPECT_EQ(Bytes(data + 512, data + 612), counting(100));
        EXPECT_EQ(usb_counters.errors, 0u);
    });
}

TEST_F(Recovery, ButNotForEver)
{
    drive([this] {
        gadget.give(0x81, counting(512), 512);
        for (int i = 0; i < 4; i++)
            gadget.answer(0x81, Answer::Error);
        EXPECT_EQ(read(1024), TAKT_EBUS);
        EXPECT_EQ(usb_counters.errors, 1u);
        EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_OK);
        check_good();
    });
}

TEST_F(Recovery, ADeviceThatBabbles)
{
    drive([this] {
        gadget.in[0x81].push_back({Answer::Data, counting(300)});
        EXPECT_EQ(read(100), TAKT_EBUS);
        EXPECT_EQ(usb_counters.babbles, 1u);
        EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_OK);
        gadget.answer(0x81, Answer::Babble);
        EXPECT_EQ(read(100), TAKT_EBUS);
        EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_OK);
        check_good();
    });
}

static std::vector<std::pair<int, uint32_t>> ended;
static void note(struct usb_transfer *t)
{
    ended.push_back({t->result, t->moved});
}

TEST_F(Recovery, WhatIsBehindAnErrorEndsWithIt)
{
    ended.clear();
    drive([this] {
        static struct usb_transfer t[10];
        submit_all(t, 0x81, data, 512, note);
        gadget.give(0x81, counting(512), 512);
        gadget.answer(0x81, Answer::Stall);
        gadget.changed();
        takt_sleep(50000);
        EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_OK);
        check_good();
    });
    ASSERT_EQ(ended.size(), 10u);
    EXPECT_EQ(ended[0].first, 512);
    for (size_t i = 1; i < 10; i++)
        EXPECT_EQ(ended[i].first, TAKT_EREFUSED);
}

TEST_F(Recovery, ATimeoutTakesTheTransferBackAndTheNextOneGetsTheData)
{
    drive([this] {
        for (int i = 0; i < 100; i++) {
            takt_time_t began = takt_now();
            EXPECT_EQ(read(512, 3000), TAKT_ETIMEOUT);
            EXPECT_LE(takt_now() - began, 3000u + 5 * USB_SERVICE_US);
            check_good();
        }
        EXPECT_EQ(usb_counters.timeouts, 100u);
        EXPECT_EQ(usb_counters.strange, 0u);
    });
}

TEST_F(Recovery, WhatHadComeBeforeATimeoutIsThere)
{
    drive([this] {
        gadget.give(0x81, counting(1024), 512);
        struct usb_transfer t = {};
        t.endpoint = find(0x81);
        t.data = data;
        t.length = 4096;
        ASSERT_EQ(usb_submit(&t), TAKT_OK);
        EXPECT_EQ(usb_wait(&t, 3000), TAKT_ETIMEOUT);
        EXPECT_EQ(t.moved, 1024u);
        EXPECT_EQ(Bytes(data, data + 1024), counting(1024));
        check_good();
    });
}

/* One of several is taken back while the first one is in the middle: no byte of the others is lost
 * or comes twice. */
TEST_F(Recovery, TakingOneBackLeavesTheOthersWhereTheyAre)
{
    drive([this] {
        static struct usb_transfer t[4];
        static uint8_t buffers[4][2048];
        for (int round = 0; round < 40; round++) {
            int victim = round % 4;
            for (int i = 0; i < 4; i++) {
                t[i] = {};
                t[i].endpoint = find(0x81);
                t[i].data = buffers[i];
                t[i].length = 2048;
                ASSERT_EQ(usb_submit(&t[i]), TAKT_OK);
            }
            gadget.give(0x81, counting(1024), 512);
            takt_sleep(static_cast<uint32_t>(round) * 3);
            usb_cancel(&t[victim]);
            Bytes rest = counting(4 * 2048);
            gadget.give(0x81, Bytes(rest.begin() + 1024, rest.end()), 512);
            Bytes got;
            for (int i = 0; i < 4; i++) {
                int result = usb_wait(&t[i], i == victim ? 100000 : 200000);
                if (i == victim)
                    EXPECT_TRUE(result == TAKT_ETIMEOUT || result == 2048) << result;
                else
                    EXPECT_EQ(result, 2048) << round << " " << i;
                got.insert(got.end(), buffers[i], buffers[i] + t[i].moved);
            }
            rest.resize(got.size());
            EXPECT_EQ(got, rest) << round;
            gadget.in[0x81].clear();
        }
        EXPECT_EQ(usb_counters.strange, 0u);
    });
}

/* A doorbell is answered late, and what the context says is late, too. */
TEST_F(Recovery, TakenBackBeforeTheEndpointRunsAgain)
{
    c.command_us = 200;
    c.context_us = 300;
    drive([this] {
        static struct usb_transfer t[3];
        for (int round = 0; round < 60; round++) {
            c.doorbell_us = 100 + static_cast<uint32_t>(round) * 25;
            submit_all(t, 0x81, data, 512, nullptr);
            usb_cancel(&t[0]);
            EXPECT_EQ(usb_wait(&t[0], 100000), TAKT_ETIMEOUT);
            takt_sleep(900 + static_cast<uint32_t>(round) * 20); /* rung for again */
            usb_cancel(&t[1]);
            EXPECT_EQ(usb_wait(&t[1], 100000), TAKT_ETIMEOUT);
            gadget.give(0x81, counting(100, static_cast<uint8_t>(round)), 512);
            EXPECT_EQ(usb_wait(&t[2], 100000), 100) << round;
        }
        check_good();
        EXPECT_EQ(usb_counters.strange, 0u);
        EXPECT_GT(c.refused, 0) << "the test is to hit the moment";
        EXPECT_EQ(c.refused_placing, 0) << "the ring was changed while the endpoint ran";
        EXPECT_EQ(c.mismatched, 0);
    }, 10000000);
}

/* The controller says that it has stopped, though it was to run: after a time it is believed. */
TEST_F(Recovery, AnEndpointThatNeverRunsAgain)
{
    drive([this] {
        EXPECT_EQ(read(512, 3000), TAKT_ETIMEOUT);
        c.doorbell_us = 5000000;
        takt_time_t began = takt_now();
        EXPECT_EQ(read(512, 3000), TAKT_ETIMEOUT);
        EXPECT_LE(takt_now() - began, 300000u);
        c.doorbell_us = 0;
        check_good();
    });
}

/* The first one halts the endpoint while the last one is being taken back. */
TEST_F(Recovery, AnErrorOnTheWireWhileStopping)
{
    c.command_us = 400;
    drive([this] {
        static struct usb_transfer t[3];
        static uint8_t buffers[3][1536];
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < 3; i++) {
                t[i] = {};
                t[i].endpoint = find(0x81);
                t[i].data = buffers[i];
                t[i].length = 1536;
                ASSERT_EQ(usb_submit(&t[i]), TAKT_OK);
            }
            Bytes all = counting(3072, static_cast<uint8_t>(round));
            gadget.give(0x81, Bytes(all.begin(), all.begin() + 512), 512);
            takt_sleep(2000);
            usb_cancel(&t[2]);
            takt_sleep(static_cast<uint32_t>(round) * 10);
            gadget.answer(0x81, Answer::Error);
            gadget.give(0x81, Bytes(all.begin() + 512, all.end()), 512);
            EXPECT_EQ(usb_wait(&t[2], 100000), TAKT_ETIMEOUT) << round;
            EXPECT_EQ(usb_wait(&t[0], 100000), 1536) << round;
            EXPECT_EQ(usb_wait(&t[1], 100000), 1536) << round;
            EXPECT_EQ(Bytes(buffers[0], buffers[0] + 1536), Bytes(all.begin(), all.begin() + 1536));
            EXPECT_EQ(Bytes(buffers[1], buffers[1] + 1536), Bytes(all.begin() + 1536, all.end()));
        }
        EXPECT_EQ(c.mismatched, 0) << "a packet was taken for the one before";
        EXPECT_EQ(usb_counters.strange, 0u);
    }, 20000000);
}

TEST_F(Recovery, AStallWhileStopping)
{
    c.command_us = 400;
    drive([this] {
        static struct usb_transfer t[2];
        static uint8_t buffers[2][512];
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < 2; i++) {
                t[i] = {};
                t[i].endpoint = find(0x81);
                t[i].data = buffers[i];
                t[i].length = 512;
                ASSERT_EQ(usb_submit(&t[i]), TAKT_OK);
            }
            usb_cancel(&t[1]);
            takt_sleep(static_cast<uint32_t>(round) * 10);
            gadget.answer(0x81, Answer::Stall);
            gadget.changed();
            int last = usb_wait(&t[1], 100000);
            EXPECT_TRUE(last == TAKT_ETIMEOUT || last == TAKT_EREFUSED);
            EXPECT_EQ(usb_wait(&t[0], 100000), TAKT_EREFUSED);
            EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_OK);
            check_good();
        }
        EXPECT_EQ(c.mismatched, 0);
    });
}

/* An error that names a block nobody waits for. */
TEST_F(Recovery, AnErrorThatNamesNoTransferIsNoDeafEndpoint)
{
    drive([this] {
        check_good();
        static struct usb_transfer t;
        t = {};
        t.endpoint = find(0x81);
        t.data = data;
        t.length = 512;
        ASSERT_EQ(usb_submit(&t), TAKT_OK);
        c.halt_unnamed(device()->slot, 3);
        EXPECT_EQ(usb_wait(&t, 100000), TAKT_EBUS);
        EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_OK);
        check_good();
        EXPECT_EQ(c.mismatched, 0);
    });
}

TEST_F(Recovery, ClearingAHaltIsTriedAgain)
{
    drive([this] {
        for (Answer answer : {Answer::Stall, Answer::Error}) {
            gadget.clear_answer = answer;
            gadget.clear_fails = 2;
            gadget.answer(0x81, Answer::Stall);
            EXPECT_EQ(read(), TAKT_EREFUSED);
            EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_OK);
            check_good();
        }
        EXPECT_EQ(attaches, 1);
        EXPECT_EQ(usb_counters.reset_devices, 0u);
    });
}

/* Where that does not help, the device is reset, and its drivers find it anew. */
TEST_F(Recovery, AHaltThatIsNotToBeClearedResetsTheDevice)
{
    drive([this] {
        int resets = gadget.forgotten;
        gadget.clear_answer = Answer::Stall;
        gadget.clear_fails = 1000;
        gadget.answer(0x81, Answer::Stall);
        EXPECT_EQ(read(), TAKT_EREFUSED);
        EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_EGONE);
        takt_sleep(1000000);
        EXPECT_EQ(detaches, 1);
        EXPECT_EQ(attaches, 2);
        EXPECT_EQ(gadget.forgotten, resets + 1);
        ASSERT_NE(device(), nullptr);
        check_good();
        EXPECT_EQ(usb_counters.reset_devices, 1u);
        EXPECT_EQ(c.mismatched, 0);
    });
}

TEST_F(Recovery, SoDoesAnEndpointThatTheControllerDoesNotTakeBack)
{
    drive([this] {
        gadget.answer(0x81, Answer::Stall);
        EXPECT_EQ(read(), TAKT_EREFUSED);
        c.refuse_configure = 17;
        EXPECT_EQ(usb_clear_halt(find(0x81)), TAKT_EGONE);
        takt_sleep(1000000);
        EXPECT_EQ(attaches, 2);
        check_good();
    });
}

/* Whatever it is told, the controller says that the control endpoint is in another state. */
TEST_F(Recovery, SoDoesAControlEndpointThatCannotBeMoved)
{
    drive([this] {
        struct usb_setup in = {0xC0, 7, 8, 0, 8};
        c.refuses = true;
        gadget.control_answer = Answer::Stall;
        gadget.control_answers = 1;
        EXPECT_EQ(usb_control(device(), &in, data, 100000), TAKT_EREFUSED);
        takt_sleep(50000);
        c.refuses = false;
        takt_sleep(1500000);
        EXPECT_EQ(attaches, 2);
        ASSERT_NE(device(), nullptr);
        EXPECT_EQ(usb_control(device(), &in, data, 100000), 8);
        check_good();
    });
}

TEST_F(Recovery, ASettingThatIsNotTakenHasNoEndpoints)
{
    drive([this] {
        gadget.control_answer = Answer::Stall;
        gadget.control_answers = 1;
        EXPECT_EQ(usb_set_interface(device(), 0, 1), TAKT_EREFUSED);
        EXPECT_EQ(find(0x83), nullptr);
        EXPECT_EQ(find(0x81), nullptr);
        ASSERT_EQ(usb_set_interface(device(), 0, 0), TAKT_OK);
        check_good();
    });
}

TEST_F(Recovery, ControlTransfersOfSeveralThreadsAreNotDoneTwice)
{
    static int done[2];
    done[0] = done[1] = 0;
    gadget.control_answers = 0;
    for (int k = 0; k < 2; k++)
        thread([this, k] {
            while (!device())
                takt_sleep(10000);
            for (int i = 0; i < 50; i++) {
                struct usb_setup out = {0x40, 8, 0, 0, 2};
                uint8_t payload[2] = {static_cast<uint8_t>(k), static_cast<uint8_t>(i)};
                if (usb_control(device(), &out, payload, k == 0 ? 100000 : 400) >= 0)
                    done[k]++;
            }
            takt_thread_exit();
        }, 1000, k == 0 ? 20000 : 30000);
    run(5000000);
    EXPECT_EQ(done[0], 50);
    std::vector<Bytes> of_first;
    for (const Bytes &data_ : gadget.received)
        if (data_[0] == 0)
            of_first.push_back(data_);
    EXPECT_EQ(of_first.size(), 50u);
}

TEST_F(Recovery, UnpluggedWithTransfersOnTheirWay)
{
    ended.clear();
    at(1000000, [this] { c.unplug(1); });
    keeps = true;
    drive([this] {
        static struct usb_transfer t[20];
        struct usb_device *mine = device();
        submit_all(t, 0x81, data, 512, note);
        struct usb_endpoint *out = find(0x01);
        takt_sleep(2000000);
        EXPECT_EQ(usb_move(out, data, 10, 1000), TAKT_EGONE);
        EXPECT_EQ(usb_submit(&t[0]), TAKT_EGONE);
        struct usb_setup in = {0xC0, 7, 8, 0, 8};
        EXPECT_EQ(usb_control(mine, &in, data, 1000), TAKT_EGONE);
        EXPECT_EQ(usb_clear_halt(out), TAKT_EGONE);
        usb_release(mine);
    });
    ASSERT_EQ(ended.size(), 20u);
    for (auto &e : ended)
        EXPECT_TRUE(e.first == TAKT_EGONE || e.first == TAKT_EBUS) << e.first;
}

TEST_F(Recovery, PulledOutAndPutBackAtAnyMomentWhileReading)
{
    for (uint64_t i = 0; i < 30; i++) {
        at(1000000 + i * 1000000 + i * 137, [this] { c.unplug(1); });
        at(1300000 + i * 1000000, [this] { c.plug(1, &gadget); });
    }
    int reads = 0;
    thread([&] {
        uint64_t last = 0;
        for (;;) {
            struct usb_device *d = device();
            struct usb_endpoint *e = d ? usb_endpoint_at(d, 0x81) : nullptr;
            if (!e) {
                takt_sleep(5000);
                continue;
            }
            if (sim_now() / 100 != last)
                gadget.give(0x81, counting(64), 512);
            last = sim_now() / 100;
            int result = usb_move(e, data, 512, 20000);
            reads += result > 0;
            if (result == TAKT_EREFUSED)
                usb_clear_halt(e);
            else if (result < 0)
                takt_sleep(1000);
        }
    });
    run(32000000);
    EXPECT_GT(reads, 1000);
    EXPECT_EQ(attaches, 31);
    EXPECT_EQ(usb_counters.resets, 0u);
    EXPECT_EQ(usb_counters.strange, 0u);
}
