/*
 * Periodic jobs on the simulation port.
 */
#include <gtest/gtest.h>

extern "C" {
#include <takt/create.h>
}
#include <takt/isr.h>
#include <takt/mutex.h>
#include <takt/time.h>

#include "program.h"

namespace
{

using Times = std::vector<uint64_t>;

constexpr uint32_t FAR = 0xFFFFFC00u; /* clock wraps after 1 ms */

class Periodic : public testing::TestWithParam<uint32_t>
{
};

INSTANTIATE_TEST_SUITE_P(Clocks, Periodic, testing::Values(0u, FAR, 0x7FFFFC00u));

TEST_P(Periodic, OneJobInEveryPeriod)
{
    Program p(GetParam());
    Times begun;
    p.every([&] { begun.push_back(sim_now()); sim_consume(700); }, 1000, 5000);
    p.run(99999);
    ASSERT_EQ(begun.size(), 20u);
    for (size_t i = 0; i < begun.size(); i++)
        EXPECT_EQ(begun[i], 5000 * i);
    EXPECT_EQ(p.control(0).releases, 20u);
    EXPECT_EQ(p.control(0).response_max, 700u);
    EXPECT_EQ(p.control(0).late + p.control(0).overruns, 0);
    EXPECT_EQ(p.background(0, 0, 100000), 0u) << "its budget is back in time";
}

TEST_P(Periodic, JobsOfTheSamePeriodDoNotBeginTogether)
{
    Program p(GetParam());
    Times begun;
    for (int i = 0; i < 31; i++)
        p.every([&] { begun.push_back(sim_now()); }, 50, 4000);
    p.run(39999);
    std::sort(begun.begin(), begun.end());
    EXPECT_GE(begun.size(), 31u * 9);
    EXPECT_EQ(std::unique(begun.begin(), begun.end()), begun.end());
}

TEST_P(Periodic, AllUseTheirBudgetToTheLastMicrosecond)
{
    Program p(GetParam());
    int done[3] = {};
    const uint32_t c[3] = {1000, 3000, 4000}, t[3] = {5000, 10000, 20000};
    for (int i = 0; i < 3; i++)
        p.every([&, i] { sim_consume(c[i]); done[i]++; }, c[i], t[i]);
    p.run(399999);
    for (size_t i = 0; i < 3; i++) {
        EXPECT_GE(done[i], int(400000 / t[i]) - 1);
        EXPECT_EQ(p.control(i).late + p.control(i).overruns, 0) << i;
        EXPECT_LE(p.control(i).response_max, t[i]);
    }
}

void busy()
{
    for (;;)
        sim_consume(100);
}

TEST_P(Periodic, TerminatesWhoOverrunsEveryTime)
{
    Program p(GetParam());
    int begun = 0, other = 0;
    p.every([&] { begun++; busy(); }, 1000, 5000, TAKT_TERMINATE);
    p.every([&] { sim_consume(6000); other++; }, 6000, 10000);
    p.run(99999);
    EXPECT_EQ(begun, 20);
    EXPECT_EQ(p.control(0).terminated, 19);
    EXPECT_EQ(p.control(0).overruns, 19);
    EXPECT_EQ(p.control(0).late, 0);
    EXPECT_GE(other, 9);
    EXPECT_EQ(p.control(1).late + p.control(1).overruns, 0);
}

TEST_P(Periodic, SkipsTheReleasesOfWhoOverruns)
{
    Program p(GetParam());
    Times begun;
    p.every([&] { begun.push_back(sim_now()); sim_consume(12000); }, 1000, 5000, TAKT_SKIP);
    p.run(59999);
    EXPECT_EQ(begun, (Times{0u, 15000u, 30000u, 45000u}));
    EXPECT_EQ(p.control(0).skipped, 8);
    EXPECT_EQ(p.control(0).releases, 12u);
}

TEST_P(Periodic, ContinuesAndCatchesUp)
{
    Program p(GetParam());
    Times begun;
    p.every([&] {
        begun.push_back(sim_now());
        sim_consume(begun.size() == 1 ? 12000 : 500);
    }, 1000, 5000, TAKT_CONTINUE);
    p.run(29999);
    EXPECT_EQ(begun, (Times{0u, 12000u, 12500u, 15000u, 20000u, 25000u}));
    EXPECT_EQ(p.control(0).pending, 0);
    EXPECT_EQ(p.control(0).overruns, 2);
    EXPECT_EQ(p.control(0).response_max, 12000u);
}

TEST_P(Periodic, NotifiesWhoWantsToKnow)
{
    Program p(GetParam());
    int told = 0;
    struct takt_sem sem = TAKT_SEM_INIT(0);
    p.every([&] { sim_consume(7000); }, 1000, 5000, TAKT_NOTIFY);
    p.control(0).notify = &sem;
    p.thread([&] {
        for (;;) {
            takt_sem_wait(&sem);
            told++;
        }
    }, 500, 10000);
    p.run(49999);
    EXPECT_EQ(told, 5);
    EXPECT_EQ(p.control(0).overruns, 5);
    EXPECT_EQ(p.control(0).skipped, 5);
}

/* Kept from running by another: whatever its policy, it goes on. */
TEST_P(Periodic, SparesTheInnocent)
{
    for (auto policy : {TAKT_TERMINATE, TAKT_SKIP, TAKT_CONTINUE, TAKT_NOTIFY}) {
        Program p(GetParam());
        int begun = 0, finished = 0;
        struct takt_sem never = TAKT_SEM_INIT(0);
        p.thread([&] {
            takt_sleep(20000);
            sim_consume(8000);
            takt_sem_wait(&never);
        }, 8000, 100000);
        p.every([&] { begun++; sim_consume(900); finished++; }, 1000, 5000, policy);
        p.run(49999);
        EXPECT_EQ(begun, finished);
        EXPECT_GT(p.control(1).late, 0) << "there is somebody to be spared";
        EXPECT_EQ(p.control(1).terminated, 0);
    }
}

TEST_P(Periodic, ALateJobGoesOnAndItsSuccessorFollows)
{
    Program p(GetParam());
    Times begun, finished;
    p.every([&] {
        begun.push_back(sim_now());
        sim_consume(900);
        finished.push_back(sim_now());
    }, 1000, 5000);
    interrupt_at(100, [] {
        takt_isr_enter();
        sim_consume(6000);
        takt_isr_exit(1);
    });
    p.run(19999);
    EXPECT_EQ(begun, (Times{0u, 6900u, 10000u, 15000u}));
    EXPECT_EQ(finished, (Times{6900u, 7800u, 10900u, 15900u}));
    EXPECT_EQ(p.control(0).late, 1);
    EXPECT_EQ(p.control(0).overruns, 0);
}

/* Who has not come to wait when the alarm rings is not finished. */
TEST_P(Periodic, FinishingOnTheTick)
{
    for (uint32_t work : {4999u, 5000u, 5001u}) {
        Program p(GetParam());
        int begun = 0;
        p.every([&] { begun++; sim_consume(work); }, 2000, 5000, TAKT_SKIP);
        p.run(49999);
        EXPECT_EQ(begun, work >= 5000 ? 5 : 10) << work;
        EXPECT_EQ(p.control(0).overruns, work >= 5000 ? 5 : 0) << work;
    }
}

TEST_P(Periodic, TerminationWaitsForTheMutex)
{
    Program p(GetParam());
    struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
    int begun = 0, unlocked = 0, after = 0;
    p.every([&] {
        begun++;
        takt_mutex_lock(&mutex);
        sim_consume(7000);
        unlocked++;
        takt_mutex_unlock(&mutex);
        sim_consume(100000);
        after++;
    }, 1000, 5000);
    p.run(49999);
    EXPECT_GE(begun, 4);
    EXPECT_EQ(begun - unlocked, 1) << "each is let to the end of its section";
    EXPECT_EQ(after, 0);
    EXPECT_EQ(mutex.owner, 0) << "by the last job";
    EXPECT_EQ(p.control(0).terminated, unlocked);
}

TEST_P(Periodic, TerminationWaitsForHeldCalls)
{
    Program p(GetParam());
    int begun = 0, released = 0, after = 0;
    p.every([&] {
        begun++;
        takt_job_hold();
        takt_job_hold();
        sim_consume(3000);
        takt_sleep(4000);
        takt_job_release();
        released++;
        takt_job_release();
        after++;
        busy();
    }, 1000, 5000);
    p.run(49999);
    EXPECT_GE(begun, 4);
    EXPECT_EQ(begun - released, 1);
    EXPECT_EQ(after, 0);
}

TEST_P(Periodic, AWaitIsNotTorn)
{
    Program p(GetParam());
    struct takt_sem never = TAKT_SEM_INIT(0), sem = TAKT_SEM_INIT(0);
    int begun = 0, after = 0, other = 0;
    p.every([&] {
        begun++;
        sim_consume(2000);
        takt_sem_wait_for(&never, 6000);
        takt_sem_wait_for(&sem, 1);
        sim_consume(1);
        after++;
    }, 1000, 5000);
    p.thread([&] {
        for (;;) {
            takt_sem_signal(&never);
            takt_sem_try(&never);
            other++;
            takt_sleep(20000);
        }
    }, 1000, 20000);
    p.run(99999);
    EXPECT_GE(begun, 10);
    EXPECT_EQ(never.waiters, 0u) << "nobody is left behind among the waiters";
    EXPECT_GT(p.control(0).terminated, 0);
    EXPECT_EQ(other, 5);
}

TEST_P(Periodic, UnregistersItselfAndComesBack)
{
    Program p(GetParam());
    Times begun;
    int result = 0, again = 0;
    p.every([&] {
        begun.push_back(sim_now());
        if (begun.size() == 3)
            result = takt_periodic_unregister(&p.control(0));
    }, 1000, 5000);
    struct takt_periodic nobody = p.control(0);
    p.thread([&] {
        takt_sleep_until(GetParam() + 42000);
        again = takt_periodic_register(&p.control(0));
        again |= takt_periodic_register(&p.control(0)) == TAKT_EINVAL ? 0 : 1;
        again |= takt_periodic_register(nullptr) == TAKT_EINVAL ? 0 : 2;
        again |= takt_periodic_unregister(&nobody) == TAKT_EINVAL ? 0 : 4;
        again |= takt_periodic_unregister(&p.control(1)) == TAKT_EINVAL ? 0 : 8;
        takt_sleep(1000000);
    }, 1000, 20000);
    p.run(59999);
    EXPECT_EQ(result, TAKT_OK);
    EXPECT_EQ(again, TAKT_OK);
    EXPECT_EQ(begun, (Times{0u, 5000u, 10000u, 45000u, 50000u, 55000u}));
    EXPECT_EQ(p.control(0).releases, 6u);
}

/* Even before it has ever run; the date of who is not registered stays true over the clock's wrap. */
TEST_P(Periodic, UnregisteredForLong)
{
    Program p(GetParam());
    Times begun;
    int results = 0;
    const uint64_t hour = 3600000000;
    p.thread([&] {
        results += takt_periodic_unregister(&p.control(1)) == TAKT_OK;
        results += takt_periodic_unregister(&p.control(1)) == TAKT_EINVAL;
        for (int i = 0; i < 4; i++)
            takt_sleep_ms(3600000 / 2);
        results += takt_periodic_register(&p.control(1)) == TAKT_OK;
        for (;;)
            takt_sleep_ms(1000);
    }, 1000, 20000000);
    p.every([&] { begun.push_back(sim_now()); sim_consume(100); }, 1000, 30000000);
    p.run(2 * hour + 70000000);
    EXPECT_EQ(results, 3);
    ASSERT_EQ(begun.size(), 2u);
    EXPECT_LE(begun[0], 2 * hour + 30000000);
    EXPECT_EQ(begun[0] % 30000000, 0u);
    EXPECT_EQ(begun[1], begun[0] + 30000000);
}

/* While others still come, nobody is released. */
TEST_P(Periodic, ReleasesBeginWhenTheLastHasCome)
{
    Program p(GetParam());
    Times begun;
    p.every([&] { begun.push_back(sim_now()); sim_consume(100); }, 1000, 5000);
    p.thread([&] { sim_consume(7000); takt_sleep(1000000); }, 7000, 100000);
    p.every([&] { sim_consume(100); }, 1000, 200000);
    p.run(19999);
    ASSERT_EQ(begun.size(), 3u);
    EXPECT_EQ(begun[0], 7000u);
    EXPECT_EQ(p.control(0).response_max, 100u);
}

/* A hold ends with its job, and a release without a hold is none. */
TEST_P(Periodic, HoldsAreOfOneJob)
{
    Program p(GetParam());
    int begun = 0;
    p.every([&] {
        takt_job_release();
        if (begun++ % 2)
            busy();
        takt_job_hold();
        sim_consume(begun == 3 ? 7000 : 100);
    }, 1000, 5000);
    p.run(49999);
    EXPECT_EQ(begun, 10) << "after the third, its successor follows at once";
    EXPECT_EQ(p.control(0).terminated, 4);
    EXPECT_EQ(p.control(0).holds, 0);
}

TEST(PeriodicBad, ValuesAreRefused)
{
    Program p;
    const std::pair<uint32_t, uint32_t> bad[] = {
        {0, 5000}, {100, 0}, {6000, 5000}, {100, 5050}, {1000, TAKT_PERIOD_MAX + 44}};
    std::vector<int> results;
    p.every([] {}, 1000, 5000);
    p.thread([&] {
        for (auto [c, t] : bad) {
            takt_periodic_unregister(&p.control(0));
            p.control(0).server.budget = c;
            p.control(0).beat.period = t;
            results.push_back(takt_periodic_register(&p.control(0)));
            p.control(0).server.budget = 1000;
            p.control(0).beat.period = 5000;
            takt_periodic_register(&p.control(0));
        }
    }, 1000, 20000);
    p.run(49999);
    EXPECT_EQ(results, std::vector<int>(5, TAKT_EINVAL));
}

TEST_P(Periodic, ThirtyOnePrimes)
{
    const uint32_t primes[31] = {7,  11, 13, 17, 19, 23, 29, 31,  37,  41,  43,  47,  53,  59,  61, 67,
                                 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139};
    Program p(GetParam());
    uint32_t done[31] = {};
    for (int i = 0; i < 31; i++)
        p.every([&, i] { sim_consume(100); done[i]++; }, 100, primes[i] * 1000);
    p.run(999999);
    for (size_t i = 0; i < 31; i++) {
        EXPECT_NEAR(done[i], 1000.0 / primes[i], 1.01) << i;
        EXPECT_EQ(p.control(i).late + p.control(i).overruns, 0) << i;
    }
}

TEST_P(Periodic, CreatedAtRunTime)
{
    Program p(GetParam());
    int slow = 0, quick = 0;
    p.every([&] { sim_consume(500); slow++; }, 1000, 10000);
    p.thread([&] {
        takt_sleep(1000000);
    }, 1000, 20000);
    auto spare = p.spare([&] {
        for (;;) {
            quick++;
            takt_sleep(4000);
        }
    }, 500, 5000);
    p.thread([&, spare] {
        takt_sleep(50000);
        EXPECT_EQ(takt_thread_create(spare), 0);
        takt_sleep(1000000);
    }, 1000, 30000);
    p.run(99999);
    EXPECT_EQ(slow, 10);
    EXPECT_GT(quick, 9);
}

/* The board's timer is `wrong`; the program tells what the reference reads once a second. */
TEST(PeriodicReference, TrueToOnePpm)
{
    for (double wrong : {1.004, 0.996}) { /* timer us per true us */
        Program p(FAR);
        std::vector<double> begun; /* true us */
        p.every([&] { begun.push_back(double(sim_now()) / wrong); sim_consume(100); }, 1000,
                   10000);
        p.thread([&] {
            for (uint32_t k = 0;; k++) {
                takt_sleep_until(uint32_t(FAR + 1000000.0 * wrong * k));
                takt_periodic_reference(uint32_t(double(sim_now()) / wrong) + 77);
            }
        }, 1000, 50000);
        p.run(199999999);
        size_t from = 300, last = begun.size() - 1; /* known from the second call on */
        ASSERT_GT(last, 19000u);
        double mean = (begun[last] - begun[from]) / double(last - from);
        EXPECT_NEAR(mean, 10000.0, 0.01) << "1 ppm";
        for (size_t i = from; i < last; i++)
            ASSERT_NEAR(begun[i + 1] - begun[i], 10000.0, 6) << i;
        EXPECT_EQ(p.control(0).late + p.control(0).overruns, 0);
        EXPECT_LT(p.background(0, 0, 200000000), 20000u);
    }
}

/* A clock that was wrong and is right again: budgets come back with the releases as before. */
TEST(PeriodicReference, ARateThatEnds)
{
    Program p(FAR);
    uint32_t periods[3] = {};
    p.every([&] { sim_consume(100); }, 1000, 10000);
    p.thread([&] {
        const uint32_t told[4] = {0, 1009000, 2009000, 3009000};
        for (uint32_t k = 0; k < 4; k++) {
            takt_sleep_until(FAR + 1000000u * (k + 1));
            takt_periodic_reference(told[k] + (takt_now() - FAR - 1000000u * (k + 1)));
            if (k > 0)
                periods[k - 1] = p.control(0).server.period;
        }
    }, 1000, 50000);
    p.run(4500000);
    EXPECT_NEAR(periods[0], 9910, 2);
    EXPECT_EQ(periods[1], 10000u);
    EXPECT_EQ(periods[2], 10000u);
}

TEST(PeriodicReference, NonsenseIsRefused)
{
    Program p;
    std::vector<int> results;
    p.every([] {}, 1000, 10000);
    p.thread([&] {
        for (uint32_t us : {0u, 100u, 500000u, 1500000u, 2502000u}) {
            results.push_back(takt_periodic_reference(us));
            takt_sleep(us == 0 ? 50 : 1000000 - 1);
        }
    }, 1000, 20000);
    p.run(5999999);
    EXPECT_EQ(results, (std::vector<int>{TAKT_OK, TAKT_EINVAL, TAKT_EINVAL, TAKT_OK, TAKT_OK}));
    EXPECT_NEAR(double(p.control(0).releases), 600, 4);
}

} // namespace
