#include "program.h"

#include <gtest/gtest.h>
#include <takt/time.h>

TEST(Fatal, AnOverwrittenSentinelIsNamedAtTheNextSwitch)
{
    Program p;
    p.thread([] {
        *reinterpret_cast<uint32_t *>(takt_thread_at(0)->stack) = 0;
        takt_sleep(10);
    });
    EXPECT_EQ(p.run(1000), SIM_HALT);
    EXPECT_STREQ(sim_fatal_line(), "\r\ntakt: fatal: stack overflow (in test)\r\n");
    EXPECT_EQ(takt_fatal_record.code, uint32_t{TAKT_FATAL_STACK});
    EXPECT_EQ(takt_fatal_record.place, 0u);
}

/* Of two with budgets that wake one another, which takes the short way. */
TEST(Fatal, AnOverwrittenSentinelIsNamedWhereBudgetsGoOn)
{
    Program p;
    struct takt_sem go = TAKT_SEM_INIT(0), back = TAKT_SEM_INIT(0);
    int woken = 0;
    p.thread([&] {
        for (;;) {
            takt_sem_wait(&go);
            woken++;
            takt_sem_signal(&back);
        }
    }, 1000, 10000);
    p.thread([&] {
        for (int n = 0; n < 5; n++) {
            takt_sem_signal(&go);
            takt_sem_wait(&back);
        }
        *static_cast<char *>(takt_thread_at(1)->stack) = 0;
        takt_sem_signal(&go);
        sim_leave();
    }, 2000, 20000);
    EXPECT_EQ(p.run(1000), SIM_HALT);
    EXPECT_EQ(takt_fatal_record.code, uint32_t{TAKT_FATAL_STACK});
    EXPECT_EQ(takt_fatal_record.place, 1u);
    EXPECT_EQ(woken, 5);
}

TEST(Fatal, AThreadThatReturnsJustEnds)
{
    Program p;
    bool went_on = false;
    p.thread([] {});
    p.thread([&] {
        takt_sleep(10);
        went_on = true;
        sim_leave();
    });
    EXPECT_EQ(p.run(1000), SIM_ASKED);
    EXPECT_TRUE(went_on);
}
