/*
 * Hydra's messages from the adapter: see hydra.h.
 *
 *   read   | message | message |  ...  | part of one |      kept in can_state.part until the next
 *
 * Nothing that comes is trusted: lengths are checked against what there is before anything else is
 * looked at, channels are those that have an address.
 */
#include "hydra.h"

#include <string.h>

enum {
    PASSIVE = 1 << 5, /* bits of a bus's status */
    OFF = 1 << 6,
    WARNING_AT = 96,
    NO_CHANNEL = 0xFF,
    NO_LENGTH = 0,
    ID_MASK = 0x1FFFFFFF,
};

/* Of the message at the start; NO_LENGTH: there can be none of that. */
static uint32_t length_of(const uint8_t *message, uint32_t bytes)
{
    if (message[0] != HYDRA_EXTENDED || bytes < 8) {
        return HYDRA_BYTES;
    }
    uint32_t length = can_get16(message + 4);
    return length >= HYDRA_BYTES && length <= HYDRA_LONGEST ? length : NO_LENGTH;
}

static uint8_t channel_of(const struct can_state *s, const uint8_t *message)
{
    uint32_t from = (message[1] & 0xC0u) >> 2 | message[3] >> 4;

    for (uint8_t i = 0; i < s->channel_count; i++) {
        if (s->addresses[i] == from) {
            return i;
        }
    }
    return NO_CHANNEL;
}

static uint64_t ticks(const uint8_t *p, uint32_t bytes)
{
    uint64_t value = 0;

    while (bytes > 0) {
        value = value << 8 | p[--bytes];
    }
    return value;
}

static enum takt_can_state state_of(uint8_t status, uint8_t rx_errors, uint8_t tx_errors)
{
    if ((status & OFF) != 0) {
        return TAKT_CAN_BUS_OFF;
    }
    if ((status & PASSIVE) != 0) {
        return TAKT_CAN_PASSIVE;
    }
    bool warns = rx_errors >= WARNING_AT || tx_errors >= WARNING_AT;
    return warns ? TAKT_CAN_WARNING : TAKT_CAN_ACTIVE;
}

static void told(struct can_state *s, uint8_t channel, uint8_t status, uint8_t rx, uint8_t tx)
{
    can_told(s, channel, state_of(status, rx, tx), rx, tx);
}

/* A frame, or an error on the bus, with what is the same in both kinds of commands. */
static void arrived(struct can_state *s, uint32_t flags, const uint8_t *error,
                    struct takt_can_frame *frame, uint64_t at)
{
    if ((flags & HYDRA_OVERRUN) != 0) {
        can_overrun(s, frame->channel);
    }
    if ((flags & HYDRA_BUS_ERROR) != 0) {
        s->channels[frame->channel].counters.bus_errors++;
        told(s, frame->channel, error[0], error[3], error[2]);
        return;
    }
    frame->id &= ID_MASK;
    frame->flags |= (uint8_t)((flags & HYDRA_REMOTE) != 0 ? TAKT_CAN_REMOTE : 0);
    frame->length = frame->length < 8 ? frame->length : 8;
    can_received(s, frame, (uint32_t)(at / s->ticks_per_us));
}

static void received(struct can_state *s, uint8_t channel, const uint8_t *message)
{
    const uint8_t *p = message + HYDRA_PAYLOAD;
    struct takt_can_frame frame = {.id = can_get32(p + 12), .channel = channel,
                                   .length = p[10] & 0xF};

    frame.flags = (uint8_t)((frame.id & HYDRA_WIDE_ID) != 0 ? TAKT_CAN_EXTENDED : 0);
    memcpy(frame.data, p + 16, 8);
    arrived(s, p[3], p + 16, &frame, ticks(p + 4, 6));
}

/* length >= 32: up to where data begin. */
static bool received_extended(struct can_state *s, uint8_t channel, const uint8_t *message,
                              uint32_t length)
{
    const uint8_t *p = message + 8, *data = message + HYDRA_FRAME_AT;
    uint32_t flags = can_get32(p);
    struct takt_can_frame frame = {.id = can_get32(p + 4), .channel = channel,
                                   .length = (uint8_t)(can_get32(p + 12) >> 8 & 0xF)};
    bool remote = (flags & HYDRA_REMOTE) != 0;
    uint32_t needs = (flags & HYDRA_BUS_ERROR) != 0 ? 4 : remote ? 0
                     : frame.length < 8 ? frame.length : 8;

    if (length < HYDRA_FRAME_AT + needs) {
        return false;
    }
    frame.flags = (uint8_t)((flags & HYDRA_WIDE) != 0 ? TAKT_CAN_EXTENDED : 0);
    memcpy(frame.data, data, needs);
    arrived(s, flags, data, &frame, ticks(p + 16, 8));
    return true;
}

static bool extended(struct can_state *s, uint8_t channel, const uint8_t *message, uint32_t length)
{
    uint32_t token = can_get16(message + 2) & 0xFFFu;

    switch (message[6]) {
    case HYDRA_RECEIVED_EXTENDED:
        return received_extended(s, channel, message, length);
    case HYDRA_SENT_EXTENDED:
        can_acknowledged(s, channel, token, (can_get32(message + 8) & HYDRA_NOT_SENT) == 0);
        return true;
    }
    s->counters.strange++;
    return true;
}

/* What a channel tells by itself. */
static bool of_channel(struct can_state *s, uint8_t channel, const uint8_t *message,
                       uint32_t length)
{
    const uint8_t *p = message + HYDRA_PAYLOAD;

    if (channel == NO_CHANNEL) {
        return false;
    }
    switch (message[0]) {
    case HYDRA_EXTENDED:
        return extended(s, channel, message, length);
    case HYDRA_RECEIVED:
        received(s, channel, message);
        return true;
    case HYDRA_SENT:
        can_acknowledged(s, channel, can_get16(message + 2) & 0xFFFu, true);
        return true;
    case HYDRA_CHIP_STATE:
        told(s, channel, p[8], p[7], p[6]);
        return true;
    }
    return false;
}

static void one(struct can_state *s, const uint8_t *message, uint32_t length)
{
    uint16_t transid = (uint16_t)(can_get16(message + 2) & 0xFFFu);
    const uint8_t *p = message + HYDRA_PAYLOAD;

    switch (message[0]) {
    case HYDRA_EXTENDED:
    case HYDRA_RECEIVED:
    case HYDRA_SENT:
    case HYDRA_CHIP_STATE:
        if (!of_channel(s, channel_of(s, message), message, length)) {
            can_malformed(s);
        }
        return;
    case HYDRA_CLOCK:
        if (transid == HYDRA_CLOCK_TRANSID + s->clock.number) {
            can_clock_told(s, (uint32_t)(ticks(p, 6) / s->ticks_per_us));
        } else {
            s->counters.strange++;
        }
        return;
    case HYDRA_ERROR:
        can_refused(s, transid);
        return;
    }
    s->counters.strange += !can_answer(s, message[0], 0, transid, message, length);
}

/* Could a row of messages be this? Stricter than what is accepted: only numbers that are known. */
static bool plausible(const uint8_t *data, uint32_t bytes)
{
    static const uint8_t known[] = {
        HYDRA_BUS,      HYDRA_CHIP_STATE, HYDRA_STARTED, HYDRA_STOPPED,  HYDRA_CLOCK,
        HYDRA_CARD,     HYDRA_SOFTWARE,   HYDRA_ERROR,   HYDRA_SENT,     HYDRA_FLUSHED,
        HYDRA_BUS_SET,  HYDRA_RECEIVED,   HYDRA_MAPPED,  HYDRA_DETAILS,  HYDRA_EXTENDED,
    };

    while (bytes >= 8) {
        uint32_t length = length_of(data, bytes);
        if (memchr(known, data[0], sizeof known) == NULL || length == NO_LENGTH) {
            return false;
        }
        data += length < bytes ? length : bytes;
        bytes -= length < bytes ? length : bytes;
    }
    return true;
}

static bool is_padding(const uint8_t *data, uint32_t bytes)
{
    while (bytes > 0 && *data == 0) {
        data++;
        bytes--;
    }
    return bytes == 0;
}

/* Whole messages; the number of bytes they are. What makes no sense ends it, and counts as all. */
static uint32_t whole(struct can_state *s, const uint8_t *data, uint32_t bytes)
{
    uint32_t at = 0;

    while (bytes - at >= 8 || (bytes > at && data[at] == 0)) {
        uint32_t length = length_of(data + at, bytes - at);
        if (data[at] == 0) {
            if (!is_padding(data + at, bytes - at)) {
                can_malformed(s);
            }
            return bytes;
        }
        if (length == NO_LENGTH) {
            can_malformed(s);
            return bytes;
        }
        if (length > bytes - at) {
            return at;
        }
        one(s, data + at, length);
        at += length;
    }
    return at;
}

/* Puts a message together of what the last read ended with and this one begins with; the bytes of
 * this one that it took. */
static uint32_t complete(struct can_state *s, const uint8_t *data, uint32_t bytes)
{
    uint32_t had = s->part_bytes, more = HYDRA_LONGEST - had;

    more = more < bytes ? more : bytes;
    memcpy(s->part + had, data, more);
    uint32_t length = had + more >= 8 ? length_of(s->part, had + more) : HYDRA_LONGEST;
    if (length == NO_LENGTH || length < had) {
        s->part_bytes = 0;
        can_malformed(s);
        return 0;
    }
    if (length > had + more) {
        s->part_bytes = had + more;
        return bytes;
    }
    if (!plausible(data + (length - had), bytes - (length - had)) && plausible(data, bytes)) {
        s->part_bytes = 0; /* what was kept was no message */
        can_malformed(s);
        return 0;
    }
    s->part_bytes = 0;
    one(s, s->part, length);
    return length - had;
}

void hydra_parse(struct can_state *s, const uint8_t *data, uint32_t bytes)
{
    uint32_t at = s->part_bytes > 0 ? complete(s, data, bytes) : 0;

    if (s->part_bytes == 0 && at < bytes) {
        at += whole(s, data + at, bytes - at);
        s->part_bytes = bytes - at;
        memcpy(s->part, data + at, s->part_bytes);
    }
}
