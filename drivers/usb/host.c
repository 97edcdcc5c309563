/*
 * The host of a program: its threads, linked with whoever calls it.
 */
#include "core.h"

#include <takt/vcpu.h>

/* Of the bottom half: 1 % (Golchin, Cheng and West 2018, IV). */
TAKT_IO_THREAD(usb, 1, 100, usb_bottom_half, NULL, 8192);

/* Enumerates: some hundred short calls for each device, in half a second. */
TAKT_BUDGET_THREAD(usb_devices, 500, 50000, usb_devices_thread, NULL, 16384);

struct usb_host usb_host = {.io = &takt_io_usb};
