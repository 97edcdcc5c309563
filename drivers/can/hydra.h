/*
 * Kvaser's "hydra" commands. 32 bytes: number, addresses, transid, payload; or, behind number 255,
 * of their own length:
 *
 *     0         1                2..3                      4..
 *     number    to | from >> 4   transid | from << 12      payload
 *     255       to | from >> 4   transid | from << 12      length, number, -, payload from 8 on
 *
 * Addresses say what handles a command in the adapter; those of channels are asked for.
 */
#ifndef CAN_HYDRA_H
#define CAN_HYDRA_H

#include "adapter.h"

enum hydra_number {
    HYDRA_SET_BUS = 16,
    HYDRA_GET_BUS = 17,
    HYDRA_BUS = 18,
    HYDRA_CHIP_STATE = 20,
    HYDRA_SET_MODE = 21,
    HYDRA_START = 26,
    HYDRA_STARTED = 27,
    HYDRA_STOP = 28,
    HYDRA_STOPPED = 29,
    HYDRA_READ_CLOCK = 30,
    HYDRA_CLOCK = 31,
    HYDRA_SEND = 33,
    HYDRA_GET_CARD = 34,
    HYDRA_CARD = 35,
    HYDRA_GET_SOFTWARE = 38,
    HYDRA_SOFTWARE = 39,
    HYDRA_ERROR = 45,
    HYDRA_FLUSH = 48,
    HYDRA_SENT = 50,
    HYDRA_FLUSHED = 66,
    HYDRA_BUS_SET = 85,
    HYDRA_RECEIVED = 106,
    HYDRA_MAP = 200,
    HYDRA_MAPPED = 201,
    HYDRA_GET_DETAILS = 202,
    HYDRA_DETAILS = 203,
    HYDRA_EXTENDED = 255,
    HYDRA_SEND_EXTENDED = 224,
    HYDRA_SENT_EXTENDED = 225,
    HYDRA_RECEIVED_EXTENDED = 226,
};

enum {
    HYDRA_BYTES = CAN_COMMAND_BYTES,
    HYDRA_PAYLOAD = 4,
    HYDRA_LONGEST = 128,
    HYDRA_FRAME_AT = 32, /* a frame's data in an extended command */
    HYDRA_ANYBODY = 0x3E,
    HYDRA_CLOCK_TRANSID = 0xF00, /* and the number of the reading */
    HYDRA_SYSTEM = TAKT_CAN_CHANNELS, /* its place among can_state.addresses */
};

#define HYDRA_WIDE_ID (1u << 31) /* in the identifier of a command of 32 bytes */

enum hydra_frame_flag {
    HYDRA_BUS_ERROR = 1 << 0,
    HYDRA_OVERRUN = 1 << 1,
    HYDRA_REMOTE = 1 << 4,
    HYDRA_WIDE = 1 << 5,
    HYDRA_NOT_SENT = 1 << 12,
};

/* hydra_messages.c ------------------------------------------------------------------------- */

void hydra_parse(struct can_state *s, const uint8_t *data, uint32_t bytes);

/* hydra_encode.c --------------------------------------------------------------------------- */

uint32_t hydra_encode(const struct can_state *s, uint8_t channel,
                      const struct takt_can_frame *frame, uint8_t token, uint8_t *data);
void hydra_header(uint8_t *command, uint8_t number, uint8_t to, uint16_t transid);

#endif
