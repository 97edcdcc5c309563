/* map, random, min and max, bits, characters, binary constants, durations. */
#include <Arduino.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <vector>

TEST(Math, Map)
{
    EXPECT_EQ(map(512, 0, 1023, 0, 255), 127);
    EXPECT_EQ(map(0, 0, 1023, 255, 0), 255);
    EXPECT_EQ(map(1023, 0, 1023, 255, 0), 0);
    EXPECT_EQ(map(-10, 0, 100, 0, 1000), -100);
    EXPECT_EQ(map(5, 3, 3, 7, 9), 7);
}

TEST(Math, MinMaxConstrain)
{
    EXPECT_EQ(min(3, 5), 3);
    EXPECT_EQ(max(3, 5), 5);
    EXPECT_EQ(min(3, 2.5), 2.5);
    EXPECT_EQ(max(3L, 5), 5);
    EXPECT_EQ(min(static_cast<byte>(200), 100), 100);
    EXPECT_EQ(constrain(300, 0, 255), 255);
    EXPECT_EQ(constrain(-5, 0, 255), 0);
    EXPECT_EQ(constrain(2.5, 0, 255), 2.5);
    EXPECT_EQ(sq(7), 49);
    EXPECT_EQ(abs(-5), 5);
    EXPECT_EQ(abs(5u), 5u);
    EXPECT_EQ(abs(-2.5), 2.5);
    EXPECT_EQ(abs(7UL), 7UL);
    int calls = 0;
    auto once = [&] { return ++calls; };
    EXPECT_EQ(constrain(once(), 0, 10), 1);
    EXPECT_EQ(calls, 1);
}

TEST(Math, RandomIsInRangeAndRepeats)
{
    EXPECT_EQ(random(0), 0);
    EXPECT_EQ(random(5, 5), 5);
    EXPECT_EQ(random(9, 3), 9);
    randomSeed(42);
    std::vector<long> first;
    std::vector<int> hits(10);
    for (int i = 0; i < 10000; i++) {
        long x = random(-5, 5);
        ASSERT_GE(x, -5);
        ASSERT_LT(x, 5);
        hits[static_cast<size_t>(x + 5)]++;
        first.push_back(x);
    }
    for (int n : hits) /* 1000 expected, sigma 30 */
        EXPECT_NEAR(n, 1000, 150);
    randomSeed(42);
    for (long x : first)
        ASSERT_EQ(random(-5, 5), x);
    randomSeed(43);
    int same = 0;
    for (long x : first)
        same += random(-5, 5) == x;
    EXPECT_LT(same, 2000);
    randomSeed(0); /* ignored */
    for (int i = 0; i < 1000; i++)
        ASSERT_LT(random(2147483647), 2147483647);
}

TEST(Math, Bits)
{
    unsigned long x = 0;
    bitSet(x, 3);
    EXPECT_EQ(x, 8u);
    bitWrite(x, 0, 1);
    bitClear(x, 3);
    bitToggle(x, 31);
    EXPECT_EQ(x, 0x80000001u);
    EXPECT_EQ(bitRead(x, 31), 1u);
    EXPECT_EQ(bit(4), 16u);
    EXPECT_EQ(lowByte(0x1234), 0x34);
    EXPECT_EQ(highByte(0x1234), 0x12);
    EXPECT_EQ(word(0x12, 0x34), 0x1234);
    EXPECT_EQ(word(70000 - 65536), 4464);
    word declared = 3;
    EXPECT_EQ(declared, 3);
}

TEST(Math, BinaryConstants)
{
    EXPECT_EQ(B0, 0);
    EXPECT_EQ(B1, 1);
    EXPECT_EQ(B1010, 10);
    EXPECT_EQ(B01010, 10);
    EXPECT_EQ(B00000001, 1);
    EXPECT_EQ(B11111111, 255);
    byte segments[] = {B1111110, B0110000};
    EXPECT_EQ(segments[0], 126);
    int B101 = 7; /* may be hidden */
    EXPECT_EQ(B101, 7);
}

TEST(Math, Characters)
{
    for (int c = 0; c < 128; c++) {
        EXPECT_EQ(isAlpha(c), isalpha(c) != 0) << c;
        EXPECT_EQ(isAlphaNumeric(c), isalnum(c) != 0) << c;
        EXPECT_EQ(isControl(c), iscntrl(c) != 0) << c;
        EXPECT_EQ(isDigit(c), isdigit(c) != 0) << c;
        EXPECT_EQ(isGraph(c), isgraph(c) != 0) << c;
        EXPECT_EQ(isLowerCase(c), islower(c) != 0) << c;
        EXPECT_EQ(isPrintable(c), isprint(c) != 0) << c;
        EXPECT_EQ(isPunct(c), ispunct(c) != 0) << c;
        EXPECT_EQ(isSpace(c), isspace(c) != 0) << c;
        EXPECT_EQ(isUpperCase(c), isupper(c) != 0) << c;
        EXPECT_EQ(isHexadecimalDigit(c), isxdigit(c) != 0) << c;
        EXPECT_EQ(isWhitespace(c), isblank(c) != 0) << c;
        EXPECT_EQ(toLowerCase(c), tolower(c)) << c;
        EXPECT_EQ(toUpperCase(c), toupper(c)) << c;
    }
    EXPECT_FALSE(isAscii(128) || isAlpha(-1) || isPrintable(200));
    EXPECT_EQ(toAscii(0xC1), 0x41);
}

TEST(Math, ProgramMemory)
{
    static const char text[] PROGMEM = "flash";
    static const uint16_t numbers[] PROGMEM = {1, 515};
    EXPECT_EQ(pgm_read_byte(&text[1]), 'l');
    EXPECT_EQ(pgm_read_word(numbers + 1), 515);
    EXPECT_EQ(strlen_P(PSTR("four")), 4u);
}

TEST(Math, Durations)
{
    static_assert(takt::duration_us(20) == 20000);
    static_assert(takt::duration_us(0.5) == 500);
    static_assert(takt::duration_us(5_ms) == 5000);
    static_assert(takt::duration_us(1.5_ms) == 1500);
    static_assert(takt::duration_us(250_us) == 250);
    static_assert(takt::duration_us(-5_ms) == -5000);
    static_assert(takt::duration_us(2_ms + 3_us * 2 - 1_us) == 2005);
    SUCCEED();
}
