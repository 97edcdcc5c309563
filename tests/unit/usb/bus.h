/*
 * A machine with the model and the driver: its host's threads, class drivers' threads as lambdas,
 * in virtual time.
 */
#pragma once

#include "controller.h"
#include "program.h"

extern "C" {
#include "core.h"
#include "xhci/xhci.h"
}

#include <gtest/gtest.h>

class Bus : public testing::Test {
public:
    explicit Bus(int context_bytes = 32, int scratchpads = 0, bool interrupts = true);
    ~Bus() override;
    void TearDown() override;

    /* A class driver's or another thread; before the first run(). 4: its place is behind the
     * bottom half and whoever has a shorter period. */
    void thread(std::function<void()> body, uint32_t c = 1000, uint32_t t = 20000);
    void at(uint64_t us, std::function<void()> fn) { interrupt_at(us, std::move(fn)); }
    void every(uint64_t us, uint64_t from, uint64_t until, std::function<void()> fn);
    void run(uint64_t until);

    /* A class driver that does this once, with the device there. */
    void drive(std::function<void()> body, uint64_t until = 5000000);
    /* Puts transfers of `length` bytes each on their way, all to the same data. */
    template <size_t N>
    void submit_all(struct usb_transfer (&transfers)[N], uint8_t address, void *data,
                    uint32_t length, void (*done)(struct usb_transfer *))
    {
        for (auto &each : transfers) {
            each = {};
            each.endpoint = find(address);
            each.data = data;
            each.length = length;
            each.done = done;
            ASSERT_EQ(usb_submit(&each), TAKT_OK);
        }
    }

    /* The nth device that has come and not gone. */
    struct usb_device *device(size_t n = 0);
    struct usb_endpoint *find(uint8_t address) { return usb_endpoint_at(device(), address); }

    Program p{0u - 2000000u}; /* clocks wrap in all tests that take longer than 2 s */
    Controller c;
    Gadget gadget;

    std::string said; /* on the console */

    /* The class driver: takes what it is offered, unless `wants` says no. */
    std::function<bool(struct usb_device *)> wants;
    std::function<void(struct usb_device *)> attached, detached;
    int attaches = 0, detaches = 0;
    bool keeps = false; /* does not release by itself */

private:
    bool started_ = false;
};

Bytes counting(size_t n, uint8_t from = 0);
