#include "program.h"

#include <gtest/gtest.h>
#include <takt/trace.h>

// A debugger that reads too late misses the newest events, is told how many, and nothing else.
TEST(Trace, WhatIsLostIsCounted)
{
    Program p;
    rtt_up &up = _SEGGER_RTT.up[1];
    const uint32_t marks = TAKT_TRACE_EVENTS + 100;
    uint32_t before = 0, kept = 0;
    p.thread([&] {
        before = up.write_at / sizeof(takt_event);
        for (uint32_t i = 0; i < marks; i++)
            takt_trace_mark(i);
        kept = (up.write_at + up.size - up.read_at) % up.size / sizeof(takt_event);
        EXPECT_EQ(up.buffer[up.size / sizeof(takt_event) - 2].value, kept - before - 1);
        up.read_at = up.write_at;
        for (uint32_t i = 0; i < 3; i++)
            takt_trace_mark(marks + i);
    });
    p.run(1000);
    EXPECT_EQ(kept, TAKT_TRACE_EVENTS - 1u); // one slot stays free
    std::vector<uint32_t> lost = p.values(TAKT_EV_LOST, TAKT_NOBODY);
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0], before + marks - kept + 1); // that which tells is one of them
    EXPECT_EQ(p.values(TAKT_EV_MARK, 0), (std::vector<uint32_t>{marks + 1, marks + 2}));
}

// Each period of a thread that never waits: its budget comes, is used, and ends.
TEST(Trace, ABudgetsEndIsTold)
{
    Program p;
    p.thread([] {
        for (;;)
            sim_consume(100);
    }, 2000, 10000);
    p.run(100500);
    EXPECT_EQ(p.values(TAKT_EV_EXHAUST, 0).size(), 10u);
    EXPECT_EQ(p.values(TAKT_EV_REPLENISH, 0).size(), 10u);
    std::vector<uint32_t> chunks = p.values(TAKT_EV_CHUNK, 0);
    ASSERT_EQ(chunks.size(), 10u);
    for (uint32_t response : chunks)
        EXPECT_EQ(response / 10, 200u);
}
