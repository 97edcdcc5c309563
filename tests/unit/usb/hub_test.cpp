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

/* A device of full speed on port 3, with bulk and interrupt endpoints. */
class BehindTranslator : public Hub {
public:
    BehindTranslator()
    {
        gadget.speed = 1;
        gadget.configuration = configuration(
            {interface(0, 0, 0xFF,
                       {endpoint(0x81, 2, 64, 0), endpoint(0x01, 2, 64, 0),
                        endpoint(0x82, 3, 8, 10)})});
        hub.plug(3, &gadget);
    }
    struct usb_endpoint *of(uint8_t address) { return usb_endpoint_at(device(1), address); }
    void check_good()
    {
        gadget.give(0x81, counting(20), 64);
        EXPECT_EQ(usb_move(of(0x81), data, 64, 100000), 20);
        EXPECT_EQ(c.mismatched, 0);
    }
    void drive_there(std::function<void()> body, uint64_t until = 8000000)
    {
        drive([this, body] {
            while (!device(1))
                takt_sleep(10000);
            body();
        }, until);
    }
    uint8_t data[512];
};

TEST_F(BehindTranslator, AnErrorOfABulkEndpointIsForgottenByTheHub)
{
    drive_there([this] {
        for (int i = 1; i <= 3; i++) {
            check_good();
            gadget.answer(0x81, i == 2 ? Answer::Stall : Answer::Error);
            EXPECT_EQ(usb_move(of(0x81), data, 64, 100000), i == 2 ? TAKT_EREFUSED : TAKT_EBUS);
            EXPECT_EQ(usb_clear_halt(of(0x81)), TAKT_OK);
            EXPECT_EQ(hub.buffers_cleared, i);
            check_good();
        }
        gadget.out_answer[1] = Answer::Error;
        gadget.out_answers[1] = 1;
        EXPECT_EQ(usb_move(of(0x01), data, 64, 100000), TAKT_EBUS);
        EXPECT_EQ(usb_clear_halt(of(0x01)), TAKT_OK);
        EXPECT_EQ(hub.buffers_cleared, 4);
        EXPECT_EQ(usb_move(of(0x01), data, 64, 100000), 64);
    });
}

TEST_F(BehindTranslator, OfTheControlEndpointInBothDirections)
{
    drive_there([this] {
        struct usb_setup in = {0xC0, 7, 8, 0, 8}, bad = {0x80, 99, 0, 0, 8};
        gadget.control_answer = Answer::Error;
        gadget.control_answers = 1;
        EXPECT_EQ(usb_control(device(1), &in, data, 100000), TAKT_EBUS);
        EXPECT_EQ(usb_control(device(1), &in, data, 100000), 8);
        EXPECT_EQ(hub.buffers_cleared, 2);
        EXPECT_EQ(usb_control(device(1), &bad, data, 100000), TAKT_EREFUSED);
        EXPECT_EQ(usb_control(device(1), &in, data, 100000), 8);
        EXPECT_EQ(hub.buffers_cleared, 2) << "a request that is refused leaves nothing there";
    });
}

TEST_F(BehindTranslator, AnInterruptEndpointLeavesNothingThere)
{
    drive_there([this] {
        gadget.answer(0x82, Answer::Error);
        EXPECT_EQ(usb_move(of(0x82), data, 8, 100000), TAKT_EBUS);
        EXPECT_EQ(usb_clear_halt(of(0x82)), TAKT_OK);
        gadget.give(0x82, counting(3), 8);
        EXPECT_EQ(usb_move(of(0x82), data, 8, 100000), 3);
        EXPECT_EQ(hub.buffers_cleared, 0);
    });
}

TEST_F(BehindTranslator, AHubThatDoesNotAnswerHoldsNothingUpForEver)
{
    drive_there([this] {
        struct usb_setup in = {0xC0, 7, 8, 0, 8};
        hub.keeps_buffers = true;
        gadget.answer(0x81, Answer::Error);
        EXPECT_EQ(usb_move(of(0x81), data, 64, 100000), TAKT_EBUS);
        EXPECT_EQ(usb_control(device(1), &in, data, 100000), 8) << "others do not wait";
        takt_sleep(3000000);
        hub.keeps_buffers = false;
        c.forget_all();
        EXPECT_EQ(usb_clear_halt(of(0x81)), TAKT_OK);
        check_good();
    }, 12000000);
}

TEST_F(BehindTranslator, PulledOutWhileTheHubIsToForget)
{
    for (uint64_t i = 0; i < 10; i++) {
        at(3000000 + i * 2000000 + i * 33, [this] { hub.unplug(3); });
        at(3300000 + i * 2000000, [this] { hub.plug(3, &gadget); });
    }
    thread([this] {
        for (;;) {
            struct usb_device *d = device(1);
            struct usb_endpoint *e = d ? usb_endpoint_at(d, 0x81) : nullptr;
            if (!e) {
                takt_sleep(5000);
                continue;
            }
            gadget.answer(0x81, Answer::Error);
            int result = usb_move(e, data, 64, 20000);
            if (result < 0 && usb_clear_halt(e) != TAKT_OK)
                takt_sleep(1000);
        }
    });
    run(25000000);
    EXPECT_EQ(attaches, 11);
    EXPECT_EQ(usb_counters.resets, 0u);
}

/* Its status endpoint halts, and clearing that fails: the hub is reset, and what hangs on it. */
TEST_F(Hub, AHubThatIsDeafIsReset)
{
    hub.plug(2, &gadget);
    at(2000000, [this] {
        hub.clear_fails = 1000;
        hub.stalls = 1;
        hub.changed();
    });
    run(6000000);
    EXPECT_EQ(usb_counters.reset_devices, 1u);
    EXPECT_EQ(attaches, 2);
    EXPECT_EQ(detaches, 1);
}

TEST_F(Hub, ADeviceBehindItIsReset)
{
    hub.plug(2, &gadget);
    drive([this] {
        while (!device(1))
            takt_sleep(10000);
        static uint8_t data[512];
        int resets = hub.resets;
        gadget.clear_fails = 1000;
        gadget.answer(0x81, Answer::Stall);
        EXPECT_EQ(usb_move(usb_endpoint_at(device(1), 0x81), data, 512, 100000), TAKT_EREFUSED);
        EXPECT_EQ(usb_clear_halt(usb_endpoint_at(device(1), 0x81)), TAKT_EGONE);
        takt_sleep(1500000);
        EXPECT_EQ(hub.resets, resets + 1);
        ASSERT_NE(device(1), nullptr);
        gadget.give(0x81, counting(20), 512);
        EXPECT_EQ(usb_move(usb_endpoint_at(device(1), 0x81), data, 512, 100000), 20);
        EXPECT_EQ(attaches, 2);
    });
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

/* It had switched its ports off. */
TEST_F(Hub, TooMuchCurrentIsAcknowledgedAndThePortsHavePowerAgain)
{
    run(2000000);
    int before = hub.polls, powered = hub.powered;
    at(2000001, [this] {
        hub.own = 3;
        hub.changed();
    });
    at(4000000, [this] { hub.plug(3, &gadget); });
    run(7000000);
    EXPECT_EQ(hub.own, 0);
    EXPECT_EQ(hub.powered, powered + 4);
    EXPECT_LE(hub.polls - before, 8) << "it tells of it only once";
    EXPECT_EQ(attaches, 1);
}

TEST_F(Hub, ASecondLevelIsRefused)
{
    HubGadget second;
    hub.plug(2, &second);
    run(3000000);
    EXPECT_EQ(usb_counters.refused, 1u);
    EXPECT_NE(said.find(".2 is not served: there is no room left"), std::string::npos) << said;
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
