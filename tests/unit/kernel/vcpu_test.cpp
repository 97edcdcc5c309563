#include "program.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <takt/sem.h>
#include <takt/time.h>

enum { MARGIN = TAKT_BUDGET_MARGIN_US };

static void greedy()
{
    for (;;)
        sim_consume(1000);
}

class Vcpu : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Clocks, Vcpu, testing::Values(0u, 0xFFFFF000u));

TEST_P(Vcpu, GreedyLoopsGetTheirBudgetInEveryPeriod)
{
    Program p(GetParam());
    p.thread(greedy, 2000, 10000).thread(greedy, 3000, 12000).thread(greedy, 5000, 100000);
    p.run(1200000);
    const uint32_t c[] = {2000, 3000, 5000}, t[] = {10000, 12000, 100000};
    for (uint8_t i = 0; i < 3; i++)
        for (uint64_t from = 0; from + t[i] <= 1200000; from += t[i])
            ASSERT_EQ(p.foreground(i, from, from + t[i]), c[i] + MARGIN) << int(i) << " at " << from;
    for (size_t i = 0; i < 3; i++)
        EXPECT_EQ(p.vcpu(i).starved, 0);
}

TEST_P(Vcpu, SpentLoopsRunInTheBackgroundUncharged)
{
    Program p(GetParam());
    p.thread(greedy, 1000, 10000);
    p.run(100000);
    EXPECT_EQ(p.foreground(0, 0, 100000), 10u * (1000 + MARGIN));
    EXPECT_EQ(p.background(0, 0, 100000), 100000 - 10u * (1000 + MARGIN));
}

TEST(VcpuFlags, NoBackgroundMeansWaiting)
{
    Program p;
    p.thread(greedy, 1000, 10000, TAKT_NO_BACKGROUND);
    p.run(100000);
    EXPECT_EQ(p.foreground(0, 0, 100000), 10u * (1000 + MARGIN));
    EXPECT_EQ(p.background(0, 0, 100000), 0u);
}

TEST(VcpuBand, AThreadWithoutBudgetComesBeforeSpentOnes)
{
    Program p;
    uint64_t first = 0;
    p.thread(greedy, 1000, 10000);
    p.thread([&] {
        first = sim_now();
        sim_consume(3000);
    });
    p.run(9000);
    EXPECT_EQ(first, 1000u + MARGIN);
    EXPECT_EQ(p.background(1, 0, 9000), 3000u);
    EXPECT_EQ(p.background(0, 0, 9000), 9000u - 3000 - 1000 - MARGIN);
}

/* The starvation rule: kept from running for four periods, then free; two budgets must not follow
 * each other within a period. */
/* Admission counts an alarm and a dispatch at the beginning of a start and at its end; that in
 * which no thread has budget goes on when one does. */
TEST(VcpuCosts, AStartTakesTwoAlarmsAndADispatch)
{
    Program p;
    p.thread(greedy, 1000, 10000, TAKT_NO_BACKGROUND);
    p.run(5000);
    struct sim_counts before = sim_counted();
    EXPECT_EQ(before.alarms, 1u); /* at the first end */
    EXPECT_EQ(before.dispatches, 1u);
    p.run(205000);
    EXPECT_EQ(sim_counted().alarms - before.alarms, 2u * 20);
    EXPECT_EQ(sim_counted().dispatches - before.dispatches, 20u);
}

/* Sleepers beside a thread that waits for budget: each alarm is for one of them. */
TEST(VcpuCosts, AnAlarmOfASleeperIsNoneOfABudget)
{
    Program p;
    p.thread([] {
        for (;;)
            takt_sleep_until(takt_now() + 1000);
    }, 500, 100000);
    p.thread(greedy, 1000, 50000, TAKT_NO_BACKGROUND);
    p.run(5000);
    struct sim_counts before = sim_counted();
    p.run(45000);
    EXPECT_EQ(sim_counted().alarms - before.alarms, 40u);
    EXPECT_EQ(sim_counted().dispatches - before.dispatches, 40u);
}

/* Of a wait that has been signalled in time. */
TEST(VcpuCosts, AnAlarmThatConcernsNoBudgetAsksForNoDispatch)
{
    Program p;
    struct takt_sem in_time = TAKT_SEM_INIT(0), never = TAKT_SEM_INIT(0);
    int result = TAKT_EINVAL;
    p.thread([&] {
        result = takt_sem_wait_for(&in_time, 5000);
        takt_sem_wait(&never);
    }, 1000, 100000);
    p.thread(greedy, 500, 100000);
    p.thread([&] {
        sim_consume(1000);
        takt_sem_signal(&in_time);
        greedy();
    }, 50000, 100000);
    p.run(4000);
    ASSERT_EQ(result, TAKT_OK);
    struct sim_counts before = sim_counted();
    p.run(7000);
    EXPECT_EQ(sim_counted().alarms - before.alarms, 1u);
    EXPECT_EQ(sim_counted().dispatches, before.dispatches);
}

TEST(VcpuCosts, UsualSwitchesAreDoneAtOnce)
{
    Program p;
    struct takt_sem ping = TAKT_SEM_INIT(0);
    uint32_t rounds = 0;
    p.thread([&] {
        for (;; rounds++) {
            takt_sem_wait(&ping);
            sim_consume(1);
        }
    }, 10000, 100000);
    p.thread([&] {
        for (;;) {
            takt_sem_signal(&ping);
            sim_consume(10);
        }
    }, 40000, 100000);
    p.run(1);
    p.vcpu(0).jitter = 1; /* half a period */
    p.run(1000);
    uint32_t dispatches = sim_counted().dispatches, begun = rounds;
    p.run(30000);
    EXPECT_GT(rounds, begun + 2500);
    EXPECT_EQ(sim_counted().dispatches, dispatches);
}

TEST(VcpuCosts, WakingALessUrgentThreadIsDoneAtOnce)
{
    Program p;
    struct takt_sem ping = TAKT_SEM_INIT(0);
    uint32_t signals = 0, rounds = 0;
    p.thread([&] {
        for (;; signals++) {
            takt_sem_signal(&ping);
            sim_consume(5);
            takt_sleep(50); /* one dispatch, at the alarm */
        }
    }, 40000, 100000);
    p.thread([&] {
        for (;; rounds++) {
            takt_sem_wait(&ping);
            sim_consume(20);
        }
    }, 40000, 100000);
    p.run(1);
    p.vcpu(0).jitter = p.vcpu(1).jitter = 1; /* half a period */
    p.run(2000);
    uint32_t dispatches = sim_counted().dispatches, begun = signals;
    p.run(30000);
    EXPECT_GT(signals, begun + 400);
    EXPECT_GE(rounds, signals - 1);
    EXPECT_LE(sim_counted().dispatches - dispatches, signals - begun + 1);
}

TEST(VcpuStarvation, AStarvedServerGetsOneBudgetPerPeriodAfterwards)
{
    Program p;
    struct takt_sem never = TAKT_SEM_INIT(0);
    p.thread([&] { /* an overload no admission test would have let pass */
        sim_consume(40000);
        takt_sem_wait(&never);
    }, 40000, 1000000);
    p.thread(greedy, 2000, 10000);
    p.run(100000);
    EXPECT_EQ(p.foreground(1, 40000, 50000), 2000u + MARGIN);
    EXPECT_EQ(p.foreground(1, 50000, 60000), 2000u + MARGIN);
    EXPECT_EQ(p.vcpu(1).starved, 1);
    EXPECT_EQ(p.values(TAKT_EV_STARVED, 1), std::vector<uint32_t>{1});
}

/* More wake-ups in a period than the list holds: nothing lost, nothing early. */
TEST(VcpuFragments, AFullListDelaysButNeverLoses)
{
    Program p;
    p.thread([] {
        for (;;) {
            sim_consume(50);
            takt_sleep(200);
        }
    }, 2000, 10000);
    p.thread(greedy, 50000, 100000);
    p.run(2000000);
    for (uint64_t from = 0; from + 10000 <= 2000000; from += 500)
        ASSERT_LE(p.foreground(0, from, from + 10000), 2000u + MARGIN) << from;
    /* 40 wake-ups a period want 1992 us; merging 40 into 8 delays budget by up to T/8. */
    EXPECT_GE(p.foreground(0, 0, 2000000), 200u * 2002u * 7 / 8 - 2002u);
    EXPECT_TRUE(p.vcpu(0).count <= TAKT_REPLENISHMENTS);
}

/* Handlers without brackets, as C programs may have: one that only wakes the CPU, and one that wakes
 * the thread. */
TEST(VcpuInterrupts, SleepIsChargedToNoThread)
{
    Program p;
    struct takt_sem sem = TAKT_SEM_INIT(0);
    std::vector<uint64_t> done;
    p.thread([&] {
        for (;;) {
            takt_sem_wait(&sem);
            sim_consume(900);
            done.push_back(sim_now());
        }
    }, 1000, 10000);
    for (uint64_t at = 100; at < 100000; at += 300)
        interrupt_at(at, [] {});
    for (uint64_t at = 9000; at < 100000; at += 20000)
        interrupt_at(at, [&] { takt_sem_signal_isr(&sem); });
    p.run(100000);
    ASSERT_EQ(done.size(), 5u);
    for (size_t k = 0; k < done.size(); k++)
        EXPECT_EQ(done[k], 9900 + 20000 * k);
    EXPECT_TRUE(p.values(TAKT_EV_EXHAUST, 0).empty());
}

TEST(VcpuInterrupts, HandlersAreNotChargedToWhomTheyInterrupt)
{
    Program p;
    extern void charged_handler();
    for (uint64_t at = 100; at < 10000; at += 500)
        interrupt_at(at, charged_handler);
    p.thread(greedy, 5000, 10000);
    p.run(20000);
    EXPECT_EQ(takt_isr_us(), 20u * 30u);
    EXPECT_EQ(p.foreground(0, 0, 10000), 5000u + MARGIN + 11u * 30u) << "eleven came in between";
}

extern "C" {
void takt_isr_enter(void);
void takt_isr_exit(uint8_t source);
}

void charged_handler()
{
    takt_isr_enter();
    sim_consume(30);
    takt_isr_exit(7);
}

TEST(VcpuChange, ABudgetMayGrowAndShrinkWithinWhatIsSchedulable)
{
    Program p;
    p.thread([] {
        EXPECT_EQ(takt_vcpu_set_budget(1, 95000), TAKT_EADMIT);
        EXPECT_EQ(takt_vcpu_set_budget(1, 0), TAKT_EINVAL);
        EXPECT_EQ(takt_vcpu_set_budget(1, 100001), TAKT_EINVAL);
        EXPECT_EQ(takt_vcpu_set_budget(9, 10), TAKT_EINVAL);
        takt_sleep(250000);
        EXPECT_EQ(takt_vcpu_set_budget(1, 60000), TAKT_OK);
        takt_sleep(450000);
        EXPECT_EQ(takt_vcpu_set_budget(1, 10000), TAKT_OK);
        greedy();
    }, 10000, 100000);
    p.thread(greedy, 30000, 100000);
    p.run(1500000);
    EXPECT_EQ(p.foreground(1, 0, 100000), 30000u + MARGIN);
    EXPECT_EQ(p.foreground(1, 500000, 600000), 60000u + MARGIN);
    EXPECT_EQ(p.foreground(1, 1000000, 1100000), 10000u + MARGIN);
    EXPECT_EQ(p.foreground(0, 1000000, 1100000), 10000u + MARGIN);
}

/* What comes latest is taken away first: the 3001 us used so far, which would come back, and the
 * rest of what the thread has. */
TEST(VcpuChange, ABudgetMayShrinkWhileItIsUsed)
{
    Program p;
    p.thread([] {
        takt_sleep(3000); /* at least */
        EXPECT_EQ(takt_vcpu_set_budget(1, 2000), TAKT_OK);
        takt_sleep(100000);
    }, 1000, 9000);
    p.thread(greedy, 8000, 10000);
    p.run(20000);
    EXPECT_EQ(p.foreground(1, 0, 10000), 3001u + 2000u + MARGIN);
    EXPECT_EQ(p.foreground(1, 10000, 20000), 2000u + MARGIN);
}

TEST(VcpuRestart, StartUpDoesNotCount)
{
    Program p;
    p.thread([] {
        sim_consume(55555);
        takt_vcpu_restart_all();
        greedy();
    }, 1000, 10000);
    p.run(100000);
    EXPECT_EQ(p.times(TAKT_EV_SETUP, 0), std::vector<uint32_t>{55555});
    EXPECT_EQ(p.values(TAKT_EV_SETUP, 0), std::vector<uint32_t>{0});
    for (uint64_t from = 55555; from + 10000 <= 100000; from += 10000)
        EXPECT_EQ(p.foreground(0, from, from + 10000), 1000u + MARGIN);
}

TEST(VcpuTrace, AThreadThatBlocksHasUsedOnePiece)
{
    Program p;
    p.thread([] {
        for (;;) {
            sim_consume(300);
            takt_sleep(20000);
        }
    }, 1000, 10000);
    p.run(100000);
    EXPECT_EQ(p.times(TAKT_EV_CHUNK, 0).size(), p.times(TAKT_EV_BLOCK, 0).size());
    for (uint32_t response : p.values(TAKT_EV_CHUNK, 0))
        EXPECT_EQ(response, 300u);
}

/* Asleep for longer than the clock's range: budget must be there on waking. */
TEST(VcpuClock, ALongSleepLeavesTheBudgetUsable)
{
    Program p;
    p.thread([] {
        takt_sleep_ms(2 * 3600 * 1000);
        greedy();
    }, 1000, 10000);
    p.run(2ull * 3600 * 1000000 + 20000);
    EXPECT_EQ(p.foreground(0, 2ull * 3600 * 1000000 + 1, 2ull * 3600 * 1000000 + 10001),
              1000u + MARGIN);
}

/* Owed at once, in as many charges: no budget until it is paid, for which at most 2^30 us are
 * taken, and the whole of it then. */
struct Debt {
    uint32_t c, t, us, charges;
    uint64_t free;
};

class VcpuDebt : public testing::TestWithParam<Debt> {};
INSTANTIATE_TEST_SUITE_P(
    Debts, VcpuDebt,
    testing::Values(Debt{10000, 60000000, 361000, 1, 1ull << 30}, /* 36 minutes */
                    Debt{10000, 60000000, 50000, 1, 240000000},
                    Debt{2000, 1u << 28, 9000, 2, 1ull << 30}, /* eight budgets, of 2^31 us */
                    Debt{10000, 100000, UINT32_MAX, 3, 1ull << 30}));

TEST_P(VcpuDebt, KeepsTheBudgetAwayUntilItIsPaid)
{
    const Debt &debt = GetParam();
    Program p(0xFFFFF000u);
    p.thread([&] {
        for (uint32_t i = 0; i < debt.charges; i++)
            takt_vcpu_charge(debt.us);
        for (;;) {
            sim_consume(debt.c / 10);
            takt_sleep(debt.t / 10);
        }
    }, debt.c, debt.t);
    const uint64_t end = debt.free + 2 * debt.t, step = 60000000; /* what the trace has room for */
    for (uint64_t now = 0; now < end; now += step)
        p.run(std::min(now + step, end));
    EXPECT_EQ(p.foreground(0, 10, debt.free), 0u);
    EXPECT_GE(p.foreground(0, debt.free, end), debt.c);
}
