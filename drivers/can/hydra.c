/*
 * Kvaser USBcan Pro 5xHS and what speaks its protocol: what it is asked when it comes, and how
 * channels get on the bus. See hydra.h.
 */
#include "hydra.h"

#include <string.h>

enum {
    VENDOR = 0x0BFD,
    USBCAN_PRO_5XHS = 0x0105,
    MAP_TRANSID = 0x40,    /* and the channel */
    SYSTEM_TRANSID = 0x61,
    FIRST_TRANSID = 0x100, /* of questions */
    LAST_TRANSID = 0xEFF,
    TRIES = 2,
    IS_80_MHZ = 1 << 5,
    IS_EXTENDED = 1 << 9,
    NORMAL = 1,
    SILENT = 2,
    CARD_CHANNELS_AT = 24, /* in payloads */
    SOFTWARE_WINDOW_AT = 8,
};

/* Its controllers' bit timing. */
static const struct can_bounds bounds = {80000000, 1, 255, 1, 32, 16, 1, 4096};

static uint16_t next_transid(struct can_state *s)
{
    s->transid = s->transid < FIRST_TRANSID || s->transid >= LAST_TRANSID
                     ? FIRST_TRANSID
                     : (uint16_t)(s->transid + 1u);
    return s->transid;
}

/* Once more when no answer comes: a late one is not taken for the second's. `transid` 0: any. */
static int try(struct can_state *s, uint8_t number, uint8_t answer, uint8_t to, uint16_t transid)
{
    int result = TAKT_ETIMEOUT;

    for (uint32_t i = 0; i < TRIES && result == TAKT_ETIMEOUT; i++) {
        uint16_t own = transid != 0 ? transid : next_transid(s);
        hydra_header(s->question.data, number, to, own);
        result = can_ask(s, answer, 0, own);
    }
    return result;
}

/* Asks `to` with a payload, and gives the answer's, both of 28 bytes, or NULL. */
static int ask(struct can_state *s, uint8_t number, uint8_t answer, uint8_t to, uint16_t transid,
               const uint8_t *payload, uint8_t *told)
{
    struct can_question *q = &s->question;

    (void)takt_sem_wait(&q->turn);
    memset(q->data, 0, sizeof q->data);
    if (payload != NULL) {
        memcpy(q->data + HYDRA_PAYLOAD, payload, HYDRA_BYTES - HYDRA_PAYLOAD);
    }
    int result = try(s, number, answer, to, transid);
    if (result == TAKT_OK && told != NULL) {
        memcpy(told, q->answer + HYDRA_PAYLOAD, HYDRA_BYTES - HYDRA_PAYLOAD);
    }
    (void)takt_sem_signal(&q->turn);
    return result;
}

static int map(struct can_state *s, const char *name, uint32_t channel, uint16_t transid,
               uint8_t *address)
{
    uint8_t payload[HYDRA_BYTES - HYDRA_PAYLOAD] = {0}, told[sizeof payload];

    memcpy(payload, name, strlen(name));
    payload[16] = (uint8_t)channel;
    int result = ask(s, HYDRA_MAP, HYDRA_MAPPED, HYDRA_ANYBODY, transid, payload, told);
    *address = told[0] & 0x3F;
    return result;
}

static int find_channels(struct can_state *s)
{
    uint8_t told[HYDRA_BYTES - HYDRA_PAYLOAD];
    int result = ask(s, HYDRA_GET_CARD, HYDRA_CARD, HYDRA_ANYBODY, 0, NULL, told);

    if (result != TAKT_OK) {
        return result;
    }
    uint8_t count = told[CARD_CHANNELS_AT];
    s->channel_count = count < TAKT_CAN_CHANNELS ? count : TAKT_CAN_CHANNELS;
    for (uint8_t i = 0; result == TAKT_OK && i < s->channel_count; i++) {
        result = map(s, "CAN", i, (uint16_t)(MAP_TRANSID + i), &s->addresses[i]);
        if (result == TAKT_OK && s->addresses[i] == HYDRA_ANYBODY) {
            s->channel_count = i;
        }
    }
    if (result == TAKT_OK) {
        result = map(s, "SYSDBG", 0, SYSTEM_TRANSID, &s->addresses[HYDRA_SYSTEM]);
    }
    return result == TAKT_OK && s->channel_count == 0 ? (int)TAKT_EINVAL : result;
}

static int find_abilities(struct can_state *s)
{
    uint8_t payload[HYDRA_BYTES - HYDRA_PAYLOAD] = {1}; /* we know extended commands */
    uint8_t told[sizeof payload];
    int result = ask(s, HYDRA_GET_SOFTWARE, HYDRA_SOFTWARE, HYDRA_ANYBODY, 0, NULL, told);

    if (result != TAKT_OK) {
        return result;
    }
    uint32_t window = can_get16(told + SOFTWARE_WINDOW_AT);
    s->window = (uint16_t)(window == 0 ? 1 : window < CAN_WINDOW ? window : CAN_WINDOW);
    result = ask(s, HYDRA_GET_DETAILS, HYDRA_DETAILS, HYDRA_ANYBODY, 0, payload, told);
    if (result == TAKT_OK) {
        uint32_t flags = can_get32(told);
        s->ticks_per_us = (flags & IS_80_MHZ) != 0 ? 80 : 24;
        s->extended = (flags & IS_EXTENDED) != 0;
    }
    return result;
}

static int begin(struct can_state *s)
{
    memset(s->addresses, HYDRA_ANYBODY, sizeof s->addresses);
    s->part_bytes = 0;
    s->channel_count = 0;
    s->ticks_per_us = 80;
    int result = find_channels(s);
    return result == TAKT_OK ? find_abilities(s) : result;
}

static int tell_channel(struct can_state *s, uint8_t channel, uint8_t number, uint8_t answer)
{
    return ask(s, number, answer, s->addresses[channel], 0, NULL, NULL);
}

/* Off the bus, its queue empty. */
static int stop(struct can_state *s, uint8_t channel)
{
    int result = tell_channel(s, channel, HYDRA_STOP, HYDRA_STOPPED);

    return result == TAKT_OK ? tell_channel(s, channel, HYDRA_FLUSH, HYDRA_FLUSHED) : result;
}

/* Sets what is to be read back the same. */
static int set_rate(struct can_state *s, uint8_t channel, uint32_t bit_rate)
{
    uint8_t payload[HYDRA_BYTES - HYDRA_PAYLOAD] = {0}, told[sizeof payload];
    struct can_timing timing;
    int result = can_timing(&bounds, bit_rate, &timing);

    if (result != TAKT_OK) {
        return result;
    }
    can_put32(payload, bit_rate);
    payload[4] = (uint8_t)timing.before;
    payload[5] = (uint8_t)timing.after;
    payload[6] = (uint8_t)timing.jump;
    payload[7] = 1; /* samples */
    uint8_t to = s->addresses[channel];
    result = ask(s, HYDRA_SET_BUS, HYDRA_BUS_SET, to, 0, payload, NULL);
    if (result == TAKT_OK) {
        result = ask(s, HYDRA_GET_BUS, HYDRA_BUS, to, 0, NULL, told);
    }
    return result == TAKT_OK && memcmp(payload, told, 8) != 0 ? (int)TAKT_EREFUSED : result;
}

static int start(struct can_state *s, uint8_t channel, uint32_t bit_rate, uint8_t mode)
{
    uint8_t payload[HYDRA_BYTES - HYDRA_PAYLOAD] = {NORMAL};
    int result = stop(s, channel);

    if (result == TAKT_OK) {
        result = set_rate(s, channel, bit_rate);
    }
    if ((mode & TAKT_CAN_LISTEN_ONLY) != 0) {
        payload[0] = SILENT;
    }
    if (result == TAKT_OK) {
        result = ask(s, HYDRA_SET_MODE, 0, s->addresses[channel], 0, payload, NULL);
    }
    return result == TAKT_OK ? tell_channel(s, channel, HYDRA_START, HYDRA_STARTED) : result;
}

static int ask_clock(struct can_state *s)
{
    struct can_clock *clock = &s->clock;

    memset(clock->data, 0, sizeof clock->data);
    hydra_header(clock->data, HYDRA_READ_CLOCK, HYDRA_ANYBODY,
                 (uint16_t)(HYDRA_CLOCK_TRANSID + clock->number));
    clock->transfer = (struct usb_transfer){
        .endpoint = s->out, .data = clock->data, .length = HYDRA_BYTES};
    return usb_submit(&clock->transfer);
}

static bool matches(const struct usb_device *device, const struct usb_interface *interface)
{
    return device->vendor == VENDOR && device->product == USBCAN_PRO_5XHS &&
           interface->number == 0;
}

static int attach(struct usb_device *device, struct usb_interface *interface)
{
    return can_attach(&can_hydra, device, interface);
}

const struct can_kind can_hydra = {
    .name = "hydra",
    .read_bytes = CAN_READ_BYTES,
    .reads = 1,
    .write_frames = CAN_WRITE_BYTES / 40,
    .begin = begin,
    .start = start,
    .stop = stop,
    .parse = hydra_parse,
    .encode = hydra_encode,
    .ask_clock = ask_clock,
};

static const struct usb_driver driver = {"kvaser", matches, attach, can_detach};
USB_DRIVER(driver);
