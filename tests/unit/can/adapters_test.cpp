/* As many adapters as a program defines, in its own memory. */
#include "usb_fake.h"

#include <gtest/gtest.h>
#include <takt/can.h>
#include <takt/time.h>

extern "C" {
#include <can/adapter.h>
}

extern "C" const struct takt_thread takt_thread_usb = {};

enum { ADAPTERS = 4, SECOND = 1000000 };

struct alignas(64) Room {
    char bytes[CAN_ROOM_BYTES];
};
static Room rooms[ADAPTERS];
static struct takt_endpoint ends[ADAPTERS];
static struct takt_can_adapter adapters[ADAPTERS];
__attribute__((section("takt_can_adapters"), used)) static struct takt_can_adapter *const
    defined[ADAPTERS] = {&adapters[0], &adapters[1], &adapters[2], &adapters[3]};

TEST(Adapters, AsManyAsThereArePortsFor)
{
    Program p;
    FakeUsb usb(p);

    for (uint32_t i = 0; i < ADAPTERS; i++) {
        struct takt_can_adapter *one = &adapters[i];
        ends[i] = {nullptr, &can_in_ops, nullptr, nullptr, "in", one,
                   sizeof(struct takt_can_frame), TAKT_IN, nullptr};
        *one = {&can_gs, &ends[i], nullptr, &rooms[i], nullptr};
        p.thread([one] { can_receive(one); }, 1000, 10000);
        usb.plug_at(1000 + i * 100000, usb.device(USBCAN_GS), static_cast<uint8_t>(i + 1));
    }
    p.thread([&usb] { usb.host_thread(); });
    ASSERT_EQ(p.run(SECOND), SIM_TIME) << sim_fatal_line();
    for (takt_can_adapter &one : adapters)
        EXPECT_EQ(takt_can_channels(&one), 1) << &one - adapters;
}
