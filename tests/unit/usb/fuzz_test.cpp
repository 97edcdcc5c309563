/*
 * A million of each: descriptors, and events, that mean anything or nothing. Nothing outside of
 * what is ours is touched (run under AddressSanitizer), nothing is lost, and all goes on
 * afterwards.
 */
#include "bus.h"

#include <cstring>
#include <random>
#include <takt/time.h>

static constexpr int CASES = 1000000;

namespace {

std::mt19937 random_(1);

uint32_t any(uint32_t below)
{
    return static_cast<uint32_t>(static_cast<uint64_t>(random_()) * below >> 32);
}

/* Well-formed, then spoilt in some places; or noise altogether. */
Bytes spoilt(const Bytes &good)
{
    Bytes bytes = good;
    if (any(8) == 0)
        for (auto &b : bytes)
            b = static_cast<uint8_t>(random_());
    for (uint32_t i = any(6); i > 0; i--)
        bytes[any(static_cast<uint32_t>(bytes.size()))] = static_cast<uint8_t>(random_());
    if (any(4) == 0)
        bytes.resize(any(static_cast<uint32_t>(bytes.size()) + 1));
    if (any(2) == 0 && bytes.size() > 4) { /* at least the length fits */
        bytes[2] = static_cast<uint8_t>(bytes.size());
        bytes[3] = static_cast<uint8_t>(bytes.size() >> 8);
    }
    return bytes;
}

/* What a driver would do with a configuration that was accepted. */
size_t walk(const struct usb_device *device)
{
    size_t endpoints = 0;
    EXPECT_LE(device->interface_count, USB_INTERFACES);
    for (uint8_t i = 0; i < device->interface_count; i++) {
        struct usb_endpoint e;
        size_t from = device->interfaces[i].descriptor;
        while (usb_parse_endpoint(device, &device->interfaces[i], &from, &e)) {
            endpoints++;
            EXPECT_GE(xhci_dci(&e), 2);
            EXPECT_LE(xhci_dci(&e), 31);
            EXPECT_GT(e.max_packet, 0);
            EXPECT_LE(e.max_packet, 1024);
            EXPECT_GE(e.per_interval, 1);
            EXPECT_LE(e.per_interval, 48);
            EXPECT_TRUE(e.type == USB_BULK || e.interval_us > 0);
        }
        for (uint8_t type : std::vector<uint8_t>{2, 4, 5, 0x24})
            EXPECT_LT(usb_descriptor(device, device->interfaces[i].descriptor, type),
                      static_cast<int>(USB_CONFIGURATION_BYTES));
    }
    return endpoints;
}

/* On the heap, so that one byte beyond is noticed. */
bool parse(struct usb_device *device, const Bytes &bytes)
{
    auto exact = std::make_unique<uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), exact.get());
    if (usb_parse_device(device, exact.get(), bytes.size()) == TAKT_OK) {
        EXPECT_GT(device->control.max_packet, 0);
    }
    memset(device->configuration, static_cast<int>(random_()), sizeof device->configuration);
    std::copy(bytes.begin(), bytes.end(), device->configuration);
    return usb_parse_configuration(device, bytes.size()) == TAKT_OK;
}

} // namespace

TEST(Fuzz, Descriptors)
{
    Gadget gadget;
    fill_in(gadget);
    auto device = std::make_unique<struct usb_device>();
    std::vector<Bytes> good = {gadget.configuration, gadget.device};
    Bytes bulk = endpoint(0x81, 2, 1024, 0);
    bulk.insert(bulk.end(), {6, 0x30, 15, 2, 0, 0});
    good.push_back(configuration({interface(0, 0, 8, {bulk, bulk}), interface(1, 0, 3, {})}));
    size_t accepted = 0, endpoints = 0;
    for (int i = 0; i < CASES; i++) {
        *device = {};
        device->speed = static_cast<uint8_t>(1 + any(5));
        if (parse(device.get(), spoilt(good[static_cast<size_t>(i) % good.size()]))) {
            accepted++;
            endpoints += walk(device.get());
        }
    }
    EXPECT_GT(accepted, static_cast<size_t>(CASES / 20)) << "most cases end at once";
    EXPECT_GT(endpoints, static_cast<size_t>(CASES / 20));
}

class FuzzEvents : public Bus {
public:
    FuzzEvents() { c.plug(1, &gadget); }

    /* An event that may well be about something of ours. */
    struct xhci_trb event()
    {
        struct xhci_trb e;
        static const uint32_t types[] = {32, 32, 32, 32, 33, 34, 35, 37, 39, 0};
        uint32_t type = types[any(10)];
        struct xhci_endpoint *endpoint = &xhci_endpoints[any(2) ? any(4) : USB_ENDPOINTS];
        const struct xhci_trb *trbs = any(8) ? endpoint->ring.trbs : xhcis[0].commands.trbs;
        uint64_t ring = usb_dma_address(trbs);
        e.parameter = any(8) ? ring + 16 * any(66) : random_() * (uint64_t{1} << any(33)) + any(32);
        if (type == 34)
            e.parameter = static_cast<uint64_t>(any(256)) << 24;
        e.status = any(40) << 24 | (any(2) ? any(1000) : any(0x1000000));
        uint32_t slot = any(8) ? 1 : any(256);
        uint32_t dci = any(8) ? (endpoint->usb ? endpoint->dci : 1) : any(32);
        e.control = slot << 24 | dci << 16 | type << 10 | any(2);
        return e;
    }

    static constexpr size_t MANY = 24;
    struct usb_transfer transfers[MANY] = {};
    struct usb_packet packets[MANY][4] = {};
    uint8_t data[4096] = {};
    static int ended, submitted;
    static void done(struct usb_transfer *t)
    {
        ended++;
        EXPECT_FALSE(t->busy);
        EXPECT_LE(t->moved, t->length);
        EXPECT_LE(t->result, static_cast<int>(t->length));
    }

    void submit_one()
    {
        struct usb_transfer &t = transfers[any(MANY)];
        struct usb_endpoint *e = any(4) ? &usb_endpoints[any(4)] : &device()->control;
        if (t.busy || e->device == nullptr)
            return;
        t = {};
        t.endpoint = e;
        t.data = data;
        t.length = any(3) ? any(512) : any(4096);
        t.setup = {0xC0, 7, 0, 0, static_cast<uint16_t>(t.length)};
        t.done = done;
        if (e->type == USB_ISOCHRONOUS) {
            t.packets = packets[&t - transfers];
            t.packet_count = 4;
            t.length = 4 * 192;
            for (uint8_t i = 0; i < 4; i++)
                t.packets[i].length = static_cast<uint16_t>(any(193));
        }
        submitted += usb_submit(&t) == TAKT_OK;
    }
};
int FuzzEvents::ended, FuzzEvents::submitted;

TEST_F(FuzzEvents, Events)
{
    bool over = false;
    ended = submitted = 0;
    thread([&] {
        while (!device())
            takt_sleep(10000);
        usb_set_interface(device(), 0, 1);
        for (int i = 0; i < CASES; i++) {
            if (!device()) {
                takt_sleep(100000);
                continue;
            }
            struct xhci_trb e = event();
            xhci_take_event(&xhcis[0], &e);
            if (any(4) == 0)
                submit_one();
            if (any(64) == 0)
                usb_cancel(&transfers[any(MANY)]);
            for (auto &each : usb_endpoints) /* as usb_clear_halt() would in the end */
                if (each.state == USB_HALTED && any(64) == 0)
                    each.state = USB_OPEN;
            if (any(500) == 0)
                takt_sleep(3000);
        }
        over = true;
        takt_thread_exit();
    }, 15000, 20000);
    for (uint64_t until = 1000000; !over && until < 4000000000u; until += 10000000)
        run(until);
    ASSERT_TRUE(over);
    run(sim_now() + 3000000);
    at(sim_now() + 1, [this] { c.unplug(1); });
    run(sim_now() + 5000000);
    EXPECT_EQ(ended, submitted) << "every transfer ends";
    EXPECT_GT(submitted, CASES / 200);
    for (auto &e : xhci_endpoints)
        EXPECT_EQ(e.first, nullptr);
    at(sim_now() + 1, [this] { c.plug(1, &gadget); });
    int before = attaches;
    run(sim_now() + 10000000);
    EXPECT_EQ(attaches, before + 1) << "and it works as before";
}
