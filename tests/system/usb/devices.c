/*
 * QEMU's own USB devices: a disk (bulk both ways, on its own and in the middle of other things), a
 * tablet that says nothing (interrupt transfers that are taken back), headphones (isochronous).
 * PARTS says how many of them there are; a hub may be in between.
 */
#include <string.h>

#include <takt/port.h>
#include <takt/time.h>
#include <usb/host.h>

#include "check.h"
#include "test_driver.h"

#define TIMEOUT_US 20000000u /* the host reads its file when it likes */

enum { BLOCK = 512, READS = 4, CLASS_AUDIO = 1, CLASS_HID = 3, CLASS_DISK = 8 };

static struct usb_device *volatile disk, *volatile tablet, *volatile audio;
volatile uint32_t found, through; /* devices; those that have been tried */

static bool any(const struct usb_device *device, const struct usb_interface *interface)
{
    (void)device;
    return interface->class_code == CLASS_DISK || interface->class_code == CLASS_HID ||
           (interface->class_code == CLASS_AUDIO && interface->subclass == 2);
}

static int attach(struct usb_device *device, struct usb_interface *interface)
{
    found++;
    if (interface->class_code == CLASS_DISK)
        disk = device;
    else if (interface->class_code == CLASS_HID)
        tablet = device;
    else
        audio = device;
    return TAKT_OK;
}

static struct usb_device *wait_for(struct usb_device *volatile *device)
{
    while (*device == NULL)
        (void)takt_sleep(10000);
    return *device;
}

/* Bulk-only transport (USB mass storage class). */
struct __attribute__((packed)) wrapper {
    uint32_t signature, tag, length;
    uint8_t flags, lun, command_length, command[16];
};

static struct takt_sem reading = TAKT_SEM_BINARY_INIT(0);
static volatile bool reads;

static uint8_t data[128 * BLOCK + 1], back[128 * BLOCK];

static int command(const uint8_t *bytes, uint8_t length, void *to, uint32_t n, bool in)
{
    static uint32_t tag;
    struct wrapper w = {0x43425355, ++tag, n, in ? 0x80 : 0, 0, length, {0}};
    uint8_t status[13];
    memcpy(w.command, bytes, length);
    struct usb_endpoint *out = usb_endpoint_of(disk, 0, USB_BULK, 0);
    struct usb_endpoint *from = usb_endpoint_of(disk, 0, USB_BULK, USB_IN);
    reads = true;
    (void)takt_sem_signal(&reading);
    CHECK(usb_move(out, &w, 31, TIMEOUT_US) == 31);
    int moved = n > 0 ? usb_move(in ? from : out, to, n, TIMEOUT_US) : 0;
    CHECK(usb_move(from, status, sizeof status, TIMEOUT_US) == sizeof status);
    reads = false;
    CHECK(memcmp(status + 4, &tag, sizeof tag) == 0);
    return status[12] == 0 ? moved : -100;
}

static int blocks(bool in, uint32_t first, uint16_t count, void *at)
{
    uint8_t bytes[10] = {in ? 0x28 : 0x2A, 0, (uint8_t)(first >> 24), (uint8_t)(first >> 16),
                         (uint8_t)(first >> 8), (uint8_t)first, 0, (uint8_t)(count >> 8),
                         (uint8_t)count, 0};
    return command(bytes, sizeof bytes, at, count * (uint32_t)BLOCK, in);
}

/* The image has its number in every word of a block. */
static bool right(const uint8_t *at, uint32_t block)
{
    for (size_t i = 0; i < BLOCK; i += 4)
        if (memcmp(at + i, &block, 4) != 0)
            return false;
    return true;
}

static void try_disk(void *arg)
{
    (void)arg;
    wait_for(&disk);
    uint8_t inquiry[6] = {0x12, 0, 0, 0, 36, 0}, strange[6] = {0xEE, 0, 0, 0, 0, 0};
    CHECK(command(inquiry, 6, data, 36, true) == 36);
    CHECK(memcmp(data + 8, "QEMU", 4) == 0);
    for (uint32_t first = 0; first < 128 * READS; first += 128) {
        CHECK(blocks(true, first, 128, data + 1) == 128 * BLOCK);
        for (uint32_t i = 0; i < 128; i++)
            CHECK(right(data + 1 + i * BLOCK, first + i));
    }
    for (uint32_t i = 0; i < READS; i++) {
        CHECK(blocks(true, i * 51, 1, back) == BLOCK);
        CHECK(right(back, i * 51));
    }
    for (size_t i = 0; i < sizeof back; i++)
        back[i] = (uint8_t)(i * 7 + i / 256);
    CHECK(blocks(false, 100, 128, back) == 128 * BLOCK);
    CHECK(blocks(true, 100, 128, data + 1) == 128 * BLOCK);
    CHECK(memcmp(back, data + 1, 128 * BLOCK) == 0);
    CHECK(command(strange, 6, data, 0, true) == -100);
    CHECK(usb_clear_halt(usb_endpoint_of(disk, 0, USB_BULK, 0)) == TAKT_OK);
    CHECK(usb_clear_halt(usb_endpoint_of(disk, 0, USB_BULK, USB_IN)) == TAKT_OK);
    CHECK(command(inquiry, 6, data, 36, true) == 36);
    through++;
}

static void try_tablet(void *arg)
{
    (void)arg;
    struct usb_endpoint *in = usb_endpoint_of(wait_for(&tablet), 0, USB_INTERRUPT, USB_IN);
    uint8_t report[8];
    for (int i = 0; i < 8; i++)
        CHECK(usb_move(in, report, sizeof report, 5000) == TAKT_ETIMEOUT);
    struct usb_setup strange = {0xC0, 99, 0, 0, 8};
    CHECK(usb_control(tablet, &strange, report, TIMEOUT_US) == TAKT_EREFUSED);
    through++;
}

static uint8_t sound[USB_PACKETS_MAX * 192];
volatile uint32_t packets_sent, packets_lost;

static void try_audio(void *arg)
{
    (void)arg;
    wait_for(&audio);
    struct usb_packet packets[USB_PACKETS_MAX];
    CHECK(usb_set_interface(audio, 1, 1) == TAKT_OK);
    struct usb_endpoint *out = usb_endpoint_of(audio, 1, USB_ISOCHRONOUS, 0);
    CHECK(out != NULL);
    takt_time_t began = takt_now();
    for (int i = 0; i < 4; i++) {
        for (size_t k = 0; k < USB_PACKETS_MAX; k++)
            packets[k] = (struct usb_packet){192, 0, 99};
        struct usb_transfer t = {.endpoint = out,
                                 .data = sound,
                                 .length = sizeof sound,
                                 .packets = packets,
                                 .packet_count = USB_PACKETS_MAX};
        CHECK(usb_submit(&t) == TAKT_OK);
        CHECK(usb_wait(&t, TIMEOUT_US) >= 0); /* it may have no room for all at once */
        for (size_t k = 0; k < USB_PACKETS_MAX; k++)
            packets[k].result == TAKT_OK ? packets_sent++ : packets_lost++;
    }
    CHECK(takt_now() - began > 4 * 12000); /* one in a millisecond */
    CHECK(usb_set_interface(audio, 1, 0) == TAKT_OK);
    through++;
}

static void end(void *arg)
{
    (void)arg;
    while (through < PARTS)
        (void)takt_sleep(1000);
    CHECK(usb_counters.strange == 0);
    CHECK(usb_counters.resets == 0);
    CHECK(usb_counters.failed == 0);
    done = 1;
    takt_thread_exit();
}

/* Time is instructions: while the host reads its file somebody computes, or it would pass. */
static void busy(void *arg)
{
    (void)arg;
    for (;;) {
        (void)takt_sem_wait(&reading);
        while (reads)
            __asm__ volatile("");
    }
}

TAKT_THREAD(disk_user, 1, try_disk, 0, 16384);
TAKT_THREAD(tablet_user, 2, try_tablet, 0, 16384);
TAKT_THREAD(audio_user, 3, try_audio, 0, 16384);
TAKT_THREAD(end, 4, end, 0, 16384);
TAKT_THREAD(busy, 5, busy, 0, 8192);

int main(void)
{
    takt_start();
}
