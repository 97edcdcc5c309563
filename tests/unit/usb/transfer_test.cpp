/* Transfers of all types, as class drivers use them. */
#include "bus.h"

#include <takt/mutex.h>
#include <takt/time.h>

class Transfer : public Bus {
public:
    Transfer() { c.plug(1, &gadget); }
};

TEST_F(Transfer, ControlInOutAndWithoutData)
{
    drive([this] {
        uint8_t data[300];
        struct usb_setup in = {0xC0, 7, 300, 0, 300}, out = {0x40, 8, 0, 0, 200};
        struct usb_setup none = {0x40, 9, 0, 0, 0};
        EXPECT_EQ(usb_control(device(), &in, data, 100000), 300);
        for (size_t i = 0; i < 300; i++)
            ASSERT_EQ(data[i], static_cast<uint8_t>(i));
        EXPECT_EQ(usb_control(device(), &out, data, 100000), 200);
        EXPECT_EQ(gadget.received.back(), Bytes(data, data + 200));
        EXPECT_EQ(usb_control(device(), &none, nullptr, 100000), 0);
    });
}

TEST_F(Transfer, AShortControlAnswerTellsHowMuchCame)
{
    drive([this] {
        uint8_t data[300];
        for (uint16_t n : std::vector<uint16_t>{0, 1, 63, 64, 65, 128, 299}) {
            struct usb_setup in = {0xC0, 7, n, 0, 300};
            EXPECT_EQ(usb_control(device(), &in, data, 100000), n);
        }
    });
}

TEST_F(Transfer, AStalledRequestIsRefusedAndTheNextOneIsNot)
{
    drive([this] {
        uint8_t data[8];
        struct usb_setup bad = {0x80, 99, 0, 0, 8}, good = {0xC0, 7, 8, 0, 8};
        for (int i = 0; i < 10; i++) {
            EXPECT_EQ(usb_control(device(), &bad, data, 100000), TAKT_EREFUSED);
            EXPECT_EQ(usb_control(device(), &good, data, 100000), 8);
        }
        EXPECT_EQ(usb_counters.stalls, 10u);
    });
}

TEST_F(Transfer, BulkOfAllLengths)
{
    drive([this] {
        static uint8_t data[USB_LENGTH_MAX + 4096];
        for (uint32_t n : {1u, 511u, 512u, 513u, 4096u, 20000u, USB_LENGTH_MAX}) {
            Bytes sent = counting(n);
            std::copy(sent.begin(), sent.end(), data + 100);
            gadget.out[1].clear();
            EXPECT_EQ(usb_move(find(0x01), data + 100, n, 1000000), static_cast<int>(n));
            Bytes got;
            for (const Bytes &packet : gadget.out[1])
                got.insert(got.end(), packet.begin(), packet.end());
            EXPECT_EQ(got, sent);

            std::fill(std::begin(data), std::end(data), uint8_t{0});
            gadget.give(0x81, sent, 512);
            EXPECT_EQ(usb_move(find(0x81), data + 333, n, 1000000), static_cast<int>(n));
            EXPECT_TRUE(std::equal(sent.begin(), sent.end(), data + 333));
        }
        EXPECT_EQ(usb_move(find(0x01), nullptr, 0, 100000), 0);
        EXPECT_EQ(gadget.out[1].back().size(), 0u);
    });
    EXPECT_EQ(usb_counters.strange, 0u);
}

TEST_F(Transfer, AShortPacketEndsATransferAcross64KB)
{
    drive([this] {
        alignas(65536) static uint8_t data[2 * 65536];
        uint8_t *edge = data + 65536;
        for (uint32_t n : {100u, 1023u, 1024u, 1025u, 3000u}) {
            gadget.give(0x81, counting(n), 512);
            if (n % 512 == 0)
                gadget.give(0x81, {7}, 512);
            uint32_t all = n % 512 == 0 ? n + 1 : n;
            EXPECT_EQ(usb_move(find(0x81), edge - 1024, 4096, 1000000), static_cast<int>(all));
        }
        EXPECT_EQ(usb_counters.strange, 0u);
    });
}

TEST_F(Transfer, TheRingWrapsAgainAndAgain)
{
    drive([this] {
        uint8_t data[64];
        for (int i = 0; i < 500; i++) {
            gadget.give(0x81, counting(64, static_cast<uint8_t>(i)), 512);
            ASSERT_EQ(usb_move(find(0x81), data, 64, 100000), 64) << i;
            ASSERT_EQ(Bytes(data, data + 64), counting(64, static_cast<uint8_t>(i)));
        }
    });
}

static std::vector<int> results;
static std::vector<struct usb_transfer *> ended;
static void note(struct usb_transfer *t)
{
    results.push_back(t->result);
    ended.push_back(t);
}

TEST_F(Transfer, ManyAreOnTheirWayAndEndInOrder)
{
    results.clear();
    drive([this] {
        static struct usb_transfer t[70];
        alignas(65536) static uint8_t data[70][512];
        int queued = 0;
        for (int i = 0; i < 70; i++) {
            t[i] = {};
            t[i].endpoint = find(0x81);
            t[i].data = data[i];
            t[i].length = 512;
            t[i].done = note;
            int result = usb_submit(&t[i]);
            if (result == TAKT_OK)
                queued++;
            else
                EXPECT_EQ(result, TAKT_EOVERFLOW);
        }
        EXPECT_EQ(queued, 63);
        EXPECT_EQ(usb_submit(&t[0]), TAKT_EAGAIN);
        for (int i = 0; i < queued; i++)
            gadget.give(0x81, counting(static_cast<size_t>(i + 1)), 512);
        takt_sleep(100000);
        for (int i = 0; i < queued; i++)
            EXPECT_EQ(t[i].result, i + 1);
    });
    EXPECT_EQ(results.size(), 63u);
}

static int again;
static void resubmit(struct usb_transfer *t)
{
    results.push_back(t->result);
    if (again-- > 0) {
        EXPECT_EQ(usb_submit(t), TAKT_OK);
    }
}

TEST_F(Transfer, DoneMaySubmitAgain)
{
    results.clear();
    again = 99;
    drive([this] {
        static struct usb_transfer t;
        static uint8_t data[64];
        t = {};
        t.endpoint = find(0x82);
        t.data = data;
        t.length = 64;
        t.done = resubmit;
        for (int i = 0; i < 100; i++)
            gadget.give(0x82, counting(8), 64);
        EXPECT_EQ(usb_submit(&t), TAKT_OK);
        takt_sleep(2000000);
    });
    EXPECT_EQ(results.size(), 100u);
}

TEST_F(Transfer, WhatCannotBeIsRefused)
{
    drive([this] {
        uint8_t data[8];
        struct usb_transfer t = {};
        struct usb_setup setup = {0xC0, 7, 8, 0, 8};
        EXPECT_EQ(usb_submit(&t), TAKT_EINVAL);
        t.endpoint = find(0x81);
        t.length = 8;
        EXPECT_EQ(usb_submit(&t), TAKT_EINVAL) << "no data";
        t.data = data;
        t.length = USB_LENGTH_MAX + 1;
        EXPECT_EQ(usb_submit(&t), TAKT_EINVAL);
        EXPECT_EQ(usb_move(find(0x81), data, 8, 0), TAKT_EINVAL);
        EXPECT_EQ(usb_move(find(0x81), data, 8, TAKT_DURATION_MAX + 1), TAKT_EINVAL);
        EXPECT_EQ(usb_control(device(), &setup, nullptr, 1000), TAKT_EINVAL);
        setup.length = USB_CONTROL_MAX + 1;
        EXPECT_EQ(usb_control(device(), &setup, data, 1000), TAKT_EINVAL);
        EXPECT_EQ(usb_set_interface(device(), 0, 9), TAKT_EINVAL);
        EXPECT_EQ(usb_set_interface(device(), 5, 0), TAKT_EINVAL);
        struct takt_mutex m = TAKT_MUTEX_INIT(0);
        takt_mutex_lock(&m);
        EXPECT_EQ(usb_move(find(0x81), data, 8, 1000), TAKT_ECONTEXT);
        EXPECT_EQ(usb_submit(&t), TAKT_ECONTEXT);
        takt_mutex_unlock(&m);
    });
}

TEST_F(Transfer, AnotherSettingHasOtherEndpoints)
{
    drive([this] {
        ASSERT_EQ(usb_set_interface(device(), 0, 1), TAKT_OK);
        EXPECT_EQ(gadget.settings[0], 1);
        EXPECT_EQ(find(0x81), nullptr);
        ASSERT_NE(find(0x83), nullptr);
        EXPECT_EQ(find(0x83)->interval_us, 1000u);
        ASSERT_EQ(usb_set_interface(device(), 0, 0), TAKT_OK);
        ASSERT_NE(find(0x81), nullptr);
        uint8_t data[4];
        gadget.give(0x81, counting(4), 512);
        EXPECT_EQ(usb_move(find(0x81), data, 4, 100000), 4);
    });
}

/* Each takes more than half of what a micro-frame has for periodic transfers. */
TEST_F(Transfer, WhatTheBusHasNoTimeForIsRefused)
{
    gadget.configuration = configuration(
        {interface(0, 0, 0xFF, {endpoint(0x81, 2, 512, 0)}),
         interface(0, 1, 0xFF, {endpoint(0x82, 1, 2 << 11 | 1024, 1)}),
         interface(0, 2, 0xFF,
                   {endpoint(0x82, 1, 2 << 11 | 1024, 1), endpoint(0x83, 1, 2 << 11 | 1024, 1)})});
    drive([this] {
        for (int i = 0; i < 10; i++) {
            EXPECT_EQ(usb_set_interface(device(), 0, 2), TAKT_EADMIT);
            EXPECT_EQ(find(0x82), nullptr);
            ASSERT_EQ(usb_set_interface(device(), 0, 1), TAKT_OK);
            EXPECT_EQ(find(0x82)->per_interval, 3);
        }
    });
}

class Isochronous : public Transfer {
public:
    /* Receives `n` packets of up to 192 bytes; sends as many. */
    int receive(uint8_t n, uint8_t address = 0x83)
    {
        transfer = {};
        transfer.endpoint = find(address);
        transfer.data = data;
        transfer.length = n * 192u;
        transfer.packets = packets;
        transfer.packet_count = n;
        for (uint8_t i = 0; i < n; i++)
            packets[i] = {192, 0, 99};
        int result = usb_submit(&transfer);
        return result == TAKT_OK ? usb_wait(&transfer, 500000) : result;
    }
    struct usb_transfer transfer;
    uint8_t data[USB_PACKETS_MAX * 192];
    struct usb_packet packets[USB_PACKETS_MAX];
};

TEST_F(Isochronous, PacketsComeEachForItself)
{
    drive([this] {
        ASSERT_EQ(usb_set_interface(device(), 0, 1), TAKT_OK);
        for (size_t i = 0; i < 16; i++)
            gadget.give(0x83, counting(i == 5 ? 0 : 192 - i * 10, static_cast<uint8_t>(i)), 192);
        gadget.in[0x83].insert(gadget.in[0x83].begin() + 5, Packet{Answer::Data, {}});
        EXPECT_GT(receive(16), 0);
        for (size_t i = 0; i < 16; i++) {
            size_t n = i == 5 ? 0 : 192 - i * 10;
            EXPECT_EQ(packets[i].result, TAKT_OK);
            EXPECT_EQ(packets[i].moved, n);
            Bytes got(data + i * 192, data + i * 192 + n);
            EXPECT_EQ(got, counting(n, static_cast<uint8_t>(i)));
        }
    });
}

TEST_F(Isochronous, BrokenPacketsAreToldAndTheOthersCome)
{
    drive([this] {
        ASSERT_EQ(usb_set_interface(device(), 0, 1), TAKT_OK);
        for (int i = 0; i < 8; i++)
            gadget.in[0x83].push_back(
                i % 2 ? Packet{Answer::Error, {}} : Packet{Answer::Data, counting(192)});
        EXPECT_EQ(receive(8), 4 * 192);
        for (int i = 0; i < 8; i++)
            EXPECT_EQ(packets[i].result, i % 2 ? TAKT_EBUS : TAKT_OK);
        EXPECT_EQ(usb_counters.errors, 4u);
    });
}

TEST_F(Isochronous, MissedIntervalsAreTold)
{
    drive([this] {
        ASSERT_EQ(usb_set_interface(device(), 0, 1), TAKT_OK);
        for (int i = 0; i < 8; i++)
            gadget.give(0x83, counting(192), 192);
        c.miss = 3;
        EXPECT_EQ(receive(8), 5 * 192);
        for (int i = 0; i < 8; i++)
            EXPECT_EQ(packets[i].result, i < 3 ? TAKT_ETIMEOUT : TAKT_OK) << i;
        c.miss = 8; /* all, so that only the empty ring tells */
        EXPECT_EQ(receive(8), 0);
        EXPECT_EQ(packets[7].result, TAKT_ETIMEOUT);
    });
}

TEST_F(Isochronous, Out)
{
    drive([this] {
        ASSERT_EQ(usb_set_interface(device(), 0, 1), TAKT_OK);
        Bytes sent = counting(sizeof data);
        std::copy(sent.begin(), sent.end(), data);
        EXPECT_EQ(receive(16, 0x03), 16 * 192);
        EXPECT_EQ(gadget.out[3].size(), 16u);
        Bytes got;
        for (const Bytes &packet : gadget.out[3])
            got.insert(got.end(), packet.begin(), packet.end());
        EXPECT_EQ(got, sent);
        packets[3].length = 193;
        EXPECT_EQ(usb_submit(&transfer), TAKT_EINVAL);
    });
}

TEST_F(Isochronous, AStreamThatNeverEndsIsTakenBack)
{
    drive([this] {
        ASSERT_EQ(usb_set_interface(device(), 0, 1), TAKT_OK);
        gadget.silent = true;
        c.slots[1].endpoints[7].interval = 8000;
        EXPECT_EQ(receive(16), TAKT_ETIMEOUT);
    });
}

/* Bulk reservations: what the bus is asked for is what was reserved. */
class Reserved : public Transfer {
public:
    /* Packets of an endpoint IN that the bus has moved, every 125 us. */
    void watch(uint8_t address, uint64_t from, uint64_t until)
    {
        every(125, from, until, [this, address] { left.push_back(gadget.in[address].size()); });
    }
    /* Most packets in any `slots` in a row. */
    size_t most(size_t slots)
    {
        size_t result = 0;
        for (size_t i = slots; i < left.size(); i++)
            if (left[i - slots] > left[i])
                result = std::max(result, left[i - slots] - left[i]);
        return result;
    }
    static void read_again(struct usb_transfer *t)
    {
        if (t->result >= 0)
            (void)usb_submit(t);
    }
    std::vector<size_t> left;
    static uint8_t data[USB_LENGTH_MAX];
};
uint8_t Reserved::data[USB_LENGTH_MAX];

TEST_F(Reserved, NoMoreIsAskedForInAnyInterval)
{
    drive([this] {
        for (uint32_t every_us : {1000u, 3000u, 8000u}) {
            SCOPED_TRACE(every_us);
            static struct usb_transfer t[16];
            left.clear();
            ASSERT_EQ(usb_reserve(find(0x81), 4 * 512, every_us, 100000), TAKT_OK);
            for (int i = 0; i < 800; i++)
                gadget.give(0x81, counting(512), 512);
            submit_all(t, 0x81, data, 1024, read_again);
            for (int slot = 0; slot < 2400; slot++) {
                left.push_back(gadget.in[0x81].size());
                takt_sleep(125);
            }
            EXPECT_LE(most(every_us / 125), 4u);
            size_t taken = left.front() - left.back();
            EXPECT_GE(taken, 3u * 300000 / (every_us + 2 * USB_SERVICE_US));
            EXPECT_EQ(usb_reserve(find(0x81), 0, 0, 0), TAKT_OK);
            EXPECT_EQ(find(0x81)->limit, 0);
            takt_sleep(300000);
            EXPECT_EQ(gadget.in[0x81].size(), 0u) << "freely from now on";
            for (auto &each : t)
                usb_cancel(&each);
            takt_sleep(10000);
        }
    });
}

/* All of a limit was spent just before the clock wraps. */
TEST_F(Reserved, WhatWasSpentIsOverAlsoWhenTheClockWraps)
{
    drive(
        [this] {
            ASSERT_EQ(usb_reserve(find(0x81), 4 * 512, 8000, 100000), TAKT_OK);
            for (int i = 0; i < 12; i++)
                gadget.give(0x81, counting(512), 512);
            while (0u - takt_now() > 10500u)
                takt_sleep(100);
            EXPECT_EQ(usb_move(find(0x81), data, 4 * 512, 100000), 4 * 512);
            takt_sleep(12000);
            EXPECT_LT(takt_now(), 1000000u);
            EXPECT_EQ(usb_move(find(0x81), data, 4 * 512, 1000000), 4 * 512);
            EXPECT_EQ(usb_move(find(0x81), data, 4 * 512, 1000000), 4 * 512);
        },
        9000000);
}

/* Its last part, of two packets, crosses a border of 64 KB and takes two blocks. */
TEST_F(Reserved, ALongTransferHasItsRoomInAFullRing)
{
    drive(
        [this] {
            static uint8_t large[2 * 65536] __attribute__((aligned(65536)));
            static uint8_t small[512];
            static struct usb_transfer whole, packets[61];
            ASSERT_EQ(usb_reserve(find(0x81), 64 * 512, 8000, 100000), TAKT_OK);
            whole = {};
            whole.endpoint = find(0x81);
            whole.data = large + 65536 - 65 * 512 - 256;
            whole.length = 66 * 512;
            ASSERT_EQ(usb_submit(&whole), TAKT_OK);
            submit_all(packets, 0x81, small, 512, nullptr);
            struct usb_transfer one_more = {};
            one_more.endpoint = find(0x81);
            one_more.data = small;
            one_more.length = 512;
            EXPECT_EQ(usb_submit(&one_more), TAKT_EOVERFLOW);
            for (int i = 0; i < 66 + 61; i++) {
                gadget.give(0x81, Bytes(512, (uint8_t)i), 512);
                EXPECT_LE(find(0x81)->ring->used, XHCI_RING_ROOM);
                takt_sleep(500);
            }
            takt_sleep(100000);
            EXPECT_EQ(whole.result, 66 * 512);
            for (auto &each : packets)
                EXPECT_TRUE(!each.busy && each.result == 512);
            EXPECT_EQ(find(0x81)->ring->used, 0);
        },
        9000000);
}

TEST_F(Reserved, ALongTransferGoesInParts)
{
    drive([this] {
        Bytes all = counting(20000);
        ASSERT_EQ(usb_reserve(find(0x81), 3 * 512, 2000, 100000), TAKT_OK);
        ASSERT_EQ(usb_reserve(find(0x01), 3 * 512, 2000, 100000), TAKT_OK);
        gadget.give(0x81, all, 512);
        EXPECT_EQ(usb_move(find(0x81), data, 30000, 1000000), 20000);
        EXPECT_EQ(Bytes(data, data + 20000), all);
        EXPECT_EQ(usb_move(find(0x01), data, 20000, 1000000), 20000);
        Bytes got;
        for (const Bytes &packet : gadget.out[1])
            got.insert(got.end(), packet.begin(), packet.end());
        EXPECT_EQ(got, all);
        EXPECT_EQ(usb_move(find(0x01), nullptr, 0, 100000), 0);
    });
}

TEST_F(Reserved, OthersHaveTheRestMeanwhile)
{
    drive([this] {
        ASSERT_EQ(usb_reserve(find(0x01), 8 * 512, 1000, 100000), TAKT_OK);
        EXPECT_EQ(find(0x81)->limit, USB_BULK_REST);
        watch(0x81, sim_now() + 1, sim_now() + 100000);
        Bytes all = counting(60000);
        gadget.give(0x81, all, 512);
        EXPECT_EQ(usb_move(find(0x81), data, USB_LENGTH_MAX, 1000000), 60000);
        EXPECT_EQ(Bytes(data, data + 60000), all);
        EXPECT_LE(most(8), USB_BULK_REST);
        ASSERT_EQ(usb_reserve(find(0x01), 0, 0, 0), TAKT_OK);
        EXPECT_EQ(find(0x81)->limit, 0);
    });
}

TEST_F(Reserved, WhatTheBusHasNoTimeForIsRefusedAndChangesNothing)
{
    drive([this] {
        struct usb_endpoint *in = find(0x81), *out = find(0x01);
        EXPECT_EQ(usb_reserve(in, 100 * 512, 1000, 100000), TAKT_EADMIT);
        EXPECT_EQ(in->limit, 0);
        EXPECT_EQ(out->limit, 0);
        ASSERT_EQ(usb_reserve(in, 16 * 512, 1000, 100000), TAKT_OK);
        EXPECT_EQ(usb_reserve(out, 60 * 512, 1000, 100000), TAKT_EADMIT);
        EXPECT_EQ(out->limit, USB_BULK_REST);
        EXPECT_EQ(usb_reserve(in, 100 * 512, 1000, 100000), TAKT_EADMIT);
        EXPECT_EQ(in->limit, 16);
        EXPECT_EQ(usb_reserve(in, 16 * 512, 1000, 125), TAKT_EADMIT) << "not so soon";
        EXPECT_EQ(usb_reserve(in, 512, 100, 100000), TAKT_EINVAL);
        EXPECT_EQ(usb_reserve(in, 512, 1000000, 100000), TAKT_EINVAL);
        EXPECT_EQ(usb_reserve(find(0x82), 64, 1000, 100000), TAKT_EINVAL);
        EXPECT_EQ(in->limit, 16);
        ASSERT_EQ(usb_set_interface(device(), 0, 1), TAKT_OK);
        ASSERT_EQ(usb_set_interface(device(), 0, 0), TAKT_OK);
        EXPECT_EQ(find(0x81)->limit, 0) << "a closed endpoint has none";
        EXPECT_EQ(find(0x01)->limit, 0);
    });
}

/* Transfers are taken back, and the endpoint is recovered, as without. */
TEST_F(Reserved, RecoveringKeepsToItToo)
{
    drive([this] {
        static struct usb_transfer t[6];
        ASSERT_EQ(usb_reserve(find(0x81), 2 * 512, 2000, 100000), TAKT_OK);
        watch(0x81, sim_now() + 1, sim_now() + 400000);
        for (int round = 0; round < 20; round++) {
            submit_all(t, 0x81, data, 1024, nullptr);
            Bytes all = counting(6 * 1024);
            gadget.give(0x81, all, 512);
            if (round % 2)
                gadget.in[0x81].insert(gadget.in[0x81].begin() + 3, Packet{Answer::Error, {}});
            takt_sleep(static_cast<uint32_t>(round) * 100);
            usb_cancel(&t[3]);
            for (int i = 0; i < 6; i++) {
                int result = usb_wait(&t[i], 100000);
                EXPECT_TRUE(result == 1024 || (i == 3 && result == TAKT_ETIMEOUT)) << result;
            }
            gadget.in[0x81].clear();
        }
        EXPECT_EQ(c.mismatched, 0);
        EXPECT_EQ(usb_counters.strange, 0u);
    });
}
