#include <gtest/gtest.h>

extern "C" {
#include <can/adapter.h>
}

static const struct can_bounds candle = {48000000, 1, 16, 1, 8, 4, 1, 1024};

TEST(Timing, CommonRatesAreExact)
{
    for (uint32_t rate : {10000u, 20000u, 50000u, 100000u, 125000u, 250000u, 500000u, 800000u,
                          1000000u}) {
        struct can_timing t;
        ASSERT_EQ(can_timing(&candle, rate, &t), TAKT_OK) << rate;
        uint32_t quanta = 1 + t.before + t.after;
        EXPECT_EQ(48000000 / t.divider / quanta, rate);
        EXPECT_EQ(48000000 % (t.divider * quanta), 0u);
        EXPECT_LE(t.before, 16u);
        EXPECT_LE(t.after, 8u);
        EXPECT_LE(t.jump, 4u);
        EXPECT_LE(t.jump, t.after);
        EXPECT_NEAR(1000.0 * (1 + t.before) / quanta, 875, 40) << rate;
    }
}

TEST(Timing, WhatCannotBeMadeIsRefused)
{
    struct can_timing t;
    EXPECT_EQ(can_timing(&candle, 333333, &t), TAKT_EINVAL);
    EXPECT_EQ(can_timing(&candle, 0, &t), TAKT_EINVAL);
    EXPECT_EQ(can_timing(&candle, 16000000, &t), TAKT_OK); /* 3 quanta */
    EXPECT_EQ(can_timing(&candle, 48000000, &t), TAKT_EINVAL);
    struct can_bounds nothing = {};
    EXPECT_EQ(can_timing(&nothing, 500000, &t), TAKT_EINVAL);
    struct can_bounds wild = {0xFFFFFFFF, 0, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0, 0, 0xFFFFFFFF};
    (void)can_timing(&wild, 65537, &t); /* ends, soon */
}
