#include "program.h"

#include <gtest/gtest.h>
#include <takt/mutex.h>
#include <takt/sem.h>
#include <takt/time.h>

TEST(Sem, HandsUnitsToTheMostUrgentWaiter)
{
    Program p;
    struct takt_sem sem = TAKT_SEM_INIT(0);
    std::vector<int> order;
    for (int i = 0; i < 3; i++)
        p.thread([&, i] {
            takt_sem_wait(&sem);
            order.push_back(i);
        });
    p.thread([&] {
        for (int i = 0; i < 3; i++)
            EXPECT_EQ(takt_sem_signal(&sem), TAKT_OK);
        order.push_back(3);
    });
    p.run(100);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(sem.count, 0);
    EXPECT_EQ(sem.waiters, 0u);
}

TEST(Sem, CountsWhatNobodyWaitsFor)
{
    Program p;
    struct takt_sem sem = TAKT_SEM_INIT(1);
    p.thread([&] {
        takt_sem_signal(&sem);
        EXPECT_EQ(takt_sem_try(&sem), TAKT_OK);
        EXPECT_EQ(takt_sem_wait(&sem), TAKT_OK);
        EXPECT_EQ(takt_sem_try(&sem), TAKT_EAGAIN);
        EXPECT_EQ(takt_sem_wait_for(&sem, 0), TAKT_EAGAIN);
        sim_leave();
    });
    EXPECT_EQ(p.run(100), SIM_ASKED);
}

TEST(Sem, RefusesToCountPastItsEnd)
{
    Program p;
    struct takt_sem binary = TAKT_SEM_BINARY_INIT(1);
    struct takt_sem full = TAKT_SEM_INIT(0xFFFF);
    p.thread([&] {
        EXPECT_EQ(takt_sem_signal(&binary), TAKT_EOVERFLOW);
        EXPECT_EQ(takt_sem_signal(&full), TAKT_EOVERFLOW);
        EXPECT_EQ(full.count, 0xFFFF);
        sim_leave();
    });
    EXPECT_EQ(p.run(100), SIM_ASKED);
}

TEST(Sem, SignalFromAnInterruptPreempts)
{
    Program p;
    struct takt_sem sem = TAKT_SEM_INIT(0);
    uint64_t woke = 0, went_on = 0;
    interrupt_at(300, [&] { EXPECT_EQ(takt_sem_signal_isr(&sem), TAKT_OK); });
    p.thread([&] {
        takt_sem_wait(&sem);
        woke = sim_now();
        sim_consume(50);
    });
    p.thread([&] {
        sim_consume(1000);
        went_on = sim_now();
    });
    p.run(5000);
    EXPECT_EQ(woke, 300u);
    EXPECT_EQ(went_on, 1050u);
}

/* Where a signal and the end of the timeout meet: delivered or timed out, never both, none lost. */
TEST(Sem, TimeoutAndSignalNeverLoseAUnit)
{
    for (uint64_t at = 95; at <= 107; at++) {
        Program p;
        struct takt_sem sem = TAKT_SEM_INIT(0);
        int got = 1;
        interrupt_at(at, [&] { takt_sem_signal_isr(&sem); });
        p.thread([&] { got = takt_sem_wait_for(&sem, 100); });
        p.thread([&] { sim_consume(300); });
        p.run(1000);
        EXPECT_EQ(got, sem.count == 0 ? TAKT_OK : TAKT_ETIMEOUT) << at;
        EXPECT_EQ(got, at <= 101 ? TAKT_OK : TAKT_ETIMEOUT) << at;
        EXPECT_EQ(sem.waiters, 0u);
    }
}

/* The timeout has passed but the thread has not run yet when the signal comes: delivered. */
TEST(Sem, SignalBetweenTimeoutAndRunningStillCounts)
{
    Program p;
    struct takt_sem sem = TAKT_SEM_INIT(0);
    int got = 1;
    p.thread([&] {
        takt_sleep(99);
        sim_consume(100); /* keeps the waiter from running at its timeout */
        takt_sem_signal(&sem);
    });
    p.thread([&] { got = takt_sem_wait_for(&sem, 120); });
    p.run(1000);
    EXPECT_EQ(got, TAKT_OK);
    EXPECT_EQ(sem.count, 0);
}

TEST(Sem, WaitingIsRefusedWhereItCannotBe)
{
    Program p;
    struct takt_sem sem = TAKT_SEM_INIT(0);
    struct takt_sem free = TAKT_SEM_INIT(1);
    struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
    int in_handler = 1, signalled = 1, with_unit = 1, timed = 1;
    interrupt_at(10, [&] {
        in_handler = takt_sem_wait(&sem);
        with_unit = takt_sem_wait(&free);
        timed = takt_sem_wait_for(&free, 10);
        signalled = takt_sem_signal(&sem);
    });
    p.thread([&] {
        sim_consume(20);
        takt_mutex_lock(&mutex);
        EXPECT_EQ(takt_sem_wait(&sem), TAKT_ECONTEXT);
        EXPECT_EQ(takt_sem_wait_for(&sem, 10), TAKT_ECONTEXT);
        EXPECT_EQ(takt_sleep(10), TAKT_ECONTEXT);
        takt_mutex_unlock(&mutex);
        sim_leave();
    });
    EXPECT_EQ(p.run(100), SIM_ASKED);
    EXPECT_EQ(in_handler, TAKT_ECONTEXT);
    EXPECT_EQ(signalled, TAKT_ECONTEXT);
    EXPECT_EQ(with_unit, TAKT_ECONTEXT);
    EXPECT_EQ(timed, TAKT_ECONTEXT);
    EXPECT_EQ(free.count, 1) << "a unit taken where none can be given back is lost";
}
