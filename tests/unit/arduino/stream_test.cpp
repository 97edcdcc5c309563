/* Stream: numbers, text and searching in what arrives, and the timeouts, in virtual time. */
#include <Arduino.h>
#include <gtest/gtest.h>

#include <string>

#include "fake_board.h"
#include "program.h"

namespace
{

/* A stream that has all its bytes from the start. */
class Bytes : public Stream
{
  public:
    explicit Bytes(std::string s) : text(s) { setTimeout(0); }
    int available() override { return static_cast<int>(text.size() - at); }
    int read() override { return at < text.size() ? static_cast<uint8_t>(text[at++]) : -1; }
    int peek() override { return at < text.size() ? static_cast<uint8_t>(text[at]) : -1; }
    size_t write(uint8_t) override { return 0; }
    std::string rest() const { return text.substr(at); }
    using Stream::findMulti;
    using Stream::MultiTarget;

  private:
    std::string text;
    size_t at = 0;
};

std::string str(const String &s)
{
    return s.c_str();
}

/* Runs body as the one thread of a program. */
void in_thread(std::function<void()> body, uint64_t until = 100000000)
{
    Program p;
    reset_board();
    bool done = false;
    p.thread([&] {
        body();
        done = true;
        sim_leave();
    });
    p.run(until);
    EXPECT_TRUE(done);
}

} // namespace

TEST(Stream, ParseInt)
{
    in_thread([] {
        Bytes s("a12,-34 b5-6;99999999999");
        EXPECT_EQ(s.parseInt(), 12);
        EXPECT_EQ(s.parseInt(), -34);
        EXPECT_EQ(s.parseInt(), 5);
        EXPECT_EQ(s.parseInt(), -6);
        EXPECT_EQ(static_cast<int32_t>(s.parseInt()), static_cast<int32_t>(99999999999));
        EXPECT_EQ(s.parseInt(), 0);
        Bytes ignoring("32,767 x");
        EXPECT_EQ(ignoring.parseInt(SKIP_ALL, ','), 32767);
        EXPECT_EQ(ignoring.rest(), " x");
    });
}

TEST(Stream, Lookahead)
{
    in_thread([] {
        Bytes none("x1");
        EXPECT_EQ(none.parseInt(SKIP_NONE), 0);
        EXPECT_EQ(none.rest(), "x1");
        Bytes white(" \t\r\n7y8");
        EXPECT_EQ(white.parseInt(SKIP_WHITESPACE), 7);
        EXPECT_EQ(white.parseInt(SKIP_WHITESPACE), 0);
        EXPECT_EQ(white.rest(), "y8");
        EXPECT_EQ(white.parseInt(SKIP_ALL), 8);
    });
}

TEST(Stream, ParseFloat)
{
    in_thread([] {
        Bytes s("v=3.25;-0.5;.75;7;1.2.3");
        EXPECT_EQ(s.parseFloat(), 3.25f);
        EXPECT_EQ(s.parseFloat(), -0.5f);
        EXPECT_EQ(s.parseFloat(), .75f);
        EXPECT_EQ(s.parseFloat(), 7.0f);
        EXPECT_EQ(s.parseFloat(), 1.2f);
        EXPECT_EQ(s.parseFloat(), .3f);
        EXPECT_EQ(s.parseFloat(), 0.0f);
        Bytes grouped("1'234.5");
        EXPECT_EQ(grouped.parseFloat(SKIP_ALL, '\''), 1234.5f);
    });
}

TEST(Stream, ReadsText)
{
    in_thread([] {
        Bytes s("first line\nsecond\nrest");
        EXPECT_EQ(str(s.readStringUntil('\n')), "first line");
        char buffer[16] = {};
        EXPECT_EQ(s.readBytesUntil('\n', buffer, sizeof buffer), 6u);
        EXPECT_EQ(std::string(buffer, 6), "second");
        EXPECT_EQ(s.readBytes(buffer, 2), 2u);
        EXPECT_EQ(str(s.readString()), "st");
        EXPECT_EQ(s.readBytes(buffer, 2), 0u);
        Bytes high("\xff\xfe!");
        EXPECT_EQ(high.readStringUntil('\xfe').length(), 1u);
        EXPECT_EQ(high.rest(), "!");
    });
}

TEST(Stream, Finds)
{
    in_thread([] {
        Bytes s("aababaac rest");
        EXPECT_TRUE(s.find("abaac")); /* overlapping starts */
        EXPECT_EQ(s.rest(), " rest");
        EXPECT_TRUE(s.find('e'));
        EXPECT_FALSE(s.find("missing"));
        Bytes until("key=value;key2=other");
        EXPECT_TRUE(until.findUntil("=", ";"));
        EXPECT_FALSE(until.findUntil("=", ";"));
        EXPECT_EQ(until.rest(), "key2=other");
        Bytes many("one two three");
        Bytes::MultiTarget targets[] = {{"three", 5, 0}, {"two", 3, 0}};
        EXPECT_EQ(many.findMulti(targets, 2), 1);
        EXPECT_TRUE(many.find("", 0));
    });
}

/* Every text over two letters against every pattern, compared with std::string::find. */
TEST(Stream, FindsWhatIsThere)
{
    in_thread([] {
        for (unsigned p = 2; p < 32; p++)
            for (unsigned t = 0; t < 512; t++) {
                std::string pattern, text;
                for (unsigned x = p; x > 1; x >>= 1)
                    pattern += static_cast<char>('a' + (x & 1));
                for (unsigned i = 0; i < 9; i++)
                    text += static_cast<char>('a' + (t >> i & 1));
                size_t at = text.find(pattern);
                Bytes s(text);
                ASSERT_EQ(s.find(pattern.c_str()), at != std::string::npos) << pattern << text;
                if (at != std::string::npos)
                    ASSERT_EQ(s.rest(), text.substr(at + pattern.size())) << pattern << text;
            }
    });
}

TEST(Stream, TimesOutNeverEarly)
{
    in_thread([] {
        Serial.begin(9600);
        Serial.setTimeout(250);
        uint64_t start = sim_now();
        EXPECT_EQ(Serial.readString().length(), 0u);
        EXPECT_GE(sim_now() - start, 250000u);
        EXPECT_LE(sim_now() - start, 251000u);
        Bytes s("");
        s.setTimeout(50);
        start = sim_now();
        EXPECT_EQ(s.parseInt(), 0);
        EXPECT_GE(sim_now() - start, 50000u);
        EXPECT_LE(sim_now() - start, 52000u);
        EXPECT_EQ(s.getTimeout(), 50u);
    });
}

TEST(Stream, WaitsForBytesThatComeLater)
{
    in_thread([] {
        Serial.begin(9600);
        Serial.setTimeout(1000);
        for (unsigned i = 0; i < 5; i++)
            board.receive(0, std::string(1, static_cast<char>('1' + i)),
                          sim_now() + 700000 * (i + 1));
        EXPECT_EQ(Serial.parseInt(), 12345); /* each within the timeout of one second */
        EXPECT_GE(sim_now(), 4500000u);
        EXPECT_EQ(Serial.read(), -1);
    });
}

TEST(Stream, SurvivesAClockThatWraps)
{
    Program p(0xFFFFFFFF - 100000);
    reset_board();
    p.thread([] {
        Serial.begin(9600);
        Serial.setTimeout(500);
        uint64_t start = sim_now();
        EXPECT_EQ(Serial.parseInt(), 0);
        EXPECT_GE(sim_now() - start, 500000u);
        EXPECT_LE(sim_now() - start, 501000u);
        sim_leave();
    });
    EXPECT_EQ(p.run(10000000), SIM_ASKED);
}
