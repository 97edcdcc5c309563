/*
 * Random programs with pipes that admission grants, run on the kernel: nothing is lost, in the
 * device or in a pipe, and nothing comes later than its bound.
 */
#include "pipe_trial.h"

constexpr int RUNS = 600;

TEST(PipeAdmitted, LosesNothingAndIsInTime)
{
    Outcome closest;
    int runs = 0, tried = 0;
    for (uint32_t seed = 1; runs < RUNS; seed++) {
        std::mt19937 random(seed);
        Case c = random_case(random);
        tried++;
        if (!admitted(c))
            continue;
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Outcome seen = Trial(c, random).go();
        EXPECT_EQ(seen.lost, 0u);
        EXPECT_LE(seen.latency, 1);
        EXPECT_LE(seen.buffer, 1);
        closest.latency = std::max(closest.latency, seen.latency);
        closest.device = std::max(closest.device, seen.device);
        closest.buffer = std::max(closest.buffer, seen.buffer);
        closest.packets += seen.packets;
        runs++;
        if (HasFailure())
            break;
    }
    printf("%d of %d admitted, %lu packets; closest: latency %.2f, device %.2f, buffer %.2f of the "
           "bounds\n",
           runs, tried, closest.packets, closest.latency, closest.device, closest.buffer);
    EXPECT_GT(closest.latency, 0.7);
    EXPECT_GT(closest.device, 0.7);
    EXPECT_GT(closest.buffer, 0.7);
}

/* The same with the period of Little's law. */
TEST(PipeAdmitted, ThePaperSPeriodsLosePackets)
{
    uint64_t lost = 0, packets = 0;
    int losing = 0, runs = 0;
    for (uint32_t seed = 1; runs < RUNS / 4; seed++) {
        std::mt19937 random(seed);
        Case c = random_case(random);
        if (!admitted(c))
            continue;
        for (Loop &loop : c.loops)
            if (loop.pipe >= 0) {
                const struct takt_qos &qos = c.asked[static_cast<size_t>(loop.pipe)];
                loop.t = TAKT_PIPE_PAPER_US(qos.IObufsz / 8, 64, qos.tput, qos.latency);
            }
        std::stable_sort(c.loops.begin(), c.loops.end(),
                         [](const Loop &a, const Loop &b) { return a.t < b.t; });
        Outcome seen = Trial(c, random).go();
        lost += seen.lost;
        packets += seen.packets;
        losing += seen.lost > 0;
        runs++;
    }
    printf("%d of %d runs lose, %lu of %lu packets\n", losing, runs, lost, packets);
    EXPECT_GT(losing, runs / 20);
}
