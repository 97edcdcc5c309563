/* Print: numbers, bases, reals, lines; and what reaches write(). */
#include <Arduino.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace
{

class Text : public Print
{
  public:
    using Print::write;
    size_t write(uint8_t c) override
    {
        if (text.size() >= room)
            return 0;
        text += static_cast<char>(c);
        return 1;
    }
    std::string text;
    size_t room = SIZE_MAX;
};

template <typename... A> std::string printed(A... a)
{
    Text t;
    size_t n = t.print(a...);
    EXPECT_EQ(n, t.text.size());
    Text line;
    EXPECT_EQ(line.println(a...), n + 2);
    EXPECT_EQ(line.text, t.text + "\r\n");
    return t.text;
}

struct Point : Printable {
    size_t printTo(Print &p) const override { return p.print(1) + p.print(',') + p.print(2.5, 1); }
};

} // namespace

TEST(Print, Integers)
{
    EXPECT_EQ(printed(0), "0");
    EXPECT_EQ(printed(-1), "-1");
    EXPECT_EQ(printed(true), "1");
    EXPECT_EQ(printed(static_cast<unsigned char>(200)), "200");
    EXPECT_EQ(printed(static_cast<signed char>(-7)), "-7");
    EXPECT_EQ(printed(static_cast<short>(-300)), "-300");
    EXPECT_EQ(printed(std::numeric_limits<int>::min()), "-2147483648");
    EXPECT_EQ(printed(4294967295u), "4294967295");
    EXPECT_EQ(printed(std::numeric_limits<long long>::min()), "-9223372036854775808");
    EXPECT_EQ(printed(18446744073709551615ull), "18446744073709551615");
    EXPECT_EQ(printed('A'), "A");
    EXPECT_EQ(printed('A' + 0), "65");
}

TEST(Print, Bases)
{
    EXPECT_EQ(printed(78, BIN), "1001110");
    EXPECT_EQ(printed(78, OCT), "116");
    EXPECT_EQ(printed(78, HEX), "4E");
    EXPECT_EQ(printed(255, HEX), "FF");
    EXPECT_EQ(printed(-1, HEX), "FFFFFFFF");
    EXPECT_EQ(printed(-1, BIN), std::string(32, '1'));
    EXPECT_EQ(printed(35, 36), "Z");
    EXPECT_EQ(printed(78, 0), "N"); /* the byte itself */
    EXPECT_EQ(printed(78u, 0), "N");
    EXPECT_EQ(printed(78, 1), "78"); /* no such base */
    EXPECT_EQ(printed(78, 37), "78");
    EXPECT_EQ(printed(0xFEDCBA9876543210ull, HEX), "FEDCBA9876543210");
    EXPECT_EQ(printed(~0ull, BIN), std::string(64, '1'));
    EXPECT_EQ(printed(-1ll, HEX), std::string(16, 'F'));
}

TEST(Print, Reals)
{
    EXPECT_EQ(printed(1.23456), "1.23");
    EXPECT_EQ(printed(1.23456, 0), "1");
    EXPECT_EQ(printed(1.23456, 4), "1.2346");
    EXPECT_EQ(printed(-1.23456, 4), "-1.2346");
    EXPECT_EQ(printed(0.0), "0.00");
    EXPECT_EQ(printed(-0.0), "0.00");
    EXPECT_EQ(printed(-0.001), "-0.00");
    EXPECT_EQ(printed(0.5, 0), "1");
    EXPECT_EQ(printed(0.125, 2), "0.13"); /* a tie, away from zero */
    EXPECT_EQ(printed(2.675, 2), "2.67"); /* the double is below the tie */
    EXPECT_EQ(printed(9.999, 2), "10.00");
    EXPECT_EQ(printed(99.5, 0), "100");
    EXPECT_EQ(printed(0.1f, 10), "0.1000000015");
    EXPECT_EQ(printed(4294967040.0, 1), "4294967040.0");
    EXPECT_EQ(printed(4294967041.0), "ovf");
    EXPECT_EQ(printed(-1e30), "ovf");
    EXPECT_EQ(printed(NAN), "nan");
    EXPECT_EQ(printed(INFINITY), "inf");
    EXPECT_EQ(printed(-INFINITY), "inf");
    EXPECT_EQ(printed(1e-300, 3), "0.000");
    EXPECT_EQ(printed(5e-324, 3), "0.000");
    EXPECT_EQ(printed(1.5, -1), "1.50");
    EXPECT_EQ(printed(0.5, 200).size(), 42u); /* 40 digits at most */
}

/* Against the C library, which rounds exactly; ties (which it takes to even) left out. */
TEST(Print, RealsAgreeWithTheCLibrary)
{
    uint32_t x = 1;
    int compared = 0;
    for (int i = 0; i < 200000; i++) {
        x = x * 1664525u + 1013904223u;
        double v = (static_cast<int32_t>(x)) / std::pow(10.0, x % 9) / (1 + x % 7);
        int digits = static_cast<int>(x >> 8) % 10;
        double scaled = v * std::pow(10.0, digits);
        if (std::fabs(std::fabs(scaled - std::trunc(scaled)) - 0.5) < 1e-9)
            continue;
        char want[64];
        snprintf(want, sizeof want, "%.*f", digits, v);
        Text t;
        t.print(v, digits);
        if (v == 0)
            continue;
        ASSERT_EQ(t.text, want) << v << " digits " << digits;
        compared++;
    }
    EXPECT_GT(compared, 150000);
}

TEST(Print, TextAndPrintables)
{
    EXPECT_EQ(printed("abc"), "abc");
    EXPECT_EQ(printed(static_cast<const char *>(nullptr)), "");
    EXPECT_EQ(printed(F("flash")), "flash");
    Text t;
    EXPECT_EQ(t.print(String("str")), 3u);
    EXPECT_EQ(t.print(Point()), 5u);
    EXPECT_EQ(t.println(Point()), 7u);
    EXPECT_EQ(t.println(), 2u);
    EXPECT_EQ(t.write("raw"), 3u);
    EXPECT_EQ(t.write("buffer", 3), 3u);
    EXPECT_EQ(t.text, "str1,2.51,2.5\r\n\r\nrawbuf");
}

TEST(Print, StopsWhereWriteDoes)
{
    Text t;
    t.room = 4;
    EXPECT_EQ(t.print("abcdef"), 4u);
    EXPECT_EQ(t.text, "abcd");
    EXPECT_EQ(t.print(5), 0u);
}

TEST(Print, CLibraryNames)
{
    char text[80];
    EXPECT_STREQ(itoa(-255, text, 10), "-255");
    EXPECT_STREQ(itoa(-1, text, 16), "ffffffff");
    EXPECT_STREQ(utoa(255, text, 2), "11111111");
    EXPECT_STREQ(ltoa(-5, text, 10), "-5");
    EXPECT_STREQ(ultoa(35, text, 36), "z");
    EXPECT_STREQ(itoa(5, text, 1), "");
    EXPECT_STREQ(dtostrf(3.14159, 8, 3, text), "   3.142");
    EXPECT_STREQ(dtostrf(3.14159, -8, 3, text), "3.142   ");
    EXPECT_STREQ(dtostrf(-1234.5, 2, 0, text), "-1235");
}
