// admission/admit_delivery.c: figures worked out by hand, the paper's Table V among them.
#include <gtest/gtest.h>

#include <vector>

#include <takt/admit.h>
#include <takt/vcpu.h>

namespace
{

constexpr uint32_t ms = 1000;

// Handlers on one I/O VCPU, the most urgent first.
struct Program {
    std::vector<takt_admit_thread> threads;
    takt_admit_io io = {2, 10, 0, 0};
    std::vector<takt_admit_irq> irqs;
    takt_admit_costs costs = {0, 0, 0};
    uint32_t top_us = 0;
    std::vector<uint32_t> work = {2330}, wait;
    uint32_t shortest_us = 0, longest_us = 0; // 0: of the handler

    template <typename Bound> uint32_t ask(uint32_t place, Bound bound) const
    {
        takt_admit_set set = {
            threads.data(), irqs.data(), &io, uint32_t(threads.size()), uint32_t(irqs.size()),
            1,              costs};
        uint32_t own = threads[place].period_us;
        takt_admit_path path = {place,
                                0,
                                shortest_us ? shortest_us : own,
                                longest_us ? longest_us : own,
                                top_us,
                                work.data(),
                                uint32_t(work.size()),
                                wait.data()};
        EXPECT_EQ(TAKT_OK, takt_admit_validate(&set));
        return bound(&set, &path);
    }
    uint32_t safe(uint32_t place = 0) const { return ask(place, takt_admit_delivery); }
    uint32_t paper(bool corrected, uint32_t place = 0) const
    {
        return ask(place, [=](const takt_admit_set *set, const takt_admit_path *path) {
            return takt_admit_delivery_paper(set, path, corrected);
        });
    }
};

takt_admit_thread thread(uint32_t c, uint32_t t)
{
    return {c, t, 0, 0, 0};
}

struct TableV {
    uint32_t share, c, t; // of 10; ms
    uint32_t paper, safe; // us
};

class DeliveryTableV : public testing::TestWithParam<TableV>
{
};

// Bottom half 2.33 ms. Safe: P - C_io, (k - 1) P, the rest; T_h, R_h = (C + (1 - U) U T) / (1 - U).
TEST_P(DeliveryTableV, IsAsWorkedOutByHand)
{
    const TableV &row = GetParam();
    Program p{{thread(row.c * ms, row.t * ms)}, {row.share, 10, 0, 0}};
    EXPECT_EQ(row.paper, p.paper(false));
    EXPECT_EQ(row.paper, p.paper(true));
    EXPECT_EQ(row.safe, p.safe());
}

INSTANTIATE_TEST_SUITE_P(Cases, DeliveryTableV,
                         testing::Values(
                             // 7 + 8 + 10 + .33; 8 + 10 + .33 + 10 + 5.75
                             TableV{2, 3, 10, 25330, 34080},
                             // 7 + 9 + 20 + .33; 9 + 20 + .33 + 10 + 4.334
                             TableV{1, 3, 10, 36330, 43664},
                             // 7 + 7 + 0 + 2.33; 7 + 0 + 2.33 + 10 + 7.286
                             TableV{3, 3, 10, 16330, 26616},
                             // 8 + 8 + 10 + .33; 8 + 10 + .33 + 10 + 4.5
                             TableV{2, 2, 10, 26330, 32830},
                             // C_io = 4 of 20: 17 + 16 + 0 + 2.33; 16 + 2.33 + 20 + 7.75
                             TableV{2, 3, 20, 35330, 46080}));

TEST(DeliveryPaper, IsOneBudgetShortWhereTheBottomHalfIsAMultipleOfIt)
{
    Program p{{thread(3 * ms, 10 * ms)}};
    p.work = {4 * ms}; // two budgets
    EXPECT_EQ(25 * ms, p.paper(false));
    EXPECT_EQ(27 * ms, p.paper(true));
    EXPECT_EQ(20 * ms + 15750, p.safe()); // 8 + 10 + 2, 10 + 5.75
    p.work = {2 * ms};
    EXPECT_EQ(15 * ms, p.paper(false));
    EXPECT_EQ(17 * ms, p.paper(true));
}

TEST(Delivery, NeverComesWithoutAShare)
{
    Program p{{thread(3 * ms, 10 * ms)}, {0, 10, 0, 0}};
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.safe());
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.paper(false));
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.paper(true));
    p.io = {1, 10001, 0, 0}; // less than 1 us of 10 ms
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.safe());
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.paper(true));
    p.io = {1, 10000, 0, 0}; // 1 us: in 2330 budgets
    EXPECT_EQ(9999u + 2329 * 10000 + 1 + 13002, p.safe());
}

TEST(Delivery, CountsTopHalfOverheadAndBlocking)
{
    Program p{{thread(3 * ms, 10 * ms)}, {2, 10, 0, 100}};
    p.work = {500};
    p.top_us = 4;
    // P = (2000 + 100) / 0.2 = 10500; R_io = 500 + 100; R_h = (3 + U R + (1 - U) (2 + .1) ms)
    uint32_t handler = 10000 + 5850;
    EXPECT_EQ(4 + 8500u + 600 + handler, p.safe());
    p.threads[0].blocking_us = 30; // once for each of the two; R_h = 5850 + 30 / 0.8
    EXPECT_EQ(4 + 8500u + 630 + handler + 38, p.safe());
    EXPECT_EQ(15500u, p.paper(true)); // knows none of it
}

TEST(Delivery, MoreUrgentThreadsAndInterruptsComeInBetween)
{
    Program p{{thread(1 * ms, 5 * ms), thread(3 * ms, 20 * ms)}, {1, 100, 0, 0}};
    p.work = {100};
    EXPECT_EQ(19800u + 1100 + 20000 + 4241, p.safe(1)); // R_h = (3 + 1 + .198) / .99
    p.irqs = {{50000, 1 << 30, 0}};
    EXPECT_EQ(19800u + 1150 + 20000 + 4291, p.safe(1));
}

TEST(Delivery, WaitsForADeviceCostWhatIsLeftUntilTheNextBudget)
{
    Program p{{thread(1 * ms, 10 * ms)}, {1, 10, 0, 0}};
    p.work = {200, 300, 100};
    p.wait = {500, 4000};
    // after 200: back at 2000, has run 200 and waited 500: 1300 more; after 300: back at 3000
    uint32_t bottom = 9000 + 200 + (500 + 1300) + 300 + 4000 + 100;
    EXPECT_EQ(bottom + 10000 + 2112, p.safe()); // R_h = (1 + .9) / .9
    EXPECT_EQ(9000u + 9000 + 600 + 4500, p.paper(true));
}

TEST(Delivery, APieceLongerThanABudgetBeforeAWait)
{
    Program p{{thread(1 * ms, 10 * ms)}, {1, 10, 0, 0}};
    p.work = {1200, 1};
    p.wait = {100};
    // 10 ms for the first budget, 200 us of the second: back at 2000, less 200 run and 100 waited
    EXPECT_EQ(9000u + 10000 + 200 + 100 + 1700 + 1 + 10000 + 2112, p.safe());
}

TEST(Delivery, HandlersOfOtherPeriodsOnTheSameShare)
{
    Program p{{thread(1 * ms, 10 * ms), thread(1 * ms, 100 * ms)}, {1, 10, 0, 0}};
    p.work = {300};
    uint32_t alone = p.safe(0);
    p.shortest_us = 10 * ms;
    p.longest_us = 100 * ms;
    // 10 ms of the other's budget may just have been used: 90 ms without any instead of 9
    EXPECT_EQ(alone + 81 * ms, p.safe(0));
    uint32_t other = p.safe(1);
    p.work = {1000}; // still one budget of the shorter period
    EXPECT_EQ(other + 700, p.safe(1));
    p.work = {2500}; // three of them, at rate U: 2 + 25 ms, and 2.5 ms in the last, and the rest
    EXPECT_EQ(other + 2 + 25000 + 2200, p.safe(1));
    p.io.overhead_us = 10; // each comes 10 us / U later: two, and the one before
    EXPECT_LT(other + 2 + 25000 + 2200 + 3 * 100, p.safe(1));
}

TEST(Delivery, LargestValuesDoNotOverflow)
{
    constexpr uint32_t longest = TAKT_PERIOD_MAX, latest = TAKT_DURATION_MAX;
    Program p{{{longest, longest, latest, latest, TAKT_ADMIT_FRAGMENTS}}, {1, 65535, 0, latest}};
    p.costs = {TAKT_ADMIT_COST_NS, TAKT_ADMIT_COST_NS, TAKT_DURATION_MAX};
    p.top_us = UINT32_MAX;
    p.work.assign(4, UINT32_MAX);
    p.wait.assign(3, UINT32_MAX);
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.safe());
    p.shortest_us = 65535; // budgets of 1 us
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.safe());
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.paper(false));
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.paper(true));
}

TEST(Delivery, AHandlerThatIsNeverDoneHasNoBound)
{
    Program p{{thread(6 * ms, 10 * ms), thread(5 * ms, 10 * ms)}};
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.safe(1));
    EXPECT_EQ(5 * ms + 8 * ms + 10 * ms + 330, p.paper(true, 1));
}

} // namespace
