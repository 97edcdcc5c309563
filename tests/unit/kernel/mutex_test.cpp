#include "program.h"

#include <gtest/gtest.h>
#include <takt/mutex.h>
#include <takt/time.h>

/* Place 0 is above the ceiling and may preempt; place 1 uses the mutex and is kept away. */
TEST(Mutex, CeilingKeepsUsersAwayAndNobodyElse)
{
    Program p;
    struct takt_mutex mutex = TAKT_MUTEX_INIT(1);
    std::vector<std::pair<int, uint64_t>> ran;
    p.thread([&] {
        takt_sleep(99);
        ran.emplace_back(0, sim_now());
        sim_consume(10);
    }, 1000, 10000);
    p.thread([&] {
        takt_sleep(99);
        ran.emplace_back(1, sim_now());
        EXPECT_EQ(takt_mutex_lock(&mutex), TAKT_OK);
        takt_mutex_unlock(&mutex);
    }, 1000, 20000);
    p.thread([&] {
        takt_mutex_lock(&mutex);
        sim_consume(500);
        takt_mutex_unlock(&mutex);
        ran.emplace_back(2, sim_now());
    }, 1000, 30000);
    p.run(5000);
    EXPECT_EQ(ran, (std::vector<std::pair<int, uint64_t>>{{0, 100}, {1, 510}, {2, 510}}));
}

TEST(Mutex, NestsInOrder)
{
    Program p;
    struct takt_mutex outer = TAKT_MUTEX_INIT(1), inner = TAKT_MUTEX_INIT(0);
    p.thread([&] { takt_sleep(10); });
    p.thread([&] {
        EXPECT_EQ(takt_mutex_lock(&outer), TAKT_OK);
        EXPECT_EQ(takt_mutex_lock(&inner), TAKT_OK);
        EXPECT_EQ(takt_mutex_unlock(&outer), TAKT_EOWNER);
        EXPECT_EQ(takt_mutex_unlock(&inner), TAKT_OK);
        EXPECT_EQ(takt_mutex_unlock(&outer), TAKT_OK);
        EXPECT_EQ(takt_mutex_unlock(&outer), TAKT_EOWNER);
        sim_leave();
    });
    EXPECT_EQ(p.run(100), SIM_ASKED);
}

/* An inner mutex keeps more threads away than the outer one: some may run when it is unlocked. */
TEST(Mutex, InnerUnlockLetsThoseAboveTheOuterCeilingRun)
{
    for (uint32_t budget : {0u, 1000u}) {
        Program p;
        struct takt_mutex outer = TAKT_MUTEX_INIT(2), inner = TAKT_MUTEX_INIT(1);
        uint64_t above = 0, between = 0, at_outer = 0;
        auto wakes = [](uint64_t &ran) {
            return [&] {
                takt_sleep(99);
                ran = sim_now();
            };
        };
        p.thread(wakes(above), 1000, 10000);
        p.thread(wakes(between), budget, 10000);
        p.thread(wakes(at_outer), budget, 10000);
        p.thread([&] {
            takt_mutex_lock(&outer);
            takt_mutex_lock(&inner);
            sim_consume(300);
            takt_mutex_unlock(&inner);
            sim_consume(200);
            takt_mutex_unlock(&outer);
        }, budget, 10000);
        p.run(5000);
        EXPECT_EQ(above, 100u);
        EXPECT_EQ(between, 300u) << "budget " << budget;
        EXPECT_EQ(at_outer, 500u) << "budget " << budget;
    }
}

TEST(Mutex, NamesMisuse)
{
    Program p;
    struct takt_mutex mutex = TAKT_MUTEX_INIT(1);
    int in_handler = 1;
    interrupt_at(5, [&] { in_handler = takt_mutex_lock(&mutex); });
    p.thread([&] {
        EXPECT_EQ(takt_mutex_lock(&mutex), TAKT_EINVAL); /* more urgent than the ceiling */
        takt_sleep(50);
    });
    p.thread([&] {
        sim_consume(10);
        EXPECT_EQ(takt_mutex_lock(&mutex), TAKT_OK);
        EXPECT_EQ(takt_mutex_lock(&mutex), TAKT_EOWNER);
        takt_mutex_unlock(&mutex);
        sim_leave();
    });
    EXPECT_EQ(p.run(100), SIM_ASKED);
    EXPECT_EQ(in_handler, TAKT_ECONTEXT);
}

enum { BUDGET = 20 + TAKT_BUDGET_MARGIN_US };

/* A holder whose budget ends in the section finishes it at once and pays later. */
TEST(Mutex, HolderOverrunsItsBudgetAndPaysBack)
{
    Program p;
    struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
    uint64_t unlocked = 0;
    p.thread(
        [&] {
            takt_mutex_lock(&mutex);
            sim_consume(50);
            unlocked = sim_now();
            takt_mutex_unlock(&mutex);
            for (;;)
                sim_consume(10);
        },
        20, 100);
    p.thread(
        [&] {
            for (;;)
                sim_consume(10);
        },
        60, 200);
    p.run(1000);
    EXPECT_EQ(unlocked, 50u);
    EXPECT_EQ(p.foreground(0, 50, 300), 3 * BUDGET - 50) << "the overrun is paid";
    EXPECT_EQ(p.foreground(0, 0, 1000), 10 * BUDGET) << "and not a microsecond more";
}

/* Beside a budget, threads without one are in the background: there, too, only those at or below the
 * ceiling wait for the holder. */
TEST(Mutex, InTheBackgroundToo)
{
    Program p;
    struct takt_mutex mutex = TAKT_MUTEX_INIT(2);
    uint64_t above = 0, user = 0, unlocked = 0;
    p.thread([] { takt_sleep(1000000); }, 100, 10000);
    p.thread([&] {
        takt_sleep(99);
        above = sim_now();
    });
    p.thread([&] {
        takt_sleep(99);
        EXPECT_EQ(takt_mutex_lock(&mutex), TAKT_OK);
        user = sim_now();
        takt_mutex_unlock(&mutex);
    });
    p.thread([&] {
        takt_mutex_lock(&mutex);
        sim_consume(500);
        unlocked = sim_now();
        takt_mutex_unlock(&mutex);
    });
    p.run(5000);
    EXPECT_EQ(above, 100u) << "above the ceiling";
    EXPECT_EQ(unlocked, 500u);
    EXPECT_EQ(user, 500u);
}

/* A thread above the ceiling but without a budget comes after those with one, and so after the holder
 * that one of these waits for. */
TEST(Mutex, WithoutABudgetAboveTheCeilingIsNotBeforeABudget)
{
    Program p;
    struct takt_mutex mutex = TAKT_MUTEX_INIT(1);
    uint64_t unlocked = 0, user = 0;
    p.thread([&] {
        takt_sleep(49);
        for (;;)
            sim_consume(10);
    });
    p.thread(
        [&] {
            takt_sleep(99);
            EXPECT_EQ(takt_mutex_lock(&mutex), TAKT_OK);
            user = sim_now();
            takt_mutex_unlock(&mutex);
        },
        1000, 200000);
    p.thread([&] {
        takt_mutex_lock(&mutex);
        sim_consume(500);
        unlocked = sim_now();
        takt_mutex_unlock(&mutex);
    });
    p.run(50000);
    EXPECT_EQ(unlocked, 550u) << "place 0 from 50 to 100, then the holder for place 1";
    EXPECT_EQ(user, 550u);
}

/* The same for a bottom half at the ceiling, which has a budget, too. */
TEST(Mutex, WithoutABudgetAboveTheCeilingIsNotBeforeABottomHalf)
{
    Program p;
    struct takt_mutex mutex = TAKT_MUTEX_INIT(2);
    uint64_t unlocked = 0, served = 0;
    p.bottom_half([&] {
        takt_io_wait(&p.io(0));
        served = sim_now();
        sim_consume(10);
        takt_io_wait(&p.io(0));
    }, 1, 10);
    p.thread([] {
        takt_sleep(49);
        for (;;)
            sim_consume(10);
    });
    p.thread([&] {
        takt_mutex_lock(&mutex);
        sim_consume(500);
        unlocked = sim_now();
        takt_mutex_unlock(&mutex);
    });
    interrupt_at(100, [&] { takt_io_raise_isr(&p.io(0), 2); });
    p.run(50000);
    EXPECT_EQ(unlocked, 550u);
    EXPECT_EQ(served, 550u);
}

/* The outer mutex keeps the same threads away as the inner one. */
TEST(MutexCosts, UnlockingAnInnerOneTakesNoDispatch)
{
    Program p;
    struct takt_mutex outer = TAKT_MUTEX_INIT(0), inner = TAKT_MUTEX_INIT(0);
    uint64_t woke = 0;
    uint32_t dispatches = 0;
    p.thread([&] {
        takt_sleep(1000);
        woke = sim_now();
        for (;;)
            takt_sleep(100000);
    }, 1000, 100000);
    p.thread([&] {
        takt_mutex_lock(&outer);
        takt_mutex_lock(&inner);
        sim_consume(2000);
        uint32_t before = sim_counted().dispatches;
        takt_mutex_unlock(&inner);
        dispatches = sim_counted().dispatches - before;
        sim_consume(1000);
        takt_mutex_unlock(&outer);
        for (;;)
            takt_sleep(100000);
    }, 10000, 100000);
    p.run(10000);
    EXPECT_EQ(dispatches, 0u);
    EXPECT_EQ(woke, 3000u);
}
