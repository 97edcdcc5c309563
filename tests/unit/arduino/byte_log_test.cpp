/*
 * The log of bytes in flash, on a chip of an array whose power fails: of what was being written any
 * bits are missing from some byte on, of what was being erased any are as they were, 0 or 1. Those
 * are weak: when the power comes back they may read otherwise, until they are written again.
 */
#include "../../../libraries/EEPROM/src/byte_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace
{

constexpr uint32_t FIRST = TAKT_NOR_BYTES - 2 * TAKT_BYTE_LOG_HALF;
constexpr unsigned PER_HALF = (TAKT_BYTE_LOG_HALF - TAKT_NOR_PAGE - TAKT_BYTE_LOG_BYTES) / 4;

struct PowerFailed {
};

struct Chip {
    std::vector<uint8_t> bytes = std::vector<uint8_t>(TAKT_NOR_BYTES, 0xFF);
    std::vector<uint8_t> weak = std::vector<uint8_t>(TAKT_NOR_BYTES, 0); /* bits */
    std::mt19937 random{1};
    long until_failure = -1; /* operations; < 0: power stays */
    long erased = 0;
    int result = TAKT_OK;
    uint32_t worn = TAKT_NOR_BYTES; /* a byte that stays 255 */

    /* Is this the operation in which power fails? */
    bool fails() { return until_failure >= 0 && until_failure-- == 0; }

    void power_returns()
    {
        if (random() % 4 != 0)
            return;
        for (uint32_t n = FIRST; n < TAKT_NOR_BYTES; n++)
            if (weak[n])
                bytes[n] ^= static_cast<uint8_t>(weak[n] & random());
    }
} chip;

} // namespace

int takt_nor_read(uint32_t at, void *to, uint32_t count)
{
    EXPECT_LE(at + count, TAKT_NOR_BYTES);
    std::copy_n(chip.bytes.begin() + at, count, static_cast<uint8_t *>(to));
    return TAKT_OK;
}

int takt_nor_program(uint32_t at, const void *from, uint32_t count)
{
    EXPECT_GE(at, FIRST);
    EXPECT_LE(at % TAKT_NOR_PAGE + count, TAKT_NOR_PAGE);
    if (chip.result != TAKT_OK)
        return chip.result;
    bool fails = chip.fails(), faint = chip.random() % 2 != 0; /* of that nothing is seen yet */
    uint32_t whole = fails && faint ? 0 : fails ? chip.random() % count : count;
    for (uint32_t n = 0; n < count; n++) {
        uint8_t ones = static_cast<const uint8_t *>(from)[n];
        uint8_t missing = n < whole ? 0 : faint ? 0xFF : static_cast<uint8_t>(chip.random());
        if (at + n == chip.worn)
            missing = 0xFF;
        if (fails)
            chip.weak[at + n] |= static_cast<uint8_t>(chip.bytes[at + n] & ~ones);
        else
            chip.weak[at + n] &= ones;
        chip.bytes[at + n] &= ones | missing;
    }
    if (fails)
        throw PowerFailed();
    return TAKT_OK;
}

int takt_nor_erase(uint32_t at)
{
    EXPECT_GE(at, FIRST);
    if (chip.result != TAKT_OK)
        return chip.result;
    bool fails = chip.fails(), to_ones = chip.random() % 2 != 0; /* chips write 0 first */
    unsigned rare = 1 + chip.random() % 16;
    for (uint32_t n = at; n < at + TAKT_NOR_SECTOR; n++) {
        auto some = static_cast<uint8_t>(chip.random() % rare == 0 ? chip.random() : 0);
        uint8_t half_way = to_ones ? chip.bytes[n] | some : chip.bytes[n] & ~some;
        chip.weak[n] = fails ? 0xFF : 0;
        chip.bytes[n] = fails ? half_way : 0xFF;
    }
    if (fails)
        throw PowerFailed();
    chip.erased++;
    return TAKT_OK;
}

namespace
{

class ByteLog : public testing::Test
{
  protected:
    ByteLog() { chip = Chip(); }

    takt_byte_log log_ = {};
    std::vector<uint8_t> kept_ = std::vector<uint8_t>(TAKT_BYTE_LOG_BYTES, 0xFF); /* must be there */

    void read_anew()
    {
        chip.power_returns();
        log_ = {};
        takt_byte_log_read(&log_);
    }
    void expect_kept()
    {
        auto [found, expected] = std::mismatch(std::begin(log_.bytes), std::end(log_.bytes),
                                               kept_.begin());
        if (found != std::end(log_.bytes))
            FAIL() << found - log_.bytes << " is " << +*found << " instead of " << +*expected;
    }
    void write(uint32_t at, uint8_t value)
    {
        EXPECT_EQ(takt_byte_log_write(&log_, at, value), TAKT_OK);
        kept_[at % TAKT_BYTE_LOG_BYTES] = value;
    }
    /* Did power fail? Then the byte may be either, at each start until the next write has ended. */
    bool write_may_fail(uint32_t at, uint8_t value, long operations)
    {
        chip.until_failure = operations;
        cut_.push_back({at, kept_[at], value});
        try {
            write(at, value);
            chip.until_failure = -1;
            cut_.clear();
            return false;
        } catch (const PowerFailed &) {
            read_anew();
            for (const Cut &cut : cut_)
                if (log_.bytes[cut.at] == cut.before || log_.bytes[cut.at] == cut.value)
                    kept_[cut.at] = log_.bytes[cut.at];
            return true;
        }
    }

  private:
    struct Cut {
        uint32_t at;
        uint8_t before, value;
    };
    std::vector<Cut> cut_; /* writes since the last one that has ended */
};

} // namespace

TEST_F(ByteLog, NothingIsKeptAtFirst)
{
    read_anew();
    expect_kept();
    EXPECT_EQ(chip.erased, 0);
}

TEST_F(ByteLog, WhatIsWrittenIsThereAgain)
{
    std::mt19937 random(2);
    read_anew();
    for (unsigned n = 0; n < 3 * PER_HALF; n++) {
        write(random(), static_cast<uint8_t>(random()));
        if (n % 500 == 0) {
            read_anew();
            expect_kept();
        }
    }
    read_anew();
    expect_kept();
}

TEST_F(ByteLog, AHalfIsErasedWhenTheOtherIsFull)
{
    read_anew();
    for (unsigned n = 0; n < PER_HALF + 1; n++)
        write(5, static_cast<uint8_t>(n));
    EXPECT_EQ(chip.erased, 4);
    write(5, 254);
    EXPECT_EQ(chip.erased, 8);
    write(5, 254); /* as it is */
    write(6, 0);
    EXPECT_EQ(chip.erased, 8);
    read_anew();
    expect_kept();
    EXPECT_EQ(chip.bytes[FIRST - 1], 0xFF);
}

TEST_F(ByteLog, GarbageIsNoLog)
{
    std::generate(chip.bytes.begin() + FIRST, chip.bytes.end(), std::ref(chip.random));
    read_anew();
    expect_kept();
    write(0, 1);
    read_anew();
    expect_kept();
}

TEST_F(ByteLog, AByteThatCannotBeWrittenIsAsBefore)
{
    read_anew();
    for (unsigned written : {0u, 1u, PER_HALF - 1, PER_HALF}) { /* nothing; a record; the last one */
        for (unsigned n = 0; n < written; n++)
            write(9, static_cast<uint8_t>(n % 200));
        chip.result = TAKT_ETIMEOUT;
        EXPECT_EQ(takt_byte_log_write(&log_, 9, 222), TAKT_ETIMEOUT);
        expect_kept();
        chip.result = TAKT_OK;
        write(9, 223);
        read_anew();
        expect_kept();
    }
}

TEST_F(ByteLog, AWornPlaceIsToldAndLeft)
{
    read_anew();
    write(1, 1);
    chip.worn = FIRST + TAKT_NOR_PAGE + TAKT_BYTE_LOG_BYTES + 1;
    EXPECT_EQ(log_.next, TAKT_NOR_PAGE + TAKT_BYTE_LOG_BYTES);
    EXPECT_EQ(takt_byte_log_write(&log_, 1, 2), TAKT_EREFUSED);
    expect_kept();
    write(1, 3);
    read_anew();
    expect_kept();
}

/* Of what a write takes power fails after some; then again, and again. */
TEST_F(ByteLog, PowerFailsAtAnyTime)
{
    std::mt19937 random(3);
    read_anew();
    unsigned failures = 0;
    for (unsigned n = 0; n < 4 * PER_HALF; n++) {
        failures += write_may_fail(random() % 40, static_cast<uint8_t>(random()),
                                   random() % 16 == 0 ? 0 : -1);
        ASSERT_NO_FATAL_FAILURE(expect_kept());
    }
    EXPECT_GT(failures, 100u);
    EXPECT_GT(log_.generation, 3u);
}

/* Few writes between two starts, many of what is there already: what has ended stays. */
TEST_F(ByteLog, PowerFailsAgainAndAgain)
{
    std::mt19937 random(4);
    read_anew();
    write(0, 0);
    unsigned failures = 0;
    for (unsigned n = 0; n < 6000; n++) {
        uint32_t at = random() % 4;
        uint8_t value = random() % 2 ? log_.bytes[at] : static_cast<uint8_t>(random());
        bool failed = write_may_fail(at, value, random() % 4 == 0 ? -1 : random() % 6);
        failures += failed;
        ASSERT_NO_FATAL_FAILURE(expect_kept());
        if (!failed) {
            read_anew();
            ASSERT_NO_FATAL_FAILURE(expect_kept());
        }
    }
    EXPECT_GT(failures, 1500u);
    EXPECT_GT(log_.generation, 1u);
}

/* The same change of halves over and over: what remains of an old header is no newer one. */
TEST_F(ByteLog, PowerFailsWhileAHalfIsBegun)
{
    read_anew();
    for (unsigned n = 0; n < 5 * PER_HALF + 1 || log_.next < TAKT_BYTE_LOG_HALF; n++)
        write(n, static_cast<uint8_t>(n / 7));
    const auto full = chip.bytes;
    const auto before = kept_;
    unsigned failures = 0;
    for (unsigned n = 0; n < 1000; n++) {
        std::copy(full.begin() + FIRST, full.end(), chip.bytes.begin() + FIRST);
        kept_ = before;
        read_anew();
        for (unsigned again = 0; again < 2; again++)
            failures += write_may_fail(3, 77, n % 22 < 10 ? 0 : n % 22);
        ASSERT_NO_FATAL_FAILURE(expect_kept());
    }
    EXPECT_GT(failures, 1000u);
}
