/* One level of hubs. */
#include "bus.h"

#include <takt/time.h>

class Hub : public Bus {
public:
    Hub() { c.plug(1, &hub); }
    HubGadget hub;
};

TEST_F(Hub, DevicesBehindItAreFound)
{
    hub.plug(2, &gadget);
    run(2000000);
    ASSERT_EQ(attaches, 1);
    struct usb_device *d = device(1);
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->hub, device(0));
    EXPECT_EQ(d->hub_port, 2);
    EXPECT_TRUE(c.slots[1].hub);
    EXPECT_EQ(c.slots[2].route, 2u);
    EXPECT_EQ(c.slots[2].tt, 0u) << "of high speed itself";
}

TEST_F(Hub, ItTranslatesForSlowDevices)
{
    gadget.speed = 1;
    gadget.configuration = configuration({interface(0, 0, 3, {endpoint(0x81, 3, 8, 10)})});
    hub.plug(3, &gadget);
    run(2000000);
    ASSERT_EQ(attaches, 1);
    EXPECT_EQ(c.slots[2].tt, 1u | 3u << 8);
}

TEST_F(Hub, TheyComeAndGo)
{
    Gadget other;
    fill_in(other);
    for (uint64_t i = 0; i < 5; i++) {
        at(i * 3000000 + 2000000, [this] { hub.plug(2, &gadget); });
        at(i * 3000000 + 2100000, [&] { hub.plug(4, &other); });
        at(i * 3000000 + 4000000, [this] { hub.unplug(2); });
        at(i * 3000000 + 4000300, [&] { hub.unplug(4); });
    }
    run(17000000);
    EXPECT_EQ(attaches, 10);
    EXPECT_EQ(detaches, 10);
    EXPECT_EQ(usb_counters.failed, 0u);
}

TEST_F(Hub, WithTheHubGoesWhatHangsOnIt)
{
    hub.plug(1, &gadget);
    for (uint64_t i = 0; i < 20; i++) {
        at(3000000 + i * 3000000, [this] { c.unplug(1); });
        at(3000000 + i * 3000000 + 100000, [this] {
            hub.plug(1, &gadget);
            c.plug(1, &hub);
        });
        at(3000000 + i * 3000000 + 2000000 + i * 20000, [this] { c.unplug(1); });
        at(3000000 + i * 3000000 + 2700000, [this] {
            hub.plug(1, &gadget);
            c.plug(1, &hub);
        });
    }
    run(65000000);
    EXPECT_EQ(attaches, detaches + 1);
    EXPECT_EQ(usb_counters.attached, usb_counters.detached + 2);
    EXPECT_EQ(usb_counters.resets, 0u);
}

TEST_F(Hub, ASecondLevelIsRefused)
{
    HubGadget second;
    hub.plug(2, &second);
    run(3000000);
    EXPECT_EQ(usb_counters.refused, 1u);
    EXPECT_EQ(attaches, 0);
}

TEST_F(Hub, ADeadDeviceBehindItDisturbsNobody)
{
    Gadget good;
    fill_in(good);
    gadget.silent = true;
    hub.plug(1, &gadget);
    hub.plug(2, &good);
    run(20000000);
    EXPECT_EQ(attaches, 1);
    EXPECT_EQ(usb_counters.failed, 1u);
}

TEST_F(Hub, AStalledStatusEndpointIsCleared)
{
    run(2000000);
    at(2000001, [this] {
        hub.stalls = 1;
        hub.changed();
    });
    at(2500000, [this] { hub.plug(3, &gadget); });
    run(5000000);
    EXPECT_EQ(attaches, 1);
}
