/*
 * What hangs on a PC, as its firmware has left it: each device that can be served is told by name.
 */
#include <stdio.h>

#include <takt/console.h>
#include <takt/thread.h>
#include <takt/time.h>

#include "../../../drivers/usb/host.h"
#include "test_driver.h"

TAKT_TELLS_FATAL;

static bool any(const struct usb_device *device, const struct usb_interface *interface)
{
    (void)interface;
    return device->class_code == 0;
}

static int attach(struct usb_device *device, struct usb_interface *interface)
{
    char line[64];
    (void)interface;
    (void)snprintf(line, sizeof line, "device %04x:%04x\r\n", device->vendor, device->product);
    for (const char *c = line; *c; c++)
        board_console_put(*c);
    return TAKT_OK;
}

static void thread(void *arg)
{
    (void)arg;
    for (;;)
        (void)takt_sleep(1000000 + usb_counters.attached);
}

TAKT_THREAD(tester, 1, thread, 0, 4096)

int main(void)
{
    takt_start();
}
