#include "program.h"

#include <gtest/gtest.h>
#include <takt/sem.h>
#include <takt/time.h>

/* The clock readings at which a program may start: zero, and shortly before it wraps. */
class Clock : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Starts, Clock, testing::Values(0u, 1u, 0x7FFFFFF0u, 0xFFFFFFF0u));

TEST_P(Clock, SleepNeverEndsEarly)
{
    Program p(GetParam());
    std::vector<uint64_t> woke;
    p.thread([&] {
        for (uint32_t us : {1u, 7u, 1000u, 100000u}) {
            uint64_t from = sim_now();
            takt_sleep(us);
            woke.push_back(sim_now() - from);
        }
    });
    p.run(1000000);
    EXPECT_EQ(woke, (std::vector<uint64_t>{2, 8, 1001, 100001}));
}

TEST_P(Clock, SleepUntilKeepsItsPace)
{
    Program p(GetParam());
    std::vector<uint64_t> woke;
    p.thread([&] {
        takt_time_t at = takt_now();
        for (int i = 0; i < 4; i++) {
            at += 250;
            sim_consume(100);
            takt_sleep_until(at);
            woke.push_back(sim_now());
        }
    });
    p.run(10000);
    EXPECT_EQ(woke, (std::vector<uint64_t>{250, 500, 750, 1000}));
}

TEST(Time, LongSleepOutlastsTheClock)
{
    Program p;
    uint64_t woke = 0;
    p.thread([&] {
        takt_sleep_ms(3u * 3600u * 1000u); /* three hours; the clock wraps every 71.6 minutes */
        woke = sim_now();
    });
    p.run(4ull * 3600 * 1000000);
    EXPECT_EQ(woke, 3ull * 3600 * 1000000 + 1);
}

TEST(Time, SleepUntilThePastReturnsAtOnce)
{
    Program p;
    p.thread([&] {
        sim_consume(500);
        EXPECT_EQ(takt_sleep_until(takt_now() - 100), TAKT_OK);
        EXPECT_EQ(takt_sleep_until(takt_now()), TAKT_OK);
        EXPECT_EQ(takt_sleep(0), TAKT_OK);
        EXPECT_EQ(sim_now(), 500u);
        sim_leave();
    });
    EXPECT_EQ(p.run(1000), SIM_ASKED);
}

TEST(Time, RefusesWhatItCannotDo)
{
    Program p;
    int in_handler = 1;
    interrupt_at(10, [&] { in_handler = takt_sleep(5); });
    p.thread([&] {
        EXPECT_EQ(takt_sleep(TAKT_DURATION_MAX + 1u), TAKT_EINVAL);
        sim_consume(20);
        sim_leave();
    });
    EXPECT_EQ(p.run(100), SIM_ASKED);
    EXPECT_EQ(in_handler, TAKT_ECONTEXT);
}

TEST(Time, ManySleepersWakeInOrderOfTimeThenPlace)
{
    Program p;
    std::vector<int> order;
    const uint32_t at[] = {300, 100, 200, 100, 50};
    for (int i = 0; i < 5; i++)
        p.thread([&order, &at, i] {
            takt_sleep(at[i]);
            order.push_back(i);
        });
    p.run(1000);
    EXPECT_EQ(order, (std::vector<int>{4, 1, 3, 2, 0}));
}

TEST(Time, AProgramWithNothingToDoIsFoundAsleep)
{
    Program p;
    struct takt_sem never = TAKT_SEM_INIT(0);
    p.thread([&] { takt_sem_wait(&never); });
    EXPECT_EQ(p.run(1000), SIM_ASLEEP);
}
