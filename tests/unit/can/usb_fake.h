/*
 * A USB host in virtual time, with adapters of platform/usbcan plugged into it: drivers/usb/host.h
 * as class drivers see it. Data move as soon as both sides have them, as on a bus; transfers end in a
 * bottom half that looks once a millisecond.
 */
#pragma once

#include "program.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

extern "C" {
#include <usb/host.h>
#include <usbcan.h>
}

using Fault = struct usbcan_fault;

class FakeUsb {
public:
    /* Its bottom half becomes the program's first thread: before all others. */
    explicit FakeUsb(Program &program);
    ~FakeUsb();

    /* An adapter; not plugged in yet. */
    struct usbcan *device(uint32_t kind, std::function<void(usbcan_settings &)> set = {});

    /* The host's thread, its last: plugs in and pulls out when told, calls drivers. */
    void host_thread();
    void plug_at(uint64_t us, struct usbcan *device, uint8_t port = 1);
    void pull_at(uint64_t us, struct usbcan *device);

    /* What attach() of the last device returned; 1 before. */
    int attached = 1;
    int released = 0;
    uint32_t submitted = 0;

    struct Plugged {
        struct usbcan *core;
        struct usb_device device;
        struct usb_endpoint in, out;
        const struct usb_driver *driver;
        std::deque<struct usb_transfer *> queues[3]; /* control, in, out */
    };
    Plugged *find(const struct usb_endpoint *endpoint);
    int submit(struct usb_transfer *transfer);
    void cancel(struct usb_transfer *transfer);
    int clear_halt(struct usb_endpoint *endpoint);

private:
    struct Order {
        uint64_t at;
        struct usbcan *core;
        bool plug;
        uint8_t port;
    };
    void tick();
    void move(Plugged &plugged);
    void end(struct usb_transfer *transfer, int result);
    void service();
    void plug(const Order &order);
    void pull(const Order &order);
    Program &program_;
    std::vector<std::vector<uint64_t>> memory_;
    std::vector<std::unique_ptr<Plugged>> plugged_;
    std::deque<struct usb_transfer *> ended_;
    std::deque<Order> orders_;
    struct takt_sem order_;
};

/* The one there is. */
extern FakeUsb *fake_usb;

/* Plain traffic on a channel: a frame each `us`. */
void traffic(struct usbcan *device, uint32_t channel, uint32_t us, uint32_t id = 0x100,
             uint32_t flags = 0, uint64_t count = 0);
struct usbcan_channel_counters truth(struct usbcan *device, uint32_t channel);
