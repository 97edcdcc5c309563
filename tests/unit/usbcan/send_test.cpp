// Frames of the host's: their bits on the bus, their pace, and what a bad bus does to them.
#include <cmath>
#include <random>
#include <string>

#include "hydra_host.h"

namespace
{

std::vector<usbcan_frame> seen;

class Sender : public Hydra {
  public:
    explicit Sender(usbcan_settings s = defaults(USBCAN_HYDRA)) : Hydra(s)
    {
        seen.clear();
        start(0);
        to = address(0);
        usbcan_watch(device, [](void *, const usbcan_frame *f) { seen.push_back(*f); }, nullptr);
    }

    // The bits that a frame takes on an idle bus, at 1 us each.
    uint64_t bits(uint32_t id, Bytes data, bool remote = false)
    {
        start(0, 1000000);
        seen.clear();
        Bytes payload;
        uint8_t length = static_cast<uint8_t>(data.size());
        append32(payload, id);
        data.resize(8);
        append(payload, data);
        append(payload, {length, static_cast<uint8_t>(remote ? 1 << 4 : 0)});
        uint64_t from = now;
        EXPECT_EQ(write(command(33, to, 5, payload)), 32);
        now += MS;
        messages();
        return seen.size() == 1 ? (seen[0].ns - from) / US : 0;
    }

    uint8_t to;
};

// ISO 11898-1, 10.4, by strings: the frame's bits, the remainder of their division, a bit stuffed
// behind each five equal ones; then delimiter, acknowledgement, end of frame and gap.
std::string binary(uint32_t value, size_t width)
{
    std::string s;
    for (size_t i = width; i-- > 0;)
        s += (value >> i & 1) != 0 ? '1' : '0';
    return s;
}

size_t bits_of(uint32_t id, bool wide, const Bytes &data, bool remote)
{
    std::string s = binary(wide ? id >> 18 : id, 12); // a 0 to start with
    if (wide)
        s += binary(0xc0000 | (id & 0x3ffff), 20);
    s += binary(remote ? 4 : 0, 3);
    s += binary(static_cast<uint32_t>(data.size()), 4);
    for (uint8_t byte : remote ? Bytes{} : data)
        s += binary(byte, 8);
    std::string rest = s + std::string(15, '0');
    const std::string divisor = "1100010110011001";
    for (size_t i = 0; i < s.size(); i++)
        for (size_t j = 0; rest[i] == '1' && j < divisor.size(); j++)
            rest[i + j] = j == 0 ? '1' : rest[i + j] == divisor[j] ? '0' : '1';
    s += rest.substr(s.size());
    for (size_t i = 0, run = 1; i + 1 < s.size(); i++) {
        run = s[i + 1] == s[i] ? run + 1 : 1;
        if (run == 5)
            s.insert(i + 2, 1, s[i + 1] == '1' ? '0' : '1');
    }
    return s.size() + 1 + 2 + 7 + 3;
}

TEST(Send, AFrameTakesItsBits)
{
    Sender a;
    std::mt19937 random(5);
    EXPECT_EQ(bits_of(0x555, false, {}, false), a.bits(0x555, {}));
    for (int i = 0; i < 500; i++) {
        bool wide = random() % 2 == 0, remote = random() % 8 == 0;
        uint32_t id = static_cast<uint32_t>(random()) & (wide ? 0x1fffffff : 0x7ff);
        Bytes data(random() % 9);
        for (uint8_t &byte : data)
            byte = static_cast<uint8_t>(random() % 3 == 0 ? random() : 0);
        ASSERT_EQ(a.bits(id | (wide ? 1u << 31 : 0), data, remote),
                  bits_of(id, wide, data, remote));
    }
    EXPECT_EQ(a.bits(0x000, Bytes(8, 0)), 111u + 16); // 3 among 15 zeros, 13 among 67
}

TEST(Send, LeavesAtTheSpeedOfTheBus)
{
    Sender a;
    for (uint16_t i = 0; i < 20; i++)
        ASSERT_EQ(a.write(Hydra::frame(a.to, i, 0x555, 0x55)), 32);
    a.now += S;
    auto acks = a.messages();
    ASSERT_EQ(acks.size(), 20u);
    ASSERT_EQ(seen.size(), 20u);
    uint64_t one = seen[1].ns - seen[0].ns;
    EXPECT_GE(one, 111 * 2 * US);
    EXPECT_LE(one, 135 * 2 * US);
    for (uint16_t i = 0; i < 20; i++) {
        EXPECT_EQ(acks[i][0], 50);
        EXPECT_EQ(u16(acks[i], 2) & 0xfff, i);
        EXPECT_EQ(seen[i].flags, uint32_t{USBCAN_SENT});
        if (i > 0) {
            EXPECT_EQ(seen[i].ns - seen[i - 1].ns, one);
        }
    }
}

TEST(Send, AcknowledgesExtendedCommandsLikewise)
{
    Sender a;
    Bytes c{255, a.to, 0x21, 0x03, 40, 0, 224, 0};
    append32(c, 1 << 5);      // an extended identifier
    append32(c, 0x12345678);
    append32(c, 0x12345678 | 3u << 30);
    append32(c, 4 << 8 | 1u << 31);
    append(c, {4, 4, 0, 0, 0, 0, 0, 0, 9, 8, 7, 6, 0, 0, 0, 0});
    ASSERT_EQ(a.write(c), 40);
    a.now += MS;
    auto acks = a.messages();
    ASSERT_EQ(acks.size(), 1u);
    EXPECT_EQ(acks[0][6], 225);
    EXPECT_EQ(u16(acks[0], 2) & 0xfff, 0x321u);
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].id, 0x12345678u);
    EXPECT_EQ(seen[0].length, 4u);
    EXPECT_EQ(seen[0].data[0], 9);
}

TEST(Send, OthersSlowItDown)
{
    Sender a;
    ASSERT_EQ(usbcan_drain(a.device, 0, 325400, 327500, 1), 0);
    for (uint16_t i = 0; i < 100; i++)
        ASSERT_EQ(a.write(Hydra::frame(a.to, i, 0x555)), 32);
    a.now += S;
    a.messages();
    ASSERT_EQ(seen.size(), 100u);
    double sum = 0;
    for (size_t i = 1; i < 100; i++) {
        EXPECT_GE(seen[i].ns - seen[i - 1].ns, 325400u);
        EXPECT_LE(seen[i].ns - seen[i - 1].ns, 327500u);
        sum += static_cast<double>(seen[i].ns - seen[i - 1].ns);
    }
    EXPECT_LT(std::fabs(sum / 99 - 326450), 300);
}

TEST(Send, AFullQueueHoldsTheHostBack)
{
    Sender a;
    int taken = 0;
    while (taken < 1000 && a.write(Hydra::frame(a.to, 1, 0x555)) == 32)
        taken++;
    EXPECT_EQ(taken, USBCAN_QUEUE + 1); // one waits as a command
    a.now += MS;
    EXPECT_EQ(a.write(Hydra::frame(a.to, 1, 0x555)), 32);
    a.now += S;
    a.messages();
    EXPECT_EQ(a.channel(0).sent, 130u);
    expect_accounted(a, 5);
}

TEST(Send, TriesAgainAfterABusError)
{
    Sender a;
    a.fault(USBCAN_FAULT_BUS_ERROR, 0, 3);
    ASSERT_EQ(a.write(Hydra::frame(a.to, 4, 0x555)), 32);
    a.now += 10 * MS;
    int errors = 0, acks = 0;
    for (const Bytes &m : a.messages()) {
        errors += m[0] == 106 && (m[7] & 1) != 0;
        acks += m[0] == 50;
    }
    EXPECT_EQ(errors, 3);
    EXPECT_EQ(acks, 1);
    EXPECT_EQ(a.channel(0).tx_errors, 3u * 8 - 1);
    EXPECT_EQ(a.channel(0).failed, 3u);
}

TEST(Send, ABadBusTurnsItOff)
{
    Sender a;
    a.fault(USBCAN_FAULT_BUS_ERROR, 0, 0);
    ASSERT_EQ(a.write(Hydra::frame(a.to, 4, 0x555)), 32);
    a.now += 9 * MS;
    std::vector<uint8_t> states;
    for (const Bytes &m : a.messages())
        if (m[0] == 20)
            states.push_back(m[4 + 8]);
    EXPECT_EQ(states, (std::vector<uint8_t>{0, 1 << 5, 1 << 6})); // warning, passive, off
    EXPECT_EQ(a.channel(0).bus_offs, 1u);
    EXPECT_EQ(a.channel(0).state, uint32_t{USBCAN_OFF});
}

TEST(Send, ComesBackFromBusOff)
{
    Sender a;
    a.traffic(0, MS, 0, a.now + 100 * US);
    a.fault(USBCAN_FAULT_BUS_OFF, 0, 1, a.now + 5 * MS);
    a.now += 5 * MS;
    ASSERT_EQ(a.write(Hydra::frame(a.to, 4, 0x555)), 32);
    a.now += 128 * 11 * 2 * US - 1;
    a.messages();
    EXPECT_EQ(a.channel(0).state, uint32_t{USBCAN_OFF});
    EXPECT_EQ(a.channel(0).unheard, 3u);
    a.now += MS;
    a.messages();
    EXPECT_EQ(a.channel(0).state, uint32_t{USBCAN_ACTIVE});
    EXPECT_EQ(a.channel(0).sent, 1u);
    expect_accounted(a, 5);
}

TEST(Send, AnotherBitRateIsHeardAsErrors)
{
    Hydra a;
    struct usbcan_traffic t{};
    t.shortest_ns = t.longest_ns = MS;
    t.length = 8;
    t.bitrate = 250000;
    ASSERT_EQ(usbcan_traffic(a.device, 0, &t), 0);
    a.start(0, 500000);
    a.now += 200 * MS;
    for (const Bytes &m : a.messages())
        EXPECT_TRUE(m[0] != 106 || m[7] == 1);
    EXPECT_EQ(a.channel(0).heard, 0u);
    EXPECT_EQ(a.channel(0).state, uint32_t{USBCAN_PASSIVE});
    EXPECT_FALSE(a.ask(Hydra::command(28, a.address(0)), 29).empty());
    a.start(0, 250000);
    a.now += 200 * MS;
    a.messages();
    EXPECT_GT(a.channel(0).heard, 190u);
    EXPECT_EQ(a.channel(0).state, uint32_t{USBCAN_ACTIVE});
    expect_accounted(a, 5);
}

TEST(Send, FlushedFramesAreGone)
{
    Sender a;
    for (uint16_t i = 0; i < 50; i++)
        ASSERT_EQ(a.write(Hydra::frame(a.to, i, 0x555)), 32);
    EXPECT_FALSE(a.ask(Hydra::command(48, a.to), 66).empty());
    a.now += S;
    EXPECT_EQ(a.channel(0).sent + a.channel(0).unsent, 50u);
    EXPECT_GE(a.channel(0).unsent, 49u);
}

} // namespace
