/* Devices that come and go, as class drivers see it. */
#include "bus.h"

class Enumerate : public Bus {};

TEST_F(Enumerate, ADeviceThatIsThereIsFound)
{
    c.plug(1, &gadget);
    run(1000000);
    struct usb_device *d = device();
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->vendor, 0x1234);
    EXPECT_EQ(d->product, 0x5678);
    EXPECT_EQ(d->speed, USB_HIGH);
    EXPECT_EQ(d->interface_count, 1);
    EXPECT_EQ(gadget.configured, 1);
    EXPECT_EQ(attaches, 1);
    ASSERT_NE(find(0x82), nullptr);
    EXPECT_EQ(find(0x82)->interval_us, 4000u);
    EXPECT_EQ(find(0x81)->max_packet, 512);
    EXPECT_EQ(find(0x83), nullptr);
    EXPECT_EQ(usb_counters.attached, 1u);
    EXPECT_EQ(usb_counters.strange, 0u);
}

TEST_F(Enumerate, ADeviceIsFoundWhenItIsPluggedInAndForgottenWhenItGoes)
{
    for (uint64_t i = 0; i < 5; i++) {
        at(i * 2000000 + 10000, [this] { c.plug(2, &gadget); });
        at(i * 2000000 + 1000000, [this] { c.unplug(2); });
    }
    run(10000000);
    EXPECT_EQ(attaches, 5);
    EXPECT_EQ(detaches, 5);
    EXPECT_EQ(device(), nullptr);
    for (auto &[slot, s] : c.slots)
        EXPECT_FALSE(s.enabled);
    EXPECT_EQ(usb_counters.detached, 5u);
}

TEST_F(Enumerate, AllPortsAndAllDevicesThatThereIsRoomFor)
{
    Gadget more[Controller::PORTS];
    for (int i = 0; i < Controller::PORTS; i++) {
        fill_in(more[i]);
        if (i >= 4) {
            more[i].speed = 4;
            more[i].device = device_descriptor(9);
            more[i].configuration = configuration({interface(0, 0, 0xFF, {})});
        }
        c.plug(i + 1, &more[i]);
    }
    run(5000000);
    EXPECT_EQ(attaches, Controller::PORTS);
}

TEST_F(Enumerate, FullSpeedDevicesTellTheSizeOfTheirControlPackets)
{
    gadget.speed = 1;
    gadget.device = device_descriptor(16);
    gadget.configuration = configuration({interface(0, 0, 3, {endpoint(0x81, 3, 8, 10)})});
    c.plug(1, &gadget);
    run(1000000);
    ASSERT_NE(device(), nullptr);
    EXPECT_EQ(c.commands[13], 1);
    EXPECT_EQ(c.slots[1].endpoints[1].max_packet, 16);
    EXPECT_EQ(find(0x81)->interval_us, 8000u);
}

TEST_F(Enumerate, LowSpeed)
{
    gadget.speed = 2;
    gadget.device = device_descriptor(8);
    gadget.configuration = configuration({interface(0, 0, 3, {endpoint(0x81, 3, 8, 255)})});
    c.plug(1, &gadget);
    run(1000000);
    ASSERT_NE(device(), nullptr);
    EXPECT_EQ(find(0x81)->interval_us, 128000u);
    EXPECT_EQ(c.commands[13], 0);
}

TEST_F(Enumerate, SuperSpeedBringsItsLinkUpByItself)
{
    gadget.speed = 4;
    gadget.device = device_descriptor(9);
    Bytes bulk = endpoint(0x81, 2, 1024, 0);
    bulk.insert(bulk.end(), {6, 0x30, 15, 0, 0, 0});
    gadget.configuration = configuration({interface(0, 0, 8, {bulk})});
    c.plug(5, &gadget);
    run(1000000);
    ASSERT_NE(device(), nullptr);
    EXPECT_EQ(device()->speed, USB_SUPER);
    EXPECT_EQ(c.slots[1].endpoints[3].burst, 15u);
}

TEST_F(Enumerate, APlugThatBouncesIsWaitedFor)
{
    for (uint64_t i = 0; i < 6; i++) {
        at(10000 + i * 30000, [this] { c.plug(1, &gadget); });
        at(25000 + i * 30000, [this] { c.unplug(1); });
    }
    at(300000, [this] { c.plug(1, &gadget); });
    run(2000000);
    EXPECT_EQ(attaches, 1);
    EXPECT_EQ(usb_counters.failed, 0u);
}

TEST_F(Enumerate, ADeviceThatDoesNotAnswerIsTriedThreeTimesAndDisturbsNobody)
{
    Gadget good;
    fill_in(good);
    gadget.silent = true;
    c.plug(1, &gadget);
    c.plug(2, &good);
    run(20000000);
    EXPECT_EQ(usb_counters.failed, 1u);
    EXPECT_EQ(said, "\r\ntakt: USB: a device on port 1 is not served: it does not answer as it "
                    "should\r\n");
    EXPECT_EQ(attaches, 1);
    EXPECT_EQ(c.commands[9], 4);
    EXPECT_EQ(c.commands[10], 3);
}

TEST_F(Enumerate, ADeviceThatStallsAtFirstIsFoundAtTheSecondAttempt)
{
    gadget.control_answer = Answer::Stall;
    gadget.control_answers = 1;
    c.plug(1, &gadget);
    run(3000000);
    EXPECT_EQ(attaches, 1);
    EXPECT_EQ(usb_counters.stalls, 1u);
}

TEST_F(Enumerate, MalformedDescriptorsAreRefused)
{
    gadget.configuration[9] = 0;
    c.plug(1, &gadget);
    run(5000000);
    EXPECT_EQ(attaches, 0);
    EXPECT_EQ(usb_counters.refused, 1u);
    EXPECT_NE(said.find("on port 1 is not served: its descriptors are malformed\r\n"),
              std::string::npos)
        << said;
    EXPECT_EQ("\r\ntakt: USB: " + std::string(usb_refused[0]) + "\r\n", said);
    for (auto &[slot, s] : c.slots)
        EXPECT_FALSE(s.enabled);
}

TEST_F(Enumerate, ADeviceThatNoDriverWantsIsToldOnceHoweverOftenItComes)
{
    wants = [](struct usb_device *) { return false; };
    for (uint64_t i = 0; i < 3; i++) {
        at(i * 2000000 + 10000, [this] { c.plug(2, &gadget); });
        at(i * 2000000 + 1500000, [this] { c.unplug(2); });
    }
    run(7000000);
    EXPECT_EQ(usb_counters.attached, 3u);
    char name[64];
    (void)snprintf(name, sizeof name, "device %02x%02x:%02x%02x on port 2", gadget.device[9],
                   gadget.device[8], gadget.device[11], gadget.device[10]);
    EXPECT_EQ(said, "\r\ntakt: USB: " + std::string(name) +
                        " is not served: no driver of the program wants it\r\n");
}

TEST_F(Enumerate, MoreThanCanBeKeptIsTold)
{
    wants = [](struct usb_device *) { return false; };
    for (uint64_t i = 0; i < USB_REFUSED + 3; i++) {
        at(i * 2000000 + 10000, [this, i] {
            gadget.device[10] = static_cast<uint8_t>(i);
            c.plug(2, &gadget);
        });
        at(i * 2000000 + 1500000, [this] { c.unplug(2); });
    }
    run((USB_REFUSED + 4) * 2000000);
    size_t lines = 0;
    for (size_t at = 0; (at = said.find("no driver", at)) != std::string::npos; at++)
        lines++;
    EXPECT_EQ(lines, USB_REFUSED + 3u);
    EXPECT_NE(usb_refused[USB_REFUSED - 1][0], '\0');
}

TEST_F(Enumerate, TooLongAConfigurationIsRefused)
{
    std::vector<Bytes> many(80, interface(0, 1, 0xFF, {}));
    gadget.configuration = configuration(many);
    c.plug(1, &gadget);
    run(5000000);
    EXPECT_EQ(attaches, 0);
    EXPECT_EQ(usb_counters.refused, 1u);
    EXPECT_NE(said.find("there is no room left for it"), std::string::npos) << said;
}

TEST_F(Enumerate, TheControllerMayHaveNoBandwidth)
{
    c.refuse_configure = 8;
    c.plug(1, &gadget);
    run(5000000);
    EXPECT_EQ(attaches, 1) << "the second attempt";
}

TEST_F(Enumerate, UnpluggedAtAnyMoment)
{
    for (uint64_t i = 0; i < 60; i++) {
        uint64_t begin = i * 1500000;
        at(begin, [this] { c.plug(1, &gadget); });
        at(begin + 120000 + i * 1700, [this] { c.unplug(1); });
    }
    run(60 * 1500000);
    EXPECT_EQ(attaches, detaches);
    EXPECT_EQ(device(), nullptr);
    EXPECT_EQ(usb_counters.resets, 0u);
    for (auto &[slot, s] : c.slots)
        EXPECT_FALSE(s.enabled) << slot;
    for (auto &d : usb_devices)
        EXPECT_EQ(d.state, USB_FREE);
}

TEST_F(Enumerate, ReplacedAtOnceByAnother)
{
    Gadget other;
    fill_in(other);
    other.device = device_descriptor(64, 0, 0x4321);
    c.plug(1, &gadget);
    at(1000000, [&] {
        c.unplug(1);
        c.plug(1, &other);
    });
    run(2000000);
    EXPECT_EQ(attaches, 2);
    EXPECT_EQ(detaches, 1);
    ASSERT_NE(device(), nullptr);
    EXPECT_EQ(device()->vendor, 0x4321);
}

TEST_F(Enumerate, ADeviceStaysUntilItsDriverHasReleasedIt)
{
    keeps = true;
    c.plug(1, &gadget);
    at(1000000, [this] { c.unplug(1); });
    run(2000000);
    EXPECT_EQ(detaches, 1);
    EXPECT_EQ(usb_devices[0].state, USB_GONE);
    at(2000000, [this] { c.plug(1, &gadget); });
    run(3000000);
    EXPECT_EQ(attaches, 2);
    EXPECT_EQ(usb_devices[1].state, USB_HERE);
    usb_release(&usb_devices[0]);
    EXPECT_EQ(usb_devices[0].state, USB_FREE);
}

class Enumerate64 : public Bus {
public:
    Enumerate64() : Bus(64, 40) {}
};

TEST_F(Enumerate64, ContextsOf64BytesAndScratchpads)
{
    c.plug(1, &gadget);
    run(1000000);
    EXPECT_EQ(attaches, 1);
}

class EnumerateTooMany : public Bus {
public:
    EnumerateTooMany() : Bus(32, 1023) {}
};

TEST_F(EnumerateTooMany, AControllerThatWantsTooMuchIsLeftAlone)
{
    c.plug(1, &gadget);
    run(1000000);
    EXPECT_EQ(attaches, 0);
    EXPECT_EQ(xhcis[0].state, XHCI_ABSENT);
}

class EnumeratePolled : public Bus {
public:
    EnumeratePolled() : Bus(32, 0, false) {}
};

TEST_F(EnumeratePolled, WithoutInterruptsItIsLookedAt)
{
    c.plug(1, &gadget);
    at(1500000, [this] { c.unplug(1); });
    run(3000000);
    EXPECT_EQ(attaches, 1);
    EXPECT_EQ(detaches, 1);
    EXPECT_EQ(c.interrupts, 0);
}

TEST_F(Enumerate, TheFirmwareLetsGo)
{
    c.firmware = true;
    c.plug(1, &gadget);
    run(1000000);
    EXPECT_EQ(attaches, 1);
    EXPECT_FALSE(c.firmware);
}
