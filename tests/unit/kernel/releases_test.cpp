/*
 * The rings of releases against an oracle that asks every member at every date.
 */
#include <gtest/gtest.h>

#include <random>
#include <vector>

extern "C" {
#include "job/releases.h"
}

namespace
{

struct Member {
    takt_time_t due;
    uint32_t period;
};

class Releases : public testing::TestWithParam<takt_time_t>
{
protected:
    std::vector<Member> members;
    takt_release_ring ring[32] = {}, *rings = nullptr;
    takt_slot slot[32] = {};

    void add(takt_time_t due, uint32_t period)
    {
        size_t i = members.size();
        members.push_back({due, period});
        slot[i].threads = takt_set_t{1} << i;
        ring[i].at = due;
        ring[i].period = period;
        takt_rings_add(&rings, &ring[i], &slot[i]);
    }

    /* Who is due up to now, and who is next. */
    std::pair<takt_set_t, takt_time_t> oracle(takt_time_t now)
    {
        takt_set_t threads = 0;
        uint32_t least = UINT32_MAX;
        for (size_t i = 0; i < members.size(); i++) {
            while (!takt_before(now, members[i].due)) {
                threads |= takt_set_t{1} << i;
                members[i].due += members[i].period;
            }
            least = std::min(least, members[i].due - now);
        }
        return {threads, now + least};
    }

    void in_order() const
    {
        for (auto r = rings; r && r->next; r = r->next)
            ASSERT_FALSE(takt_before(r->next->at, r->at));
    }
};

INSTANTIATE_TEST_SUITE_P(Clocks, Releases, testing::Values(0u, 0xFFFFFF00u, 0x7FFFFF00u));

/* Taken when it says, or late by up to several periods. */
TEST_P(Releases, NamesWhoIsDueAndWhoIsNext)
{
    std::mt19937 random(1);
    for (int run = 0; run < 300; run++) {
        members.clear();
        rings = nullptr;
        takt_time_t now = GetParam();
        uint32_t count = 1 + random() % 31, kinds = 1 + random() % 8;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t period = 100 * (1 + i % kinds * 7);
            add(now + 1 + random() % period, period);
        }
        takt_time_t next = rings->at;
        for (int k = 0; k < 200; k++) {
            takt_time_t at = next + (k % 3 ? 0 : random() % 900);
            takt_set_t threads = 0;
            auto expected = oracle(at);
            next = takt_rings_take(&rings, at, &threads);
            ASSERT_EQ(threads, expected.first) << run << " " << k;
            ASSERT_EQ(next, expected.second) << run << " " << k;
            in_order();
        }
    }
}

/* A newcomer whose ring it makes due earlier: the ring moves forward in the order. */
TEST_P(Releases, NewcomersMoveTheirRingForward)
{
    takt_set_t threads = 0;
    takt_time_t t = GetParam();
    add(t + 300, 700);
    add(t + 900, 1000);
    add(t + 100, 1000);
    in_order();
    EXPECT_EQ(rings->at, t + 100);
    EXPECT_EQ(takt_rings_take(&rings, t + 100, &threads), t + 300);
    EXPECT_EQ(threads, 4u);
}

TEST_P(Releases, ThirtyOneAtOnceAreOneSlot)
{
    takt_set_t threads = 0;
    for (int i = 0; i < 31; i++)
        add(GetParam(), 1000);
    EXPECT_EQ(rings->next, nullptr);
    EXPECT_EQ(rings->slot->next, rings->slot);
    EXPECT_EQ(takt_rings_take(&rings, GetParam(), &threads), GetParam() + 1000);
    EXPECT_EQ(threads, 0x7FFFFFFFu);
}

} // namespace
