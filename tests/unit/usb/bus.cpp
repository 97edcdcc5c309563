#include "bus.h"

#include <cstring>
#include <takt/console.h>
#include <takt/time.h>

static Bus *bus;
static bool interrupts_;

extern "C" {
struct usb_host usb_host;

void board_console_put(char c)
{
    bus->said += c;
}

void usb_find_controllers(void)
{
    int number = xhci_start(Controller::BASE);
    if (number >= 0 && interrupts_)
        xhci_use_interrupts(&xhcis[number], 40);
}

static bool matches(const struct usb_device *device, const struct usb_interface *)
{
    return !bus->wants || bus->wants(const_cast<struct usb_device *>(device));
}

static int attach(struct usb_device *device, struct usb_interface *)
{
    bus->attaches++;
    if (bus->attached)
        bus->attached(device);
    return TAKT_OK;
}

static void detach(struct usb_device *device, struct usb_interface *)
{
    bus->detaches++;
    if (bus->detached)
        bus->detached(device);
    if (!bus->keeps)
        usb_release(device);
}

static const struct usb_driver any = {"any", matches, attach, detach};
USB_DRIVER(any);
}

Bus::Bus(int context_bytes, int scratchpads, bool interrupts) : c(context_bytes, scratchpads)
{
    bus = this;
    interrupts_ = interrupts;
    memset(xhcis, 0, sizeof xhcis);
    memset(usb_devices, 0, sizeof usb_devices);
    memset(usb_endpoints, 0, sizeof usb_endpoints);
    memset(xhci_endpoints, 0, sizeof xhci_endpoints);
    memset(xhci_busy, 0, sizeof xhci_busy);
    usb_counters = {};
    std::memset(usb_refused, 0, sizeof usb_refused);
    usb_host = {};
    fill_in(gadget);
    p.bottom_half([] { usb_bottom_half(nullptr); }, 1, 100);
    usb_host.io = &p.io(0);
    c.interrupt = [] { xhci_isr(&xhcis[0]); };
}

/* Everything is unplugged, so that the next machine begins with nothing. */
void Bus::TearDown()
{
    c.hang.clear();
    keeps = false;
    for (int port = 1; port <= Controller::PORTS; port++)
        at(sim_now() + 1, [this, port] { c.unplug(port); });
    if (started_)
        p.run(sim_now() + 3000000);
}

Bus::~Bus()
{
    bus = nullptr;
}

void Bus::every(uint64_t us, uint64_t from, uint64_t until, std::function<void()> fn)
{
    at(from, [this, us, from, until, fn] {
        fn();
        if (from + us < until)
            every(us, from + us, until, fn);
    });
}

void Bus::thread(std::function<void()> body, uint32_t c_us, uint32_t t_us)
{
    p.thread(std::move(body), c_us, t_us);
}

void Bus::run(uint64_t until)
{
    if (!started_)
        p.thread([] { usb_devices_thread(nullptr); }, 500, 50000);
    started_ = true;
    ASSERT_NE(p.run(until), SIM_HALT) << sim_fatal_line();
}

void Bus::drive(std::function<void()> body, uint64_t until)
{
    bool finished = false;
    thread([this, body, &finished] {
        while (!device())
            takt_sleep(10000);
        body();
        finished = true;
        takt_thread_exit();
    });
    run(until);
    EXPECT_TRUE(finished);
}

struct usb_device *Bus::device(size_t n)
{
    for (auto &d : usb_devices)
        if (d.state == USB_HERE && n-- == 0)
            return &d;
    return nullptr;
}

Bytes counting(size_t n, uint8_t from)
{
    Bytes data(n);
    for (size_t i = 0; i < n; i++)
        data[i] = static_cast<uint8_t>(from + i * 7 + i / 256);
    return data;
}
