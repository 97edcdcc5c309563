/* String. */
#include <Arduino.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace
{

std::string str(const String &s)
{
    EXPECT_EQ(strlen(s.c_str()), s.length());
    return s.c_str();
}

} // namespace

TEST(String, Constructors)
{
    EXPECT_EQ(str(String()), "");
    EXPECT_EQ(str(String("text")), "text");
    EXPECT_EQ(str(String("text", 2)), "te");
    EXPECT_EQ(str(String(F("flash"))), "flash");
    EXPECT_EQ(str(String('c')), "c");
    EXPECT_EQ(str(String(-13)), "-13");
    EXPECT_EQ(str(String(static_cast<byte>(7))), "7");
    EXPECT_EQ(str(String(45, HEX)), "2d");
    EXPECT_EQ(str(String(-1, HEX)), "ffffffff");
    EXPECT_EQ(str(String(255, BIN)), "11111111");
    EXPECT_EQ(str(String(123456789L)), "123456789");
    EXPECT_EQ(str(String(18446744073709551615ull)), "18446744073709551615");
    EXPECT_EQ(str(String(-5ll)), "-5");
    EXPECT_EQ(str(String(5.698, 3)), "5.698");
    EXPECT_EQ(str(String(5.698f, 2)), "5.70");
    EXPECT_EQ(str(String(1.5)), "1.50");
    EXPECT_TRUE(String());
    EXPECT_TRUE(String(""));
    EXPECT_FALSE(String(static_cast<const char *>(nullptr)));
}

TEST(String, CopiesAndMoves)
{
    String a = "first text, longer than a few", b = a;
    b.setCharAt(0, 'F');
    EXPECT_EQ(str(a), "first text, longer than a few");
    String c = static_cast<String &&>(a);
    EXPECT_EQ(str(c), "first text, longer than a few");
    EXPECT_EQ(str(a), "");
    a = "again";
    EXPECT_EQ(str(a), "again");
    c = a;
    EXPECT_EQ(str(c), "again");
    String &same = c;
    c = same;
    EXPECT_EQ(str(c), "again");
    c = static_cast<String &&>(b);
    EXPECT_EQ(str(c), "First text, longer than a few");
    c = static_cast<const char *>(nullptr);
    EXPECT_FALSE(c);
    EXPECT_EQ(str(c), "");
    c += "back";
    EXPECT_EQ(str(c), "back");
}

TEST(String, Appending)
{
    String s;
    s += "text";
    s += ' ';
    s += 1;
    s += -2;
    s += 3u;
    s += 4l;
    s += 5ul;
    s += static_cast<byte>(6);
    s += 7ll;
    s += 8ull;
    s += 1.5;
    s += 2.25f;
    s += F("f");
    s += String("S");
    EXPECT_EQ(str(s), "text 1-23456781.502.25fS");
    EXPECT_TRUE(s.concat("xyz", 2));
    EXPECT_FALSE(s.concat(static_cast<const char *>(nullptr)));
    String twice = "ab";
    for (int i = 0; i < 5; i++)
        twice += twice;
    EXPECT_EQ(twice.length(), 64u);
    twice.concat(twice.c_str() + 60);
    EXPECT_EQ(twice.length(), 68u);
    EXPECT_EQ(str(twice).substr(60), "abababab");
    String longer;
    std::string want;
    for (int i = 0; i < 3000; i++) {
        longer += static_cast<char>('a' + i % 26);
        want += static_cast<char>('a' + i % 26);
    }
    EXPECT_EQ(str(longer), want);
}

TEST(String, Sums)
{
    String one = "You added ";
    EXPECT_EQ(str(one + 123), "You added 123");
    EXPECT_EQ(str(one + 'A'), "You added A");
    EXPECT_EQ(str(one + "abc" + 1.5 + 'x' + 7u + String("!")), "You added abc1.50x7!");
    EXPECT_EQ(str("front " + one), "front You added ");
    EXPECT_EQ(str(5 + one), "5You added ");
    EXPECT_EQ(str(one + F("flash") + 6l + 7ul + 8ll + 9ull + 1.0f + static_cast<byte>(3)),
              "You added flash67891.003");
    const String &kept = one + "kept";
    EXPECT_EQ(str(kept), "You added kept");
    EXPECT_EQ(str(one), "You added ");
    one = one + one;
    EXPECT_EQ(str(one), "You added You added ");
    EXPECT_FALSE(one + static_cast<const char *>(nullptr));
}

TEST(String, Comparisons)
{
    String a = "Hello", b = "hello", c = "Hello";
    EXPECT_TRUE(a == c && a == "Hello" && "Hello" == a && !(a == b));
    EXPECT_TRUE(a != b && a != "x" && "x" != a && !(a != c));
    EXPECT_TRUE(a < b && b > a && a <= c && a >= c && a < "I" && "I" > a && "A" < a && a > "A");
    EXPECT_TRUE(a <= "Hello" && "Hello" >= a && "Z" >= a && a >= "A");
    EXPECT_TRUE(a.equals(c) && a.equals("Hello") && !a.equals(b));
    EXPECT_TRUE(a.equalsIgnoreCase(b) && !a.equalsIgnoreCase("Hell"));
    EXPECT_LT(a.compareTo(b), 0);
    EXPECT_GT(b.compareTo(a), 0);
    EXPECT_EQ(a.compareTo(c), 0);
    EXPECT_TRUE(String() == "" && String("9") > String("10"));
    EXPECT_TRUE(a + "!" == "Hello!");
}

TEST(String, StartsAndEnds)
{
    String s = "HTTP/1.1 200 OK";
    EXPECT_TRUE(s.startsWith("HTTP/1.1"));
    EXPECT_TRUE(s.startsWith("200 OK", 9));
    EXPECT_FALSE(s.startsWith("200 OK", 10));
    EXPECT_FALSE(s.startsWith("HTTP", 4000000000u));
    EXPECT_TRUE(s.endsWith("OK"));
    EXPECT_TRUE(s.endsWith(""));
    EXPECT_FALSE(s.endsWith("longer than the whole text"));
}

TEST(String, Characters)
{
    String s = "SensorReading: 456";
    EXPECT_EQ(s.charAt(15), '4');
    EXPECT_EQ(s.charAt(99), '\0');
    s.setCharAt(13, '=');
    s.setCharAt(99, 'x');
    EXPECT_EQ(str(s), "SensorReading= 456");
    s[0] = 's';
    s[99] = 'x';
    EXPECT_EQ(s[99], '\0');
    EXPECT_EQ(static_cast<const String &>(s)[0], 's');
    char buffer[8];
    s.toCharArray(buffer, sizeof buffer);
    EXPECT_STREQ(buffer, "sensorR");
    s.toCharArray(buffer, sizeof buffer, 15);
    EXPECT_STREQ(buffer, "456");
    s.toCharArray(buffer, sizeof buffer, 99);
    EXPECT_STREQ(buffer, "");
    std::string walked;
    for (char c : s)
        walked += c;
    EXPECT_EQ(walked, str(s));
}

TEST(String, Finding)
{
    String s = "<HTML><HEAD><BODY>";
    EXPECT_EQ(s.indexOf('>'), 5);
    EXPECT_EQ(s.indexOf('>', 6), 11);
    EXPECT_EQ(s.indexOf("<BODY>"), 12);
    EXPECT_EQ(s.indexOf("BODY>", 14), -1);
    EXPECT_EQ(s.indexOf('x'), -1);
    EXPECT_EQ(s.indexOf('<', 99), -1);
    EXPECT_EQ(s.indexOf("longer than all of the text"), -1);
    EXPECT_EQ(s.lastIndexOf('<'), 12);
    EXPECT_EQ(s.lastIndexOf('<', 11), 6);
    EXPECT_EQ(s.lastIndexOf("<"), 12);
    EXPECT_EQ(s.lastIndexOf("<HTML>"), 0);
    EXPECT_EQ(s.lastIndexOf("<", 0), 0);
    EXPECT_EQ(s.lastIndexOf("HEAD", 3), -1);
    EXPECT_EQ(String().lastIndexOf('x'), -1);
    EXPECT_EQ(String().lastIndexOf("x"), -1);
    EXPECT_EQ(String().indexOf('x'), -1);
}

TEST(String, Substrings)
{
    String s = "Content-Type: text/html";
    EXPECT_EQ(str(s.substring(19)), "html");
    EXPECT_EQ(str(s.substring(14, 18)), "text");
    EXPECT_EQ(str(s.substring(18, 14)), "text");
    EXPECT_EQ(str(s.substring(19, 99)), "html");
    EXPECT_EQ(str(s.substring(99)), "");
    EXPECT_EQ(str(s.substring(5, 5)), "");
}

TEST(String, Changing)
{
    String s = "<html><head><body>";
    s.replace("<", "</");
    EXPECT_EQ(str(s), "</html></head></body>");
    s.replace("</", "");
    EXPECT_EQ(str(s), "html>head>body>");
    s.replace('>', '_');
    EXPECT_EQ(str(s), "html_head_body_");
    s.replace("html", "LMTH");
    s.replace("", "never");
    s.replace("nowhere", "never");
    EXPECT_EQ(str(s), "LMTH_head_body_");
    s.replace(s, "all");
    EXPECT_EQ(str(s), "all");
    s.replace("l", s);
    EXPECT_EQ(str(s), "aallall");
    s = "0123456789";
    s.remove(7);
    s.remove(2, 3);
    s.remove(99, 1);
    s.remove(1, 0);
    EXPECT_EQ(str(s), "0156");
    s.remove(1, 4000000000u);
    EXPECT_EQ(str(s), "0");
    s = "  \t Hello, World!\r\n ";
    s.trim();
    EXPECT_EQ(str(s), "Hello, World!");
    s.toUpperCase();
    EXPECT_EQ(str(s), "HELLO, WORLD!");
    s.toLowerCase();
    EXPECT_EQ(str(s), "hello, world!");
    s = " \n ";
    s.trim();
    EXPECT_EQ(str(s), "");
    String nothing;
    nothing.trim();
    nothing.toUpperCase();
    nothing.replace('a', 'b');
    nothing.remove(0);
    EXPECT_EQ(str(nothing), "");
}

TEST(String, Numbers)
{
    EXPECT_EQ(String("123abc").toInt(), 123);
    EXPECT_EQ(String("  -42").toInt(), -42);
    EXPECT_EQ(String("+7").toInt(), 7);
    EXPECT_EQ(String("abc").toInt(), 0);
    EXPECT_EQ(String("").toInt(), 0);
    struct {
        const char *text;
        double value;
    } reals[] = {{"3.14", 3.14},
                 {"-0.5x", -0.5},
                 {" +1e3", 1000},
                 {"1.5e-3", 0.0015},
                 {"e5", 0},
                 {"1e", 1},
                 {".25", 0.25},
                 {"1.2.3", 1.2},
                 {"1e400", INFINITY},
                 {"1e-400", 0},
                 {"-", 0},
                 {"0.1", 0.1},
                 {"123456789012345678901234567890", 123456789012345678901234567890.0},
                 {"0.000000000000000000000000000001", 1e-30},
                 {"1e-310", 1e-310}};
    for (auto &real : reals) {
        double got = String(real.text).toDouble();
        if (std::isinf(real.value))
            EXPECT_EQ(got, real.value) << real.text;
        else
            EXPECT_NEAR(got, real.value, std::fabs(real.value) * 1e-14) << real.text;
    }
    EXPECT_EQ(String("3.14").toFloat(), 3.14f);
}

TEST(String, Reserve)
{
    String s = "x";
    EXPECT_FALSE(s.reserve(UINT_MAX)); /* with the 0 that would be none */
    EXPECT_TRUE(s.reserve(100));
    const char *before = s.c_str();
    for (int i = 0; i < 99; i++)
        s += 'y';
    EXPECT_EQ(s.c_str(), before);
    EXPECT_EQ(s.length(), 100u);
    EXPECT_FALSE(String("x").isEmpty());
    EXPECT_TRUE(String().isEmpty());
}
