/* Kvaser's "hydra" commands: 32 bytes, or of their own length behind command 255. */
#ifndef TAKT_USBCAN_HYDRA_H
#define TAKT_USBCAN_HYDRA_H

#include "device.h"

enum hydra_command {
    SET_BUS_PARAMETERS = 16,
    GET_BUS_PARAMETERS = 17,
    BUS_PARAMETERS = 18,
    GET_CHIP_STATE = 19,
    CHIP_STATE = 20,
    SET_DRIVER_MODE = 21,
    START_CHIP = 26,
    CHIP_STARTED = 27,
    STOP_CHIP = 28,
    CHIP_STOPPED = 29,
    READ_CLOCK = 30,
    CLOCK = 31,
    TRANSMIT = 33,
    GET_CARD_INFO = 34,
    CARD_INFO = 35,
    GET_SOFTWARE_INFO = 38,
    SOFTWARE_INFO = 39,
    ERROR_EVENT = 45,
    FLUSH = 48,
    TRANSMITTED = 50,
    FLUSHED = 66,
    SET_MODE_76 = 76,
    BUS_PARAMETERS_SET = 85,
    GET_CAPABILITIES = 95,
    CAPABILITIES = 96,
    RECEIVED = 106,
    MAP_CHANNEL = 200,
    CHANNEL_MAPPED = 201,
    GET_SOFTWARE_DETAILS = 202,
    SOFTWARE_DETAILS = 203,
    EXTENDED = 255,
    TRANSMIT_EXTENDED = 224,
    TRANSMITTED_EXTENDED = 225,
    RECEIVED_EXTENDED = 226,
};

enum {
    COMMAND_BYTES = 32,
    HEADER_BYTES = 4,
    LONGEST_COMMAND = 128,
    /* Addresses of who handles commands in the device. */
    AT_ROUTER = 0,
    AT_SYSDBG = 1,
    AT_CHANNEL = 2, /* of channel 0 */
    AT_NOBODY = 0x3e, /* what hosts write that ask the device as a whole */
    TICKS_PER_US = 80,
};

enum hydra_flag {
    FLAG_ERROR = 1 << 0,
    FLAG_OVERRUN = 1 << 1,
    FLAG_REMOTE = 1 << 4,
    FLAG_EXTENDED = 1 << 5,
    FLAG_ACKNOWLEDGED = 1 << 6,
    FLAG_NOT_ACKNOWLEDGED = 1 << 12,
};

/* hydra_frames.c. A command's header: who answers, whom, to which request. */
void hydra_header(uint8_t *out, uint32_t command, uint32_t from, uint32_t to, uint32_t transid);
uint64_t hydra_ticks(uint64_t ns);
void hydra_put_ticks(uint8_t *out, uint64_t ns, uint32_t bytes);

bool hydra_transmit(struct usbcan *d, uint32_t channel, const uint8_t *command);
bool hydra_transmit_extended(struct usbcan *d, uint32_t channel, const uint8_t *command,
                             uint32_t size);
uint32_t hydra_frame_bytes(const struct usbcan *d, uint32_t channel);
uint32_t hydra_frame(const struct usbcan *d, const struct kept *kept, uint8_t *out);
void hydra_sent(struct usbcan *d, uint32_t channel, const struct transmit *t, bool failed);
void hydra_state_changed(struct usbcan *d, uint32_t channel, uint32_t old);
void hydra_bus_error(struct usbcan *d, uint32_t channel);
void hydra_chip_state(const struct usbcan *d, uint32_t channel, uint8_t *out);

#endif
