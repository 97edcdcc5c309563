/*
 * The host of a program: its threads, linked with code that calls it.
 */
#include "core.h"

#include <takt/vcpu.h>

/*
 * Of the bottom half: 1 % (Golchin, Cheng and West 2018, IV). In examples/can-concentrator, 5700
 * frames a second, it runs 200 times a second for 5.7 us of QEMU's (2900 instructions; at most 7
 * us) and its top half for 0.6 us: 0.13 % of the CPU. Admission reckons with 33 us at each of 1000
 * services a second, 18 of them for switches and alarms; where a share has less than that at each
 * (3.3 %), it has a pipe wait until the budget is back. So a larger share (struct takt_io_share;
 * sketches: usbShare()) buys a longer period of the thread behind it: docs/boards/pc.md.
 */
TAKT_IO_THREAD(usb, 1, 100, usb_bottom_half, NULL, 8192);

/* Enumerates: some hundred short calls for each device, in half a second. */
TAKT_BUDGET_THREAD(usb_devices, 500, 50000, usb_devices_thread, NULL, 16384);

/* One control transfer or change of a port at a time. */
TAKT_IO_CLIENT(usb_devices, &takt_thread_usb, &takt_thread_usb_devices, 5000);

struct usb_host usb_host = {.io = &takt_io_usb};
