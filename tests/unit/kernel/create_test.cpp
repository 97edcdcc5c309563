#include "program.h"

#include <cstring>
#include <gtest/gtest.h>
extern "C" {
#include <takt/create.h>
}
#include <takt/mutex.h>
#include <takt/sem.h>
#include <takt/time.h>

static void greedy()
{
    for (;;)
        sim_consume(1000);
}

TEST(Create, ANewThreadTakesItsPlaceAndNobodyNotices)
{
    Program p;
    struct takt_sem sem = TAKT_SEM_INIT(0), other = TAKT_SEM_INIT(0);
    std::vector<int> order;
    p.thread([&] { /* place 0, T = 10 ms: creates */
        takt_sleep(1000);
        EXPECT_EQ(takt_thread_create(p.spare([&] { order.push_back(99); }, 500, 5000)), 0);
        EXPECT_EQ(takt_self(), 1);
        takt_sem_signal(&sem);
        takt_sem_signal(&sem);
    }, 1000, 10000);
    p.thread([&] { takt_sem_wait(&sem); order.push_back(1); }, 1000, 20000);
    p.thread([&] { takt_sem_wait(&sem); order.push_back(2); }, 1000, 30000);
    p.thread([&] { order.push_back(takt_sem_wait_for(&other, 3000)); }, 1000, 40000);
    p.run(100000);
    EXPECT_EQ(order, (std::vector<int>{99, 1, 2, TAKT_ETIMEOUT}));
    EXPECT_EQ(sem.waiters | other.waiters, 0u);
}

TEST(Create, AHolderKeepsItsMutexWhenItsPlaceChanges)
{
    Program p;
    struct takt_mutex mutex = TAKT_MUTEX_INIT(1);
    int unlocked = 1;
    p.thread([&] { /* above the ceiling */
        takt_sleep(1000);
        takt_thread_create(p.spare([] {}, 500, 5000));
    }, 1000, 10000);
    p.thread([&] {
        takt_mutex_lock(&mutex);
        sim_consume(2000);
        unlocked = takt_mutex_unlock(&mutex);
    }, 3000, 20000);
    p.run(100000);
    EXPECT_EQ(unlocked, TAKT_OK);
}

/* A semaphore in a frame that has returned, which is somebody else's memory by now. */
class ASemaphoreThatIsGone : public testing::TestWithParam<int> {};
enum { AFTER_ITS_WAIT, AFTER_A_TIMEOUT, BEFORE_THE_WOKEN_RUNS };

TEST_P(ASemaphoreThatIsGone, IsLeftAlone)
{
    Program p;
    struct takt_sem sem = TAKT_SEM_INIT(0), as_it_was;
    p.thread([&] {
        takt_sleep(1000);
        if (GetParam() != AFTER_A_TIMEOUT)
            takt_sem_signal(&sem);
        if (GetParam() != BEFORE_THE_WOKEN_RUNS)
            takt_sleep(4000);
        memset(&sem, 0x5A, sizeof sem);
        as_it_was = sem;
        EXPECT_GE(takt_thread_create(p.spare([] {}, 500, 5000)), 0);
        EXPECT_EQ(memcmp(&sem, &as_it_was, sizeof sem), 0);
    }, 1000, 10000);
    p.thread([&] {
        if (GetParam() == AFTER_A_TIMEOUT)
            takt_sem_wait_for(&sem, 2000);
        else
            takt_sem_wait(&sem);
        takt_sleep(50000);
    }, 1000, 20000);
    p.run(100000);
}

INSTANTIATE_TEST_SUITE_P(Create, ASemaphoreThatIsGone,
                         testing::Values(AFTER_ITS_WAIT, AFTER_A_TIMEOUT, BEFORE_THE_WOKEN_RUNS));

TEST(Create, AdmissionGuardsWhoIsThere)
{
    Program p;
    p.thread([&] {
        EXPECT_EQ(takt_thread_create(p.spare(greedy, 60000, 100000)), TAKT_EADMIT);
        EXPECT_EQ(takt_thread_create(p.spare(greedy, 40000, 100000)), 1);
        EXPECT_EQ(takt_thread_create(p.spare(greedy)), 2);
        greedy();
    }, 50000, 100000);
    p.run(1000000);
    for (uint64_t from = 100000; from < 1000000; from += 100000) {
        EXPECT_EQ(p.foreground(0, from, from + 100000), 50000u + TAKT_BUDGET_MARGIN_US);
        EXPECT_EQ(p.foreground(1, from, from + 100000), 40000u + TAKT_BUDGET_MARGIN_US);
    }
}

TEST(Create, FindsTheEndOfTheTable)
{
    Program p;
    p.thread([&] {
        for (int i = 1; i < TAKT_PLACES; i++)
            EXPECT_EQ(takt_thread_create(p.spare([] { takt_sleep(10); })), i);
        EXPECT_EQ(takt_thread_create(p.spare([] {})), TAKT_ENOSPACE);
        sim_leave();
    });
    EXPECT_EQ(p.run(1000), SIM_ASKED);
}
