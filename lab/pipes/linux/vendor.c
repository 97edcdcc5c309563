/*
 * The way of the device's vendor, as the paper describes its driver (section IV-A): one thread
 * that reads USB, synchronously and 4096 bytes at a time, under SCHED_DEADLINE with 2 ms in every
 * 14, and sorts what it read into a buffer for each channel. It stands here as a thread with
 * usbfs, on the same host controller driver of the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/usbdevice_fs.h>

#include "lab.h"

#define RX_BUDGET_US 2000
#define RX_PERIOD_US 14000
#define READ_BYTES   4096
#define IN           0x82
#define OUT          0x02
#define RING         1024u /* frames; a power of two */
#define TRIES        200
#define TRY_US       10000
#define ANSWER_MS    1000
#define NODE         "/dev/bus/usb/001/002"

enum command {
    SET_BUS = 16,
    START = 26,
    STOP = 28,
    MAP = 200,
    MAPPED = 201,
    DETAILS = 202,
    DETAILED = 203,
    EXTENDED = 255,
    RECEIVED = 226, /* of the extended ones */
};

struct message {
    uint8_t command, address; /* destination: bits 0-5 */
    uint16_t number;
    uint8_t payload[28];
};

struct received {
    uint8_t command, address;
    uint16_t number;
    uint16_t length; /* of the whole message */
    uint8_t extended, reserved;
    uint32_t flags, id, kcan_id, kcan_header;
    uint8_t stamp[8], data[8];
};

/* One writer, the RX thread; one reader. */
struct ring {
    struct can frame[RING];
    atomic_uint written, read;
    sem_t filled;
};

static const uint32_t bitrate[LAB_CHANNELS] = {500000, 250000, 500000, 500000, 500000};
static struct ring rings[LAB_CHANNELS];
static uint8_t address[LAB_CHANNELS];
static int device;
static atomic_bool reading = true;

static int transfer(unsigned endpoint, void *data, unsigned size, unsigned timeout_ms)
{
    struct usbdevfs_bulktransfer bulk = {endpoint, size, timeout_ms, data};
    return ioctl(device, USBDEVFS_BULK, &bulk);
}

static void give(const struct message *message)
{
    struct message copy = *message;

    if (transfer(OUT, &copy, sizeof copy, ANSWER_MS) != sizeof copy)
        fail("command to the device");
}

/* Gives a message and waits for its answer; what else arrives is not for anybody yet. */
static struct message answered(const struct message *message, uint8_t answer)
{
    uint8_t data[READ_BYTES];
    struct message got;

    give(message);
    for (;;) {
        int size = transfer(IN, data, sizeof data, ANSWER_MS);
        if (size < 0)
            fail("answer of the device");
        for (int at = 0; at + (int)sizeof got <= size; at += (int)sizeof got) {
            memcpy(&got, data + at, sizeof got);
            if (got.command == answer)
                return got;
        }
    }
}

static void map(unsigned channel)
{
    struct message ask = {.command = MAP, .number = (uint16_t)(0x40 + channel)};

    memcpy(ask.payload, "CAN", 3);
    ask.payload[16] = (uint8_t)channel;
    address[channel] = answered(&ask, MAPPED).payload[0];
}

static void set_bus(unsigned channel)
{
    struct message ask = {.command = SET_BUS, .address = address[channel]};
    const uint8_t segments[4] = {13, 2, 1, 1};

    memcpy(ask.payload, &bitrate[channel], 4);
    memcpy(ask.payload + 4, segments, sizeof segments);
    give(&ask);
}

static void open_device(void)
{
    struct message details = {.command = DETAILS, .payload = {1}}; /* extended messages, please */
    unsigned interface = 0;

    for (int tries = 0; tries < TRIES; tries++) {
        device = open(NODE, O_RDWR | O_CLOEXEC);
        if (device >= 0)
            break;
        usleep(TRY_US);
    }
    if (device < 0 || ioctl(device, USBDEVFS_CLAIMINTERFACE, &interface) != 0)
        fail(NODE);
    answered(&details, DETAILED);
    for (unsigned at = 0; at < LAB_CHANNELS; at++) {
        sem_init(&rings[at].filled, 0, 0);
        map(at);
        set_bus(at);
    }
    errno = 0;
}

/* Into its channel's ring; the oldest stay if the reader is that late. */
static void sort(const struct received *got)
{
    uint8_t source = (uint8_t)((got->address & 0xc0) >> 2 | got->number >> 12);
    unsigned channel = 0;

    while (channel < LAB_CHANNELS && address[channel] != source)
        channel++;
    if (channel == LAB_CHANNELS)
        return;
    struct ring *ring = &rings[channel];
    unsigned at = atomic_load_explicit(&ring->written, memory_order_relaxed);
    if (at - atomic_load_explicit(&ring->read, memory_order_acquire) == RING)
        return;
    struct can *frame = &ring->frame[at % RING];
    frame->id = got->id;
    frame->length = (uint8_t)(got->kcan_header >> 8 & 15);
    memcpy(frame->data, got->data, sizeof frame->data);
    atomic_store_explicit(&ring->written, at + 1, memory_order_release);
    sem_post(&ring->filled);
}

static void parse(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at + sizeof(struct message) <= size;) {
        struct received got;
        size_t length = sizeof(struct message);

        if (data[at] == EXTENDED && at + sizeof got <= size) {
            memcpy(&got, data + at, sizeof got);
            if (got.length > length)
                length = got.length;
            if (got.extended == RECEIVED)
                sort(&got);
        }
        at += length;
    }
}

static void *receive_all(void *unused)
{
    static uint8_t data[READ_BYTES];

    deadline(RX_BUDGET_US, RX_PERIOD_US);
    while (atomic_load(&reading)) {
        int size = transfer(IN, data, sizeof data, ANSWER_MS);
        if (size > 0)
            parse(data, (size_t)size);
    }
    return unused;
}

static void command_all(uint8_t command)
{
    for (unsigned at = 0; at < LAB_CHANNELS; at++) {
        struct message ask = {.command = command, .address = address[at]};
        if (settings.readers >> at & 1)
            give(&ask);
    }
}

static void start_all(void)
{
    thread(receive_all, NULL);
    command_all(START);
}

static void stop_all(void)
{
    command_all(STOP);
    atomic_store(&reading, false);
}

static bool receive(unsigned channel, struct can *frame)
{
    struct ring *ring = &rings[channel];
    unsigned at = atomic_load_explicit(&ring->read, memory_order_relaxed);

    while (sem_wait(&ring->filled) != 0)
        if (errno != EINTR)
            return false;
    *frame = ring->frame[at % RING];
    atomic_store_explicit(&ring->read, at + 1, memory_order_release);
    return true;
}

static bool send_one(unsigned channel, const struct can *frame)
{
    (void)channel, (void)frame;
    fail("the vendor's way is for input only");
}

const struct way vendor = {open_device, start_all, stop_all, receive, send_one};
