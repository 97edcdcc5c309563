#include "program.h"

#include <gtest/gtest.h>
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/time.h>

extern "C" {
#include "budget/server.h"
}

enum { MARGIN = TAKT_BUDGET_MARGIN_US };

static void greedy()
{
    for (;;)
        sim_consume(1000);
}

/* A bottom half that needs `cost` us for whatever it takes. */
static std::function<void()> bottom_half(Program &p, size_t i, uint32_t cost)
{
    return [&p, i, cost] {
        for (;;) {
            takt_io_wait(&p.io(i));
            sim_consume(cost);
        }
    };
}

/* Events for `place` at `at`, from a top half that takes `top` us. */
static void event_at(Program &p, uint64_t at, uint8_t place, uint32_t top = 0)
{
    interrupt_at(at, [&p, place, top] {
        takt_isr_enter();
        takt_io_raise_isr(&p.io(0), place);
        sim_consume(top);
        takt_io_isr_exit(&p.io(0), 13);
    });
}

/* The same again and again. */
static void storm(Program &p, uint64_t at, uint64_t every, uint64_t end, uint8_t place)
{
    interrupt_at(at, [&p, at, every, end, place] {
        takt_isr_enter();
        takt_io_raise_isr(&p.io(0), place);
        takt_io_isr_exit(&p.io(0), 13);
        if (at + every < end)
            storm(p, at + every, every, end, place);
    });
}

class Io : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Clocks, Io, testing::Values(0u, 0xFFFFF000u));

TEST_P(Io, ABottomHalfRunsAtThePriorityOfWhomItServes)
{
    Program p(GetParam());
    std::vector<uint64_t> ran;
    p.bottom_half([&] {
        for (;;) {
            takt_set_t places = takt_io_wait(&p.io(0));
            ran.push_back(places << 24 | sim_now());
            sim_consume(10);
        }
    }, 1, 10);
    p.thread(greedy, 2000, 10000).thread(greedy, 3000, 20000);
    event_at(p, 500, 1);
    event_at(p, 30500, 2); /* place 1 has budget until 32005: the bottom half comes after it */
    p.run(60000);
    ASSERT_EQ(ran.size(), 2u);
    EXPECT_EQ(ran[0], 2u << 24 | 500u);
    EXPECT_EQ(ran[1], 4u << 24 | (32000u + MARGIN));
}

/* One that sleeps between two looks at its device takes on the rank of who raises it meanwhile. */
TEST_P(Io, AThreadRaisesABottomHalf)
{
    Program p(GetParam());
    std::vector<uint64_t> ran;
    p.bottom_half([&] {
        takt_io_wait(&p.io(0));
        for (;;) {
            takt_sleep(10000);
            ran.push_back(sim_now());
        }
    }, 1, 10);
    int raised = TAKT_OK;
    p.thread([&] {
        takt_sleep(15000);
        raised = takt_io_raise(&p.io(0), takt_thread_at(1));
        takt_sleep(1000000);
    }, 1000, 10000);
    p.thread([] {
        takt_sleep(8000);
        sim_consume(8000); /* until 16000: the bottom half comes after it at first */
        takt_sleep(500);
        sim_consume(20000);
    }, 30000, 40000);
    p.thread([&] {
        takt_io_raise(&p.io(0), takt_thread_at(3));
        takt_sleep(1000000);
    }, 1000, 80000);
    p.run(60000);
    EXPECT_EQ(raised, TAKT_OK);
    ASSERT_GE(ran.size(), 3u);
    EXPECT_EQ(ran[0], 15001u) << "raised at 15000, place 2 runs until 16001";
    EXPECT_EQ(ran[1], 25002u) << "though place 2 runs on";
}

TEST_P(Io, RaisedByAThreadItRunsAtOnce)
{
    Program p(GetParam());
    int ran = 0, seen = -1;
    p.bottom_half([&] {
        for (;;) {
            takt_io_wait(&p.io(0));
            ran++;
        }
    }, 1, 10);
    p.thread([&] {
        takt_io_raise(&p.io(0), takt_thread_at(0));
        seen = ran;
        sim_leave();
    }, 1000, 10000);
    p.run(1000);
    EXPECT_EQ(seen, 1);
}

TEST_P(Io, ItGetsItsShareAndNoMore)
{
    Program p(GetParam());
    p.bottom_half(bottom_half(p, 0, 100000), 1, 10);
    p.thread(greedy, 5000, 10000);
    event_at(p, 0, 1);
    p.run(100000);
    for (uint64_t from = 0; from < 100000; from += 10000) {
        EXPECT_EQ(p.foreground(0, from, from + 10000), 1000u);
        EXPECT_EQ(p.foreground(1, from, from + 10000), 5000u + MARGIN);
    }
    EXPECT_EQ(p.background(0, 0, 100000), 0u);
}

TEST_P(Io, AStormCostsNoMoreThanTheShare)
{
    Program p(GetParam());
    p.bottom_half(bottom_half(p, 0, 70), 1, 20);
    p.thread(greedy, 8000, 10000).thread(greedy, 8000, 100000);
    storm(p, 0, 100, 1000000, 1);
    p.run(1000000);
    for (uint64_t from = 0; from + 10000 <= 1000000; from += 10000)
        ASSERT_EQ(p.foreground(1, from, from + 10000), 8000u + MARGIN);
    for (uint64_t from = 0; from + 100000 <= 1000000; from += 100000)
        ASSERT_EQ(p.foreground(2, from, from + 100000), 8000u + MARGIN);
    EXPECT_LE(p.foreground(0, 0, 1000000), 50000u + 500);
    EXPECT_GE(p.foreground(0, 0, 1000000), 49000u);
}

TEST_P(Io, TopHalvesAreTakenFromTheShare)
{
    Program p(GetParam());
    p.bottom_half(bottom_half(p, 0, 60), 1, 10);
    p.thread(greedy, 5000, 10000);
    for (uint64_t at = 0; at < 100000; at += 1000)
        event_at(p, at, 1, 40); /* 40 + 60 us use the share up exactly */
    p.run(100000);
    EXPECT_EQ(p.foreground(0, 0, 100000), 100u * 60);
    Program q(GetParam());
    q.bottom_half(bottom_half(q, 0, 60), 1, 10);
    q.thread(greedy, 5000, 10000);
    for (uint64_t at = 0; at < 100000; at += 500)
        event_at(q, at, 1, 40); /* twice that: each bottom half waits for a thousand us */
    q.run(100000);
    EXPECT_LE(q.foreground(0, 0, 100000), 60u * 100000 / 1000 + 60);
}

/* Design 10.5: a budget under way is trimmed when it inherits a shorter period. */
TEST_P(Io, AShorterPeriodTrimsTheBudget)
{
    Program p(GetParam());
    p.bottom_half(bottom_half(p, 0, 1000000), 1, 10);
    p.thread(greedy, 500, 10000).thread(greedy, 4000, 12000).thread(greedy, 5000, 100000);
    event_at(p, 0, 3);     /* 10 ms of budget for T = 100 ms ... */
    event_at(p, 12000, 1); /* ... but now for T = 10 ms */
    p.run(120000);
    for (uint64_t from = 0; from < 120000; from += 12000)
        EXPECT_EQ(p.foreground(2, from, from + 12000), 4000u + MARGIN) << from;
}

/* What it waits for is then a budget for that period. */
TEST_P(Io, ALongerPeriodMeanwhileMakesTheNextBudgetLarger)
{
    Program p(GetParam());
    p.bottom_half([&] {
        for (uint32_t cost : {999, 5000, 1}) {
            takt_io_wait(&p.io(0));
            sim_consume(cost);
        }
    }, 1, 10);
    p.thread(greedy, 500, 10000).thread(greedy, 4000, 100000);
    event_at(p, 0, 1);    /* uses most of the budget for T = 10 ms */
    event_at(p, 5000, 2); /* the next one is for T = 100 ms */
    p.run(60000);
    EXPECT_EQ(p.foreground(0, 0, 9990), 999u);
    EXPECT_EQ(p.foreground(0, 9990, 16000), 5000u);
}

TEST(IoShare, RoundedUpNothingLeaks)
{
    Program p;
    p.bottom_half(bottom_half(p, 0, 1), 3, 4);
    p.thread(greedy, 1, 24);
    for (uint64_t at = 0; at < 72; at++)
        event_at(p, at, 1);
    p.run(72);
    EXPECT_LE(p.foreground(0, 0, 72), 58u);
}

TEST(IoShare, NothingRunsOnNothing)
{
    Program p;
    p.bottom_half(bottom_half(p, 0, 10), 0, 500);
    p.thread(greedy, 500, 10000);
    for (uint64_t at = 0; at < 100000; at += 1000)
        event_at(p, at, 1);
    p.run(100000);
    EXPECT_EQ(p.foreground(0, 0, 100000), 0u);
}

TEST_P(Io, SwitchedOffItWaitsAndGoesOnWhenSwitchedOn)
{
    Program p(GetParam());
    p.bottom_half(bottom_half(p, 0, 10), 1, 10);
    p.thread([&] {
        takt_io_enable(&p.io(0), false);
        takt_sleep_until(50000 + GetParam());
        takt_io_enable(&p.io(0), true);
        greedy();
    }, 500, 10000);
    event_at(p, 20000, 1);
    event_at(p, 30000, 1);
    event_at(p, 60000, 1);
    p.run(100000);
    EXPECT_EQ(p.foreground(0, 0, 50000), 0u);
    EXPECT_EQ(p.foreground(0, 50000, 50012), 10u) << "at once";
    EXPECT_EQ(p.foreground(0, 50012, 100000), 10u);
}

TEST(IoShare, SwitchedOnItGoesOnAtOnce)
{
    Program p;
    p.bottom_half(bottom_half(p, 0, 10), 1, 10);
    p.thread([] { takt_sleep(1000000); }, 500, 10000);
    p.thread([&] {
        takt_io_enable(&p.io(0), false);
        sim_consume(1000);
        takt_io_enable(&p.io(0), true);
        sim_consume(5000);
    }, 40000, 100000);
    event_at(p, 200, 1);
    p.run(10000);
    EXPECT_EQ(p.foreground(0, 0, 1000), 0u);
    EXPECT_EQ(p.foreground(0, 1000, 1010), 10u);
}

TEST(IoShare, WhatIsNotSoundIsSeen)
{
    Program p;
    bool sound = false, two = true, too_much = true;
    p.bottom_half(bottom_half(p, 0, 10), 1, 10);
    p.thread([&] {
        struct takt_vcpu v = p.io(0).server;
        sound = takt_server_sound(&v);
        v.count = 2;
        two = takt_server_sound(&v);
        v.count = 1;
        v.list[0].amount = v.budget + 1;
        too_much = takt_server_sound(&v);
        greedy();
    }, 1000, 10000);
    p.run(20000);
    EXPECT_TRUE(sound);
    EXPECT_FALSE(two);
    EXPECT_FALSE(too_much);
}

TEST(IoShare, ABudgetHasAResponseWhenItIsUsedUp)
{
    Program p;
    int32_t some = 0, all = -1;
    uint32_t waited = 0;
    p.bottom_half(bottom_half(p, 0, 10), 1, 10);
    p.thread([&] {
        takt_sleep(20000);
        struct takt_io_vcpu io = p.io(0);
        struct takt_vcpu *v = &io.server;
        waited = takt_now() - io.eligible;
        some = takt_server_consume(v, v->list[0].amount - 1, takt_now());
        all = takt_server_consume(v, 1, takt_now());
        greedy();
    }, 1000, 10000);
    event_at(p, 500, 1);
    p.run(30000);
    EXPECT_EQ(some, -1);
    EXPECT_EQ(all, static_cast<int32_t>(waited));
}

TEST(IoShare, AChangeIsAdmittedOrRefused)
{
    Program p;
    int more = 1, less = 1, bad = 1;
    p.bottom_half(bottom_half(p, 0, 1000000), 1, 100);
    p.thread([&] {
        more = takt_io_set_share(&p.io(0), 30, 100);
        less = takt_io_set_share(&p.io(0), 5, 100);
        bad = takt_io_set_share(&p.io(0), 5, 4);
        greedy();
    }, 8000, 10000);
    event_at(p, 20000, 1);
    p.run(100000);
    EXPECT_EQ(more, TAKT_EADMIT);
    EXPECT_EQ(less, TAKT_OK);
    EXPECT_EQ(bad, TAKT_EINVAL);
    EXPECT_EQ(p.foreground(0, 50000, 100000), 5u * 500);
}

/* An interrupt that waits comes in the middle of switching off, and whoever it wakes changes the
 * share. */
/* Both terms have 16 bits. */
TEST(IoShare, OneOfLargeTermsIsRoundedUp)
{
    Program p;
    p.bottom_half(bottom_half(p, 0, 10), 1, 10);
    p.thread([&] {
        EXPECT_EQ(takt_io_set_share(&p.io(0), 1001, 100003), TAKT_OK);
        greedy();
    }, 1000, 10000);
    p.run(1000);
    double share = p.io(0).share.numerator / (double)p.io(0).share.denominator;
    EXPECT_GE(share, 1001 / 100003.0);
    EXPECT_LT(share, 1001 / 100003.0 + 1 / 65535.0);
}

TEST(IoShare, ChangesOfTwoThreadsAtATimeBothHold)
{
    Program p;
    struct takt_sem go = TAKT_SEM_INIT(0);
    bool in_it = false, met = false;
    p.bottom_half(bottom_half(p, 0, 10), 1, 10);
    p.thread([&] {
        takt_sem_wait(&go);
        met = in_it;
        EXPECT_EQ(takt_io_set_share(&p.io(0), 5, 100), TAKT_OK);
        greedy();
    }, 1000, 10000);
    p.thread([&] {
        sim_consume(100);
        interrupt_at(sim_now(), [&] { takt_sem_signal_isr(&go); });
        in_it = true;
        EXPECT_EQ(takt_io_enable(&p.io(0), false), TAKT_OK);
        in_it = false;
        greedy();
    }, 1000, 20000);
    p.run(100000);
    EXPECT_TRUE(met) << "the test is to hit the moment";
    EXPECT_TRUE(p.io(0).off);
    EXPECT_EQ(100 * p.io(0).share.numerator, 5 * p.io(0).share.denominator);
}

TEST(IoShare, WithoutItsBudgetABottomHalfWaitsUntilItIsEligible)
{
    Program p;
    p.bottom_half(bottom_half(p, 0, 200), 1, 10);
    p.thread(greedy, 500, 10000);
    event_at(p, 1000, 1);
    event_at(p, 1500, 1); /* 200 us used: eligible again at 3000 */
    event_at(p, 9000, 1);
    p.run(20000);
    EXPECT_EQ(p.foreground(0, 1000, 1200), 200u);
    EXPECT_EQ(p.foreground(0, 1200, 3000), 0u);
    EXPECT_EQ(p.foreground(0, 3000, 3200), 200u);
    EXPECT_EQ(p.foreground(0, 9000, 9200), 200u);
}

struct Delivery : testing::Test {
    struct takt_sem wake = TAKT_SEM_BINARY_INIT(0);
    struct takt_line line = {&wake, 1, 7, false, 0, 0, 0};
    takt_time_t noted = 0;
};

TEST_F(Delivery, TellsHowLongItTookAndWhatWasMerged)
{
    Program p;
    p.bottom_half([&] {
        for (;;) {
            takt_io_wait(&p.io(0));
            sim_consume(30);
            takt_line_pass(&line, noted, 0);
        }
    }, 1, 2);
    p.thread([&] {
        for (;;) {
            takt_sem_wait(&wake);
            while (takt_line_take(&line))
                sim_consume(500);
        }
    }, 5000, 10000);
    for (uint64_t at : {1000, 1100, 1200, 9000})
        interrupt_at(at, [&] {
            takt_isr_enter();
            noted = takt_now();
            takt_io_raise_isr(&p.io(0), 1);
            takt_io_isr_exit(&p.io(0), 13);
        });
    p.run(20000);
    const uint32_t pin = 7u << 24;
    /* The second event waits for the handler's first run, which the bottom half interrupts twice;
     * the third joins it. */
    EXPECT_EQ(p.values(TAKT_EV_DELIVER, 1),
              (std::vector<uint32_t>{pin | 30, pin | 490, pin | 30}));
    EXPECT_EQ(p.values(TAKT_EV_MERGED, 1), (std::vector<uint32_t>{pin | 1}));
    EXPECT_EQ(line.delivered, 3u);
    EXPECT_EQ(line.merged, 1u);
}

TEST_F(Delivery, EventsBeforeTheStartAreNotForgotten)
{
    Program p;
    std::vector<uint64_t> ran;
    p.bottom_half([&] {
        for (;;) {
            takt_io_wait(&p.io(0));
            ran.push_back(sim_now());
        }
    }, 1, 2);
    p.thread(greedy, 5000, 10000);
    takt_io_raise_isr(&p.io(0), 1);
    p.run(20000);
    EXPECT_EQ(ran.size(), 1u);
}

/* What the dispatcher takes from a thread that did not ask is its own time, not what that thread
 * ran in the background before. */
TEST(IoTrace, TheDispatcherIsNotCountedForBackgroundTime)
{
    Program p;
    p.bottom_half(bottom_half(p, 0, 10), 0, 1); /* noted, never run */
    p.thread(greedy, 500, 10000);
    for (uint64_t at = 1000; at < 10000; at += 1000)
        event_at(p, at, 1);
    p.run(10000);
    std::vector<uint32_t> taken = p.values(TAKT_EV_ISR, TAKT_DISPATCH_SOURCE);
    ASSERT_FALSE(taken.empty());
    for (uint32_t us : taken)
        EXPECT_EQ(us, 0u);
}
