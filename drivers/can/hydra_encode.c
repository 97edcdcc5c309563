/* Frames, and how commands begin, as hydra's adapters take them: see hydra.h. */
#include "hydra.h"

#include <string.h>

#define ACKNOWLEDGE (1u << 31) /* of an extended command's header word: tell when it is sent */
#define ONCE        (1u << 16)
#define KCAN_WIDE   (3u << 30)
#define KCAN_REMOTE (1u << 29)

void hydra_header(uint8_t *command, uint8_t number, uint8_t to, uint16_t transid)
{
    command[0] = number;
    command[1] = to & 0x3F;
    can_put16(command + 2, transid & 0xFFFu);
}

static uint32_t encode_extended(const struct can_state *s, uint8_t channel,
                                const struct takt_can_frame *frame, uint8_t token, uint8_t *data)
{
    bool wide = (frame->flags & TAKT_CAN_EXTENDED) != 0;
    bool remote = (frame->flags & TAKT_CAN_REMOTE) != 0;
    bool once = (s->channels[channel].mode & TAKT_CAN_ONE_SHOT) != 0;
    uint32_t length = HYDRA_FRAME_AT + 8;

    memset(data, 0, length);
    hydra_header(data, HYDRA_EXTENDED, s->addresses[channel], token);
    can_put16(data + 4, length);
    data[6] = HYDRA_SEND_EXTENDED;
    can_put32(data + 8,
              (wide ? (uint32_t)HYDRA_WIDE : 0u) | (remote ? (uint32_t)HYDRA_REMOTE : 0u));
    can_put32(data + 12, frame->id);
    can_put32(data + 16, frame->id | (wide ? KCAN_WIDE : 0) | (remote ? KCAN_REMOTE : 0));
    can_put32(data + 20, ACKNOWLEDGE | (once ? ONCE : 0) | (uint32_t)frame->length << 8);
    data[24] = remote ? 0 : frame->length;
    data[25] = frame->length;
    memcpy(data + HYDRA_FRAME_AT, frame->data, 8);
    return length;
}

uint32_t hydra_encode(const struct can_state *s, uint8_t channel,
                      const struct takt_can_frame *frame, uint8_t token, uint8_t *data)
{
    uint8_t *p = data + HYDRA_PAYLOAD;

    if (s->extended) {
        return encode_extended(s, channel, frame, token, data);
    }
    memset(data, 0, HYDRA_BYTES);
    hydra_header(data, HYDRA_SEND, s->addresses[channel], token);
    can_put32(p, frame->id | ((frame->flags & TAKT_CAN_EXTENDED) != 0 ? HYDRA_WIDE_ID : 0u));
    memcpy(p + 4, frame->data, 8);
    p[12] = frame->length;
    p[13] = (frame->flags & TAKT_CAN_REMOTE) != 0 ? HYDRA_REMOTE : 0;
    return HYDRA_BYTES;
}
