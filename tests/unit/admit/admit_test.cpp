// admission/admit.c: the cases everybody should be able to check by hand. Random sets are compared
// with an oracle in tests/property.
#include <gtest/gtest.h>

#include <vector>

#include <takt/admit.h>
#include <takt/vcpu.h>

namespace
{

constexpr uint32_t ms = 1000;
constexpr uint32_t limit = 1u << 31;

struct Program {
    std::vector<takt_admit_thread> threads;
    std::vector<takt_admit_irq> irqs;
    std::vector<takt_admit_io> ios;
    takt_admit_costs costs = {0, 0, 0};

    takt_admit_set set() const
    {
        return {threads.data(),        irqs.data(),          ios.data(), uint32_t(threads.size()),
                uint32_t(irqs.size()), uint32_t(ios.size()), costs};
    }
    int exact(uint32_t *refused = nullptr) const
    {
        takt_admit_set s = set();
        return takt_admit_exact(&s, refused);
    }
    uint32_t response(uint32_t place) const
    {
        takt_admit_set s = set();
        return takt_admit_response(&s, place, limit);
    }
    takt_admit_bound eq1() const
    {
        takt_admit_set s = set();
        return takt_admit_eq1(&s);
    }
    takt_admit_bound hyperbolic() const
    {
        takt_admit_set s = set();
        return takt_admit_hyperbolic(&s);
    }
};

takt_admit_thread thread(uint32_t c, uint32_t t)
{
    return {c, t, 0, 0, 0};
}

TEST(Exact, RefusesSixtyAndFiftyOfAHundredNamingTheSecond)
{
    Program p{{thread(60 * ms, 100 * ms), thread(50 * ms, 100 * ms)}, {}, {}};
    uint32_t refused = 99;
    EXPECT_EQ(TAKT_EADMIT, p.exact(&refused));
    EXPECT_EQ(1u, refused);
    EXPECT_EQ(60 * ms, p.response(0));
    EXPECT_EQ(170 * ms, p.response(1)); // 50 + 2 x 60
}

TEST(Exact, AdmitsTheRoverThatEquation1Refuses)
{
    Program p{{thread(20 * ms, 100 * ms), thread(70 * ms, 100 * ms)}, {}, {}};
    EXPECT_EQ(TAKT_OK, p.exact());
    EXPECT_EQ(90 * ms, p.response(1));
    EXPECT_FALSE(p.eq1().holds);
    EXPECT_EQ(900000u, p.eq1().lhs_ppm);
    EXPECT_EQ(828427u, p.eq1().bound_ppm);
    EXPECT_FALSE(p.hyperbolic().holds);
    EXPECT_EQ(2040000u, p.hyperbolic().lhs_ppm);
}

TEST(Exact, Refuses495Of500BesideAnIoVcpuOfThreeFiveHundredths)
{
    Program p{{thread(495 * ms, 500 * ms)}, {}, {{3, 500, 0}}};
    EXPECT_EQ(TAKT_EADMIT, p.exact());
    // R = 495 + U R + (1 - U) U 500, U = 0.006: R = 497.982 / 0.994 = 500.988 ms
    EXPECT_EQ(500988u, p.response(0));
    p.threads[0].budget_us = 494 * ms;
    EXPECT_EQ(TAKT_OK, p.exact());
    p.threads[0].budget_us = 495 * ms;
    p.ios[0] = {3, 500, 600 * ms}; // a fixed, longer period: less urgent, no interference
    EXPECT_EQ(TAKT_OK, p.exact());
}

TEST(Exact, FullUtilisationFitsWhenPeriodsAreHarmonic)
{
    Program p{{thread(5, 10), thread(5, 20), thread(10, 40)}, {}, {}};
    EXPECT_EQ(TAKT_OK, p.exact());
    EXPECT_EQ(40u, p.response(2));
    p.threads[2].budget_us = 11;
    EXPECT_EQ(TAKT_EADMIT, p.exact());
}

TEST(Exact, CountsBlockingJitterInterruptsAndOverheads)
{
    Program p{{thread(10, 100), thread(20, 200)}, {}, {}};
    EXPECT_EQ(30u, p.response(1));
    p.threads[1].blocking_us = 7;
    EXPECT_EQ(37u, p.response(1));
    EXPECT_EQ(10u, p.response(0));
    p.threads[1].jitter_us = 3; // nothing to itself
    EXPECT_EQ(37u, p.response(1));
    p.threads[0].jitter_us = 70; // two arrivals of the first within 37 us
    EXPECT_EQ(47u, p.response(1));
    p.irqs.push_back({2500, 20, 0}); // three of 2.5 us in 47 + 7.5 us
    EXPECT_EQ(55u, p.response(1));
    p.irqs.clear();
    p.threads[1].fragments = 2; // 2 x 2 switches of 1 us and 2 x 2 alarms of 0.25 us
    p.costs = {1000, 250, 2};   // and 2 us of margin on each budget, two of the first's
    // and a start of the first that it pays for later, two switches and alarms: 2.5 us, rounded up
    EXPECT_EQ(47u + 4 + 1 + 3 * 2 + 3, p.response(1));
    EXPECT_EQ(10u + 2 + 1, p.response(0)); // C, margin, the other's alarms
}

TEST(Exact, InterruptsOfTheProgramCountAsTheBoards)
{
    Program p{{thread(10, 100)}, {{1500, 20, 0}, {2500, 30, 0}}, {}, {0, 0, 0}};
    takt_admit_set board = p.set();
    EXPECT_EQ(14u, p.response(0)); // 10 + 1.5 + 2.5
    for (uint32_t own = 0; own <= 2; own++) {
        board.irq_count = own;
        board.more_irqs = p.irqs.data() + own;
        board.more_irq_count = 2 - own;
        EXPECT_EQ(p.response(0), takt_admit_response(&board, 0, limit));
        EXPECT_EQ(TAKT_OK, takt_admit_validate(&board));
    }
    p.irqs[1].separation_us = 0;
    EXPECT_EQ(TAKT_EINVAL, takt_admit_validate(&board));
    board.irq_count = 1;
    board.more_irqs = &p.irqs[1];
    board.more_irq_count = 1;
    EXPECT_EQ(TAKT_EINVAL, takt_admit_validate(&board));
}

TEST(Exact, AlarmsOfLessUrgentThreadsInterruptTheMoreUrgent)
{
    Program p{{thread(10, 100), {10, 1000, 0, 0, 3}}, {}, {}, {0, 500, 0}};
    EXPECT_EQ(13u, p.response(0));
}

TEST(Exact, EndsWithAVerdictWhenNothingConverges)
{
    Program p{{thread(TAKT_PERIOD_MAX, TAKT_PERIOD_MAX), thread(1, TAKT_PERIOD_MAX)}, {}, {}};
    EXPECT_EQ(TAKT_EADMIT, p.exact());
    EXPECT_EQ(TAKT_ADMIT_NEVER, p.response(1));
    Program slow{{thread(1, 1), thread(1, TAKT_PERIOD_MAX)}, {}, {}};
    EXPECT_EQ(TAKT_EADMIT, slow.exact());
    Program flood{{thread(1, 2)}, {{UINT32_MAX, 1, TAKT_DURATION_MAX}}, {}};
    EXPECT_EQ(TAKT_EADMIT, flood.exact());
    Program io{{thread(1, 2)}, {}, {{1, 1, 0}}};
    EXPECT_EQ(TAKT_EADMIT, io.exact());
}

TEST(Exact, LargestValuesDoNotOverflow)
{
    Program p;
    for (int i = 0; i < TAKT_ADMIT_THREADS; i++)
        p.threads.push_back(
            {TAKT_PERIOD_MAX, TAKT_PERIOD_MAX, TAKT_DURATION_MAX, TAKT_DURATION_MAX,
             TAKT_ADMIT_FRAGMENTS});
    p.costs = {TAKT_ADMIT_COST_NS, TAKT_ADMIT_COST_NS, TAKT_DURATION_MAX};
    p.irqs.assign(4, {UINT32_MAX, 1, TAKT_DURATION_MAX});
    p.ios.assign(TAKT_ADMIT_IO, {65535, 65535, TAKT_PERIOD_MAX});
    EXPECT_EQ(TAKT_EADMIT, p.exact());
    EXPECT_FALSE(p.eq1().holds);
    EXPECT_EQ(80000000u, p.eq1().lhs_ppm); // 64 + 16
    EXPECT_FALSE(p.hyperbolic().holds);
    EXPECT_EQ(UINT32_MAX, p.hyperbolic().lhs_ppm);
}

TEST(Validate, NamesWhatCannotBeAnalysed)
{
    EXPECT_EQ(TAKT_EINVAL, Program().exact()); // nothing to admit
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(0, 10)}, {}, {}}.exact()));
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(1, 0)}, {}, {}}.exact()));
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(11, 10)}, {}, {}}.exact()));
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(1, TAKT_PERIOD_MAX + 1)}, {}, {}}.exact()));
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(1, 10)}, {{1, 0, 0}}, {}}.exact()));
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(1, 10)}, {}, {{2, 1, 0}}}.exact()));
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(1, 10)}, {}, {{0, 0, 0}}}.exact()));
    EXPECT_EQ(TAKT_OK, (Program{{thread(1, 10)}, {}, {{0, 1, 0}}}.exact())); // U = 0 never runs
    EXPECT_EQ(TAKT_EINVAL, (Program{{{1, 10, 0, 0, TAKT_ADMIT_FRAGMENTS + 1}}, {}, {}}.exact()));
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(1, 10)}, {}, {}, {TAKT_ADMIT_COST_NS + 1, 0, 0}}.exact()));
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(1, 10)}, {}, {}, {0, TAKT_ADMIT_COST_NS + 1, 0}}.exact()));
    EXPECT_EQ(TAKT_EINVAL, (Program{{thread(1, 10)}, {}, {}, {0, 0, TAKT_DURATION_MAX + 1}}.exact()));
    Program many;
    many.threads.assign(TAKT_ADMIT_THREADS, thread(1, TAKT_ADMIT_THREADS));
    EXPECT_EQ(TAKT_OK, many.exact());
    many.threads.push_back(thread(1, 32));
    EXPECT_EQ(TAKT_ENOSPACE, many.exact());
    Program io{{thread(1, 10)}, {}, std::vector<takt_admit_io>(TAKT_ADMIT_IO + 1, {0, 1, 0})};
    EXPECT_EQ(TAKT_ENOSPACE, io.exact());
}

TEST(Bounds, OneThreadMayUseTheWholeProcessor)
{
    Program p{{thread(7, 7)}, {}, {}};
    EXPECT_TRUE(p.eq1().holds);
    EXPECT_EQ(1000000u, p.eq1().bound_ppm);
    EXPECT_TRUE(p.hyperbolic().holds);
    EXPECT_EQ(TAKT_OK, p.exact());
}

TEST(Bounds, FiguresAreRoundedAgainstTheProgram)
{
    Program p{{thread(1, 3)}, {}, {}};
    EXPECT_EQ(333334u, p.eq1().lhs_ppm);
    EXPECT_EQ(1333334u, p.hyperbolic().lhs_ppm);
}

} // namespace
