/* The commands of a Kvaser USBcan Pro 5xHS and its answers. */
#include <string.h>

#include "bytes.h"
#include "hydra.h"

static const uint8_t device_descriptor[18] = {
    18, 1, 0x00, 0x02, 0xff, 0, 0, 64, 0xfd, 0x0b, 0x05, 0x01, 0x00, 0x01, 1, 2, 3, 1,
};

static const uint8_t configuration[9 + 9 + 2 * 7] = {
    9, 2, sizeof configuration, 0, 1, 1, 0, 0x80, 250, /* bus-powered, 500 mA */
    9, 4, 0, 0, 2, 0xff, 0, 0, 0,
    7, 5, 0x82, 2, 0x00, 0x02, 0, /* bulk, 512 bytes */
    7, 5, 0x02, 2, 0x00, 0x02, 0,
};

static uint32_t sender(const uint8_t *command)
{
    return (uint32_t)(command[1] & 0xc0) >> 2 | get16(command + 2) >> 12;
}

/* An answer from the one who was asked; its payload, or NULL. */
static uint8_t *reply(struct usbcan *d, const uint8_t *command, uint32_t number)
{
    struct answer *a = answer_reply(d, COMMAND_BYTES);
    if (!a)
        return NULL;
    uint32_t asked = command[1] & 0x3f;
    hydra_header(a->bytes, number, asked == AT_NOBODY ? AT_ROUTER : asked, sender(command),
                 get16(command + 2));
    return a->bytes + HEADER_BYTES;
}

/* `why`: 1 no such channel, 9 a parameter out of its bounds. */
static void refuse(struct usbcan *d, const uint8_t *command, uint8_t why)
{
    uint8_t *p = reply(d, command, ERROR_EVENT);
    d->n.malformed++;
    if (p) {
        hydra_put_ticks(p, d->now, 6);
        p[7] = why;
        put16(p + 8, command[0]);
    }
}

static void map_channel(struct usbcan *d, const uint8_t *command)
{
    const char *name = (const char *)command + HEADER_BYTES;
    uint32_t channel = command[HEADER_BYTES + 16];
    uint8_t address = AT_NOBODY;
    if (strncmp(name, "CAN", 16) == 0 && channel < d->settings.channels)
        address = (uint8_t)(AT_CHANNEL + channel);
    else if (strncmp(name, "SYSDBG", 16) == 0)
        address = AT_SYSDBG;
    uint8_t *p = reply(d, command, CHANNEL_MAPPED);
    if (p) {
        p[0] = address;
        p[1] = (uint8_t)channel;
    }
}

static void card_info(struct usbcan *d, const uint8_t *command)
{
    uint8_t *p = reply(d, command, CARD_INFO);
    if (!p)
        return;
    put32(p, d->settings.serial);
    put32(p + 4, TICKS_PER_US);
    put32(p + 12, 0x30007630); /* the product's EAN, 73301 3000763 0 */
    put32(p + 16, 0x00073301);
    p[20] = 1; /* hardware version */
    p[24] = (uint8_t)d->settings.channels;
}

static void software_info(struct usbcan *d, const uint8_t *command)
{
    uint8_t *p = reply(d, command, SOFTWARE_INFO);
    if (p)
        put16(p + 8, USBCAN_QUEUE); /* frames under way */
}

static void software_details(struct usbcan *d, const uint8_t *command)
{
    for (uint32_t i = 0; i < d->settings.channels; i++)
        d->channels[i].extended = command[HEADER_BYTES] != 0;
    uint8_t *p = reply(d, command, SOFTWARE_DETAILS);
    if (!p)
        return;
    put32(p, 1 << 5 | 1 << 9 | 1 << 12); /* 80 MHz; extended commands; capabilities */
    put32(p + 4, 3 << 24 | 25 << 16);    /* version */
    put32(p + 12, 0x30007630);
    put32(p + 16, 0x00073301);
    put32(p + 20, 1000000); /* bits per second at most */
}

/* Listening only (2), bus errors reported (5), sending once (6): every channel can. */
static void capabilities(struct usbcan *d, const uint8_t *command)
{
    uint32_t asked = get16(command + HEADER_BYTES);
    bool known = asked == 2 || asked == 5 || asked == 6;
    uint8_t *p = reply(d, command, CAPABILITIES);
    if (!p)
        return;
    put16(p, asked);
    put16(p + 2, known ? 0 : 1);
    put32(p + 4, known ? (1u << d->settings.channels) - 1 : 0);
    put32(p + 8, known ? (1u << d->settings.channels) - 1 : 0);
}

static void read_clock(struct usbcan *d, const uint8_t *command)
{
    uint8_t *p = reply(d, command, CLOCK);
    if (p)
        hydra_put_ticks(p, d->now, 6);
}

static bool device_command(struct usbcan *d, const uint8_t *command)
{
    switch (command[0]) {
    case MAP_CHANNEL:
        map_channel(d, command);
        return true;
    case GET_CARD_INFO:
        card_info(d, command);
        return true;
    case GET_SOFTWARE_INFO:
        software_info(d, command);
        return true;
    case GET_SOFTWARE_DETAILS:
        software_details(d, command);
        return true;
    case GET_CAPABILITIES:
        capabilities(d, command);
        return true;
    case READ_CLOCK:
        read_clock(d, command);
        return true;
    case SET_MODE_76:
        return true;
    }
    return false;
}

/* Bit rate, segments before and behind the sample, jump width, samples. */
static void set_parameters(struct usbcan *d, const uint8_t *command, uint32_t channel)
{
    const uint8_t *p = command + HEADER_BYTES;
    uint32_t rate = get32(p);
    if (rate == 0 || rate > 1000000 || p[4] == 0 || p[5] == 0) {
        refuse(d, command, 9);
        return;
    }
    memcpy(d->channels[channel].parameters, p, 8);
    bus_set(d, channel, rate);
    reply(d, command, BUS_PARAMETERS_SET);
}

static void get_parameters(struct usbcan *d, const uint8_t *command, uint32_t channel)
{
    uint8_t *p = reply(d, command, BUS_PARAMETERS);
    if (p)
        memcpy(p, d->channels[channel].parameters, 8);
}

static void chip_state(struct usbcan *d, const uint8_t *command, uint32_t channel)
{
    uint8_t *p = reply(d, command, CHIP_STATE);
    if (p)
        hydra_chip_state(d, channel, p);
}

static void start(struct usbcan *d, const uint8_t *command, uint32_t channel)
{
    if (d->channels[channel].n.bitrate == 0) {
        refuse(d, command, 9);
        return;
    }
    bus_start(d, channel);
    reply(d, command, CHIP_STARTED);
    chip_state(d, command, channel);
}

static void stop(struct usbcan *d, const uint8_t *command, uint32_t channel)
{
    bus_stop(d, channel);
    reply(d, command, CHIP_STOPPED);
    chip_state(d, command, channel);
}

static bool channel_command(struct usbcan *d, const uint8_t *command, uint32_t channel)
{
    switch (command[0]) {
    case SET_BUS_PARAMETERS:
        set_parameters(d, command, channel);
        return true;
    case GET_BUS_PARAMETERS:
        get_parameters(d, command, channel);
        return true;
    case GET_CHIP_STATE:
        chip_state(d, command, channel);
        return true;
    case SET_DRIVER_MODE:
        d->channels[channel].listens = command[HEADER_BYTES] == 2;
        return true;
    case START_CHIP:
        start(d, command, channel);
        return true;
    case STOP_CHIP:
        stop(d, command, channel);
        return true;
    case FLUSH:
        send_flush(d, channel);
        send_start(d, channel);
        reply(d, command, FLUSHED);
        return true;
    }
    return false;
}

/* A command of 32 bytes for whom it names. */
static bool plain(struct usbcan *d, const uint8_t *command)
{
    uint32_t to = command[1] & 0x3f, channel = to - AT_CHANNEL;
    if (device_command(d, command))
        return true;
    if (to < AT_CHANNEL || channel >= d->settings.channels) {
        refuse(d, command, 1);
        return true;
    }
    if (command[0] == TRANSMIT)
        return hydra_transmit(d, channel, command);
    if (!channel_command(d, command, channel))
        d->n.malformed++;
    return true;
}

static uint32_t command(struct usbcan *d, const uint8_t *bytes, uint32_t size)
{
    bool extended = bytes[0] == EXTENDED;
    uint32_t length = extended && size >= 8 ? get16(bytes + 4) : COMMAND_BYTES;
    uint32_t channel = (bytes[1 % size] & 0x3fu) - AT_CHANNEL;
    if (bytes[0] == 0) /* padding */
        return size;
    if (length < 8 || length > LONGEST_COMMAND || length > size) {
        d->n.malformed++;
        return size;
    }
    if (!answers_room(d))
        return 0;
    if (!extended && !plain(d, bytes))
        return 0;
    if (extended && (bytes[6] != TRANSMIT_EXTENDED || channel >= d->settings.channels))
        d->n.malformed++;
    else if (extended && !hydra_transmit_extended(d, channel, bytes, length))
        return 0;
    d->n.commands++;
    return length;
}

static int no_request(struct usbcan *d, const uint8_t *setup, uint8_t *data, uint32_t size)
{
    (void)d, (void)setup, (void)data, (void)size;
    return USBCAN_STALL;
}

const struct kind hydra_kind = {
    .device_descriptor = device_descriptor,
    .configuration = configuration,
    .configuration_bytes = sizeof configuration,
    .names = {"Kvaser AB", "Kvaser USBcan Pro 5xHS"},
    .in = 0x82,
    .out = 0x02,
    .overwrites = true,
    .packs = true,
    .request = no_request,
    .command = command,
    .frame_bytes = hydra_frame_bytes,
    .frame = hydra_frame,
    .sent = hydra_sent,
    .state_changed = hydra_state_changed,
    .bus_error = hydra_bus_error,
};
