/*
 * The Takt guest: what linux/ does, with pipes. Its cases are settings from outside: HOGS, READERS
 * and WRITERS (masks of channels), SECONDS, START_MS; period of the thread that receives; what is
 * asked of pipes, their frames per second by channel.
 */
#include <stdarg.h>
#include <stdio.h>

static void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define LAB_PRINT print

#include <takt/can.h>
#include <takt/console.h>
#include <takt/pipe.h>
#include <takt/thread.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "../guest.h"

#ifndef HOGS
#define HOGS     3
#define READERS  31
#define WRITERS  0
#define SECONDS  2
#define START_MS 3000
#define FPS_0    398
#define FPS_1    334
#define FPS_2    1191
#define FPS_3    1334
#define FPS_4    2752
#endif
#ifndef USB_PER_CENT
#define USB_PER_CENT 1
#endif
#ifndef RX_PERIOD_US
#define RX_BUDGET_US 250
#define RX_PERIOD_US 2000
#define SLOTS        48
#define TEXEC_NS     50000u
#define LATENCY_NS   11000000u
#endif

#define MANY          4
#define HOG_BUDGET_US 1000
#define HOG_PERIOD_US 7000
#define STACK         8192
/* Of output: as the paper asks; a full buffer takes its 42 ms to leave. */
#define OUT_SLOTS      128
#define OUT_TEXEC_NS   500000u
#define OUT_LATENCY_NS 1000000000u
#define BITS          512u /* of a frame's message */
#define START_NS      (START_MS * 1000000ull)
#define END_NS        (START_NS + SECONDS * 1000000000ull)
#define SETTLE_NS     500000000ull

static const uint32_t bitrate[LAB_CHANNELS] = {500000, 250000, 500000, 500000, 500000};
static struct tally tallies[LAB_CHANNELS];
static uint32_t sent[LAB_CHANNELS];
static uint64_t counts[LAB_HOGS];
static uint64_t frame_ns = UINT32_MAX; /* that a job without interruption takes for each of MANY */

#if READERS | WRITERS
TAKT_CAN_ADAPTER(kvaser, hydra, RX_BUDGET_US, RX_PERIOD_US);

/* Of USB's bottom half: its default, 1 %, is less than admission reckons it may take. */
extern struct takt_io_vcpu takt_io_usb;
static const struct takt_io_share usb_share TAKT_IO_SHARE_SECTION = {
    &takt_io_usb, 1000 * USB_PER_CENT, 100000};
#endif
#if WRITERS
TAKT_CAN_SENDER(kvaser, hydra, RX_BUDGET_US, RX_PERIOD_US);
#endif

static void print(const char *format, ...)
{
    char text[128];
    va_list rest;

    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    for (const char *at = text; *at; at++)
        board_console_put(*at);
}

static void sleep_until(uint64_t ns)
{
    for (uint64_t now = lab_ns(); now < ns; now = lab_ns())
        takt_sleep((uint32_t)((ns - now) / 1000 + 1));
}

/* A pipe's job: all frames that are there. */
static void *read_frames(void *channel)
{
    struct tally *tally = &tallies[(uintptr_t)channel];
    struct takt_can_frame frame;
    uint64_t begun = lab_ns();
    uint32_t frames = 0;

    for (; takt_pipe_read(takt_pipe_self(), &frame) == TAKT_OK; frames++)
        tally_frame(tally, frame.data, lab_ns());
    if (frames >= MANY && (lab_ns() - begun) / frames < frame_ns)
        frame_ns = (lab_ns() - begun) / frames;
    return NULL;
}

/* A pipe's job: as many frames as there is room for, while it is time. */
static void *write_frames(void *channel)
{
    uint32_t *number = &sent[(uintptr_t)channel];
    uint64_t now = lab_ns();
    struct takt_can_frame frame = {.id = 0x100u + (uint32_t)(uintptr_t)channel, .length = 8};

    if (now < START_NS || now >= END_NS)
        return NULL;
    for (;; (*number)++) {
        uint32_t made = (uint32_t)(lab_ns() / 1000);
        __builtin_memcpy(frame.data, number, 4);
        __builtin_memcpy(frame.data + 4, &made, 4);
        if (takt_pipe_write(takt_pipe_self(), &frame) != TAKT_OK)
            return NULL;
    }
}

/* Bits in the latency. */
#define ASKED(fps) (((fps) * BITS * (uint64_t)LATENCY_NS + 999999999u) / 1000000000u)

#define READER(channel, fps)                                                                       \
    TAKT_PIPE(in##channel, kvaser_in, kvaser_in_attrs, channel, sizeof(struct takt_can_frame),     \
              BITS, SLOTS, ASKED(fps), LATENCY_NS, TEXEC_NS, CAN_IN_DELAY_US_(RX_PERIOD_US),     \
              read_frames, (void *)channel, STACK)
#define WRITER(channel, fps)                                                                       \
    TAKT_PIPE(out##channel, kvaser_out, kvaser_out_attrs, channel, sizeof(struct takt_can_frame),  \
              BITS, OUT_SLOTS, (fps) * BITS, OUT_LATENCY_NS, OUT_TEXEC_NS,                         \
              CAN_OUT_DELAY_US_(RX_PERIOD_US),                                                     \
              write_frames, (void *)channel, STACK)

#if READERS & 1
READER(0, FPS_0);
#endif
#if READERS & 2
READER(1, FPS_1);
#endif
#if READERS & 4
READER(2, FPS_2);
#endif
#if READERS & 8
READER(3, FPS_3);
#elif WRITERS & 8
WRITER(3, FPS_3);
#endif
#if READERS & 16
READER(4, FPS_4);
#elif WRITERS & 16
WRITER(4, FPS_4);
#endif

/* Its budget and no more: no spare time of others. */
static void count(void *hog)
{
    struct takt_vcpu *own = takt_thread_at(takt_self())->vcpu;

    own->flags |= TAKT_NO_BACKGROUND;
    sleep_until(START_NS);
    lab_spin(END_NS, &counts[(uintptr_t)hog]);
    for (;;)
        takt_sleep_ms(1000);
}

#if HOGS >= 1
TAKT_BUDGET_THREAD(hog0, HOG_BUDGET_US, HOG_PERIOD_US, count, (void *)0, STACK);
#endif
#if HOGS >= 2
TAKT_BUDGET_THREAD(hog1, HOG_BUDGET_US, HOG_PERIOD_US, count, (void *)1, STACK);
#endif
#if HOGS >= 3
TAKT_BUDGET_THREAD(hog2, HOG_BUDGET_US, HOG_PERIOD_US, count, (void *)2, STACK);
#endif

/* Ends QEMU as ACPI does on its q35. */
static void off(void)
{
    __asm__ volatile("outw %0, %1" : : "a"((uint16_t)0x2000), "Nd"((uint16_t)0x604));
}

static void tell(void)
{
    for (unsigned channel = 0; channel < LAB_CHANNELS; channel++) {
        if (READERS >> channel & 1)
            tally_print(&tallies[channel], channel, SECONDS);
        if (WRITERS >> channel & 1)
            print("@ writer %u %u 0\n", channel, sent[channel]);
    }
    if (READERS)
        print("@ fact frame_ns %u\n", (unsigned)frame_ns);
    for (int hog = 0; hog < HOGS; hog++)
        print("@ hog %d %llu\n", hog, (unsigned long long)counts[hog]);
    print("@ end\n");
}

static void open_channel(unsigned channel)
{
#if READERS | WRITERS
    while (takt_can_channels(&kvaser) == 0)
        takt_sleep_ms(10);
    if (((READERS | WRITERS) >> channel & 1) == 0)
        return;
    int opened = takt_can_open(&kvaser, (uint8_t)channel, bitrate[channel], 0);
    if (opened != TAKT_OK)
        print("@ failed channel %u: %d\n", channel, opened);
#else
    (void)channel;
#endif
}

static void lead(void *unused)
{
    (void)unused;
    for (unsigned channel = 0; channel < LAB_CHANNELS; channel++) {
        tallies[channel].start = START_NS;
        open_channel(channel);
    }
    if (lab_ns() + SETTLE_NS > START_NS)
        print("@ failed too slow to be ready at the start\n");
    sleep_until(END_NS + SETTLE_NS);
    tell();
    off();
}

TAKT_BUDGET_THREAD(lead, 5000, 500000, lead, 0, STACK);

int main(void)
{
    takt_start();
}
