/* Controllers that misbehave, and what their driver costs. */
#include "bus.h"

#include <takt/time.h>

class Failure : public Bus {
public:
    Failure() { c.plug(1, &gadget); }
    uint8_t data[4096];

    /* Reads again and again, whatever happens. */
    void reader(uint32_t timeout = 50000)
    {
        thread([this, timeout] {
            for (;;) {
                struct usb_device *d = device();
                struct usb_endpoint *e = d ? usb_endpoint_at(d, 0x81) : nullptr;
                int result = e ? usb_move(e, data, 512, timeout) : TAKT_EAGAIN;
                if (result > 0)
                    reads++;
                else if (result == TAKT_EGONE)
                    gone++;
                if (result < 0)
                    takt_sleep(5000);
            }
        });
    }
    /* Something to read every `us`. */
    void feed(uint64_t from, uint64_t us, uint64_t until)
    {
        every(us, from, until, [this] { gadget.give(0x81, counting(64), 512); });
    }
    int reads = 0, gone = 0;
};

TEST_F(Failure, ACommandThatHangsIsAborted)
{
    reader(3000);
    at(1000000, [this] { c.hang = {15}; }); /* Stop Endpoint */
    at(1400000, [this] { c.hang.clear(); });
    feed(3000000, 10000, 4000000);
    run(5000000);
    EXPECT_EQ(usb_counters.resets, 0u);
    EXPECT_GT(reads, 80);
    EXPECT_EQ(attaches, 1);
}

TEST_F(Failure, AControllerThatDoesNotEvenAbortIsStartedAnew)
{
    reader(3000);
    at(1000000, [this] {
        c.hang = {15};
        c.deaf = true;
    });
    at(1900000, [this] {
        c.hang.clear();
        c.deaf = false;
    });
    run(3000000);
    feed(3000001, 10000, 4000000);
    run(5000000);
    EXPECT_EQ(usb_counters.resets, 1u);
    EXPECT_EQ(attaches, 2);
    EXPECT_EQ(detaches, 1);
    EXPECT_GE(gone, 1);
    EXPECT_GT(reads, 80);
}

TEST_F(Failure, AnErrorTowardsMemoryStartsItAnew)
{
    reader();
    for (uint64_t i = 0; i < 5; i++)
        at(2000000 + i * 3000000 + i * 1111, [this] { c.fail(); });
    run(20000000);
    EXPECT_EQ(usb_counters.resets, 5u);
    EXPECT_EQ(attaches, 6);
    EXPECT_EQ(detaches, 5);
    EXPECT_NE(device(), nullptr);
}

TEST_F(Failure, InFlight)
{
    struct usb_transfer t[8] = {};
    static int ended;
    ended = 0;
    thread([&] {
        while (!device())
            takt_sleep(10000);
        submit_all(t, 0x81, data, 512,
                   [](struct usb_transfer *x) { ended += x->result == TAKT_EGONE; });
        struct usb_setup in = {0xC0, 7, 8, 0, 8};
        gadget.silent = true;
        EXPECT_EQ(usb_control(device(), &in, data, 10000000), TAKT_EGONE);
        gadget.silent = false;
        takt_thread_exit();
    });
    at(1500000, [this] { c.fail(); });
    run(4000000);
    EXPECT_EQ(ended, 8);
    EXPECT_EQ(attaches, 2);
}

TEST_F(Failure, AControllerThatIsPulledOut)
{
    reader();
    at(2000000, [this] { c.gone = true; });
    run(6000000);
    EXPECT_EQ(detaches, 1);
    EXPECT_EQ(xhcis[0].state, XHCI_ABSENT);
    EXPECT_EQ(device(), nullptr);
}

TEST_F(Failure, AControllerThatCannotBeReset)
{
    reader();
    at(2000000, [this] {
        c.fail();
        c.dies = true;
    });
    run(8000000);
    EXPECT_EQ(detaches, 1);
    EXPECT_EQ(xhcis[0].state, XHCI_ABSENT);
    c.dies = false;
}

TEST_F(Failure, AnAddressThatIsNotAnsweredIsAbortedAndTriedAgain)
{
    c.hang = {11};
    at(900000, [this] { c.hang.clear(); });
    run(5000000);
    EXPECT_EQ(attaches, 1);
    EXPECT_EQ(usb_counters.resets, 0u);
}

TEST_F(Failure, EventsThatDoNotFitComeLater)
{
    static int ended;
    ended = 0;
    static struct usb_transfer t[60];
    thread([this] {
        while (!device())
            takt_sleep(10000);
        submit_all(t, 0x81, data, 512, [](struct usb_transfer *x) { ended += x->result == 64; });
        takt_thread_exit();
    });
    at(1500000, [this] {
        for (int i = 0; i < 300; i++)
            c.post({0, 1u << 24, 39u << 10}); /* of no account, but they take room */
        for (int i = 0; i < 60; i++)
            gadget.give(0x81, counting(64), 512);
    });
    run(3000000);
    EXPECT_EQ(ended, 60);
    EXPECT_GE(c.full, 1);
    EXPECT_EQ(usb_counters.ring_full, static_cast<uint32_t>(c.full));
}

TEST_F(Failure, StrangeEventsAreCountedAndNothingElse)
{
    reader();
    feed(1000000, 5000, 3000000);
    at(1500000, [this] {
        c.post({0, 1u << 24, 255u << 24 | 31u << 16 | 32u << 10});
        c.post({0, 1u << 24, 1u << 24 | 31u << 16 | 32u << 10});
        c.post({12345, 1u << 24, 1u << 24 | 3u << 16 | 32u << 10});
        c.post({12345, 1u << 24, 33u << 10});
        c.post({0, 24u << 24, 33u << 10});
        c.post({200ull << 24, 1u << 24, 34u << 10});
        c.post({0, 0, 60u << 10});
    });
    run(4000000);
    EXPECT_EQ(usb_counters.strange, 7u);
    EXPECT_GT(reads, 350);
    EXPECT_EQ(usb_counters.resets, 0u);
}

/* The bottom half runs at most once in its service interval, and interrupts only come after a
 * rest. */
TEST_F(Failure, AServiceInterval)
{
    reader();
    run(1000000);
    uint32_t services = usb_counters.services;
    int interrupts = c.interrupts;
    feed(1000001, 100, 2000000);
    run(2000000);
    EXPECT_LE(usb_counters.services - services, 1002u);
    EXPECT_LE(c.interrupts - interrupts, 3) << "one at the beginning";
    EXPECT_GT(reads, 900);
}

TEST_F(Failure, IdleItDoesNothing)
{
    run(2000000);
    uint32_t services = usb_counters.services;
    run(10000000);
    EXPECT_EQ(usb_counters.services, services);
}

/* The host's work stays within its share: registers that cost time, a flood of events. */
TEST_F(Failure, ItsBudgetHolds)
{
    reader();
    run(1000000);
    c.access_us = 2;
    feed(1000001, 100, 3000000);
    run(3000000);
    for (uint64_t from = 1000000; from < 3000000; from += 100000)
        EXPECT_LE(p.foreground(0, from, from + 100000), 1000u + 2 * 200u + 20u) << from;
    EXPECT_GT(reads, 300);
}

/* Competing with the rank of whom it works for: neither a less urgent thread keeps it away, nor
 * does it delay a more urgent one. */
TEST_F(Failure, ItRunsWithTheRankOfItsClient)
{
    reader();
    thread([] {
        for (;;)
            sim_consume(1000);
    }, 20000, 40000); /* less urgent than the reader, for ever busy */
    run(2000000);
    int before = reads;
    for (uint64_t t = 2000001; t < 4000000; t += 20000)
        at(t, [this] { gadget.give(0x81, counting(64), 512); });
    run(4000000);
    EXPECT_GE(reads - before, 99);
}
