/* Addresses, and what libraries pass on: frames and bytes in rings; by the headers' new names. */
#include <gtest/gtest.h>

#include <string>

#include <api/ArduinoAPI.h>
#include <api/CanMsgRingbuffer.h>
#include <api/Client.h>
#include <api/HardwareCAN.h>
#include <api/HardwareI2C.h>
#include <api/RingBuffer.h>
#include <api/Server.h>
#include <api/Udp.h>

namespace
{

class Text : public Print
{
  public:
    size_t write(uint8_t c) override
    {
        text += static_cast<char>(c);
        return 1;
    }
    std::string text;
};

std::string printed(const Printable &what)
{
    Text out;
    size_t n = out.print(what);
    EXPECT_EQ(n, out.text.size());
    return out.text;
}

} // namespace

TEST(IPAddress, OfVersion4)
{
    IPAddress a(192, 168, 0, 7), b;
    EXPECT_TRUE(b.fromString("192.168.0.7"));
    EXPECT_EQ(a, b);
    EXPECT_EQ(printed(a), "192.168.0.7");
    EXPECT_STREQ(a.toString().c_str(), "192.168.0.7");
    EXPECT_EQ(static_cast<uint32_t>(a), 0x0700A8C0u); /* as the bytes lie in memory */
    EXPECT_EQ(IPAddress(0x0700A8C0u), a);
    a[3] = 255;
    EXPECT_NE(a, b);
    EXPECT_EQ(a[3], 255);
}

TEST(IPAddress, WhatIsNoneChangesNothing)
{
    IPAddress a(1, 2, 3, 4);
    for (const char *text :
         {"", "1.2.3", "1.2.3.4.", "1.2.3.256", ".1.2.3", "1..2.3", "1.2.3.4 ", ":", ":1", "1:2",
          ":::", "1::2::3", "12345::", "g::", "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7:8:9",
          "1:2:3:4::5:6:7:8", "::1:"}) {
        EXPECT_FALSE(a.fromString(text)) << text;
        EXPECT_EQ(a, IPAddress(1, 2, 3, 4)) << text;
    }
}

TEST(IPAddress, OfVersion6)
{
    const struct {
        const char *said, *shown;
    } cases[] = {
        {"::", "::"},
        {"::1", "::1"},
        {"1::", "1::"},
        {"2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
        {"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
        {"0:0:1:0:0:0:2:0", "0:0:1::2:0"},
        {"1::2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
        {"1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"},
    };
    for (const auto &one : cases) {
        IPAddress a;
        EXPECT_TRUE(a.fromString(one.said)) << one.said;
        EXPECT_EQ(a.type(), IPv6);
        EXPECT_EQ(printed(a), one.shown);
        EXPECT_EQ(IPAddress(a.toString().c_str()), a);
    }
    EXPECT_EQ(static_cast<uint32_t>(IPAddress("::1")), 0u);
}

TEST(CanMsg, IsPrintedAndCut)
{
    const uint8_t bytes[] = {0, 0xAB, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_EQ(printed(CanMsg(CanStandardId(0x12), 2, bytes)), "[012] (2) : 00AB");
    EXPECT_EQ(printed(CanMsg(CanExtendedId(0x12), 0, nullptr)), "[00000012] (0) : ");
    EXPECT_EQ(CanMsg(1, 10, bytes).data_length, 8);
}

TEST(CanMsgRingbuffer, FirstInFirstOut)
{
    CanMsgRingbuffer ring;
    for (uint32_t id = 0; id < 40; id++)
        ring.enqueue(CanMsg(id, 0, nullptr));
    EXPECT_TRUE(ring.isFull());
    for (uint32_t id = 0; id < 32; id++)
        EXPECT_EQ(ring.dequeue().id, id);
    EXPECT_TRUE(ring.isEmpty());
    EXPECT_EQ(ring.dequeue().data_length, 0);
}

TEST(RingBufferN, FirstInFirstOut)
{
    arduino::RingBufferN<3> ring;
    EXPECT_EQ(ring.read_char(), -1);
    for (int round = 0; round < 5; round++) {
        for (uint8_t c = 'a'; c <= 'd'; c++)
            ring.store_char(c); /* the last has no room */
        EXPECT_TRUE(ring.isFull());
        EXPECT_EQ(ring.peek(), 'a');
        EXPECT_EQ(ring.read_char(), 'a');
        ring.store_char('e');
        for (char c : {'b', 'c', 'e'})
            EXPECT_EQ(ring.read_char(), c);
        EXPECT_EQ(ring.available(), 0);
    }
}
