/*
 * A Kvaser in a fake USB port, and the driver's threads.
 */
#pragma once

#include "usb_fake.h"

#include <cstring>
#include <gtest/gtest.h>
#include <takt/can.h>
#include <takt/time.h>

extern "C" {
#include <can/adapter.h>
}

extern struct takt_endpoint in_end, out_end;
extern struct takt_can_adapter kvaser;

enum { SECOND = 1000000, RX_C = 2000, RX_T = 8000 };

class Hydra : public testing::Test {
public:
    Hydra() : usb(p)
    {
        if (kvaser.state != nullptr)
            memset(static_cast<void *>(kvaser.state), 0, sizeof *kvaser.state);
        kvaser.state = nullptr;
        in_end.driver = out_end.driver = &kvaser;
        in_end.pipes = out_end.pipes = nullptr;
        core = usb.device(USBCAN_HYDRA);
        p.thread([] { can_receive(&kvaser); }, RX_C, RX_T);
    }

    /* Runs `body` beside the driver, as the program's last thread but the host's. */
    void run(std::function<void()> body, uint64_t until)
    {
        p.thread([] { can_send(&kvaser); }, 1000, 8000);
        p.thread(body);
        p.thread([this] { usb.host_thread(); });
        ASSERT_EQ(p.run(until), SIM_TIME) << sim_fatal_line();
    }

    /* All frames of a channel until the time, in the order of their numbers. */
    uint32_t drain(uint8_t channel, uint64_t until)
    {
        struct takt_can_frame frame;
        uint32_t got = 0;
        while (sim_now() < until) {
            uint32_t left = static_cast<uint32_t>(until - sim_now());
            if (takt_can_wait(&kvaser, channel, left) != TAKT_OK)
                break;
            while (takt_can_read(&kvaser, channel, &frame) == TAKT_OK) {
                uint32_t number = frame.data[0] | frame.data[1] << 8;
                if (got > 0)
                    in_order = in_order && number == last + 1;
                last = number;
                got++;
                uint32_t truth_us = frame.data[4] | frame.data[5] << 8 | frame.data[6] << 16 |
                                    static_cast<uint32_t>(frame.data[7]) << 24;
                uint32_t error = truth_us - frame.at;
                late = error > late ? error : late;
                frames.push_back(frame);
            }
        }
        return got;
    }

    struct takt_can_counters counted(uint8_t channel)
    {
        struct takt_can_counters counters;
        EXPECT_EQ(takt_can_count(&kvaser, channel, &counters), TAKT_OK);
        return counters;
    }

    struct takt_can_adapter_counters counted()
    {
        struct takt_can_adapter_counters counters;
        takt_can_adapter_count(&kvaser, &counters);
        return counters;
    }

    Program p;
    FakeUsb usb;
    struct usbcan *core;
    std::vector<struct takt_can_frame> frames;
    bool in_order = true;
    uint32_t last = 0, late = 0;
};

inline void wait_until_there()
{
    while (takt_can_channels(&kvaser) == 0)
        takt_sleep(1000);
}
