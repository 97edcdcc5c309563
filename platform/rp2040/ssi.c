/*
 * XIP_SSI and XIP control, as far as a second boot stage needs them: settings are kept, each
 * byte sent gets one back from a small model of the flash chip's status commands. Execute in
 * place is always on, since the interpreter reads flash directly.
 */
#include <string.h>

#include "rp2040.h"

enum { SSIENR = 2, TXFLR = 8, RXFLR = 9, SR = 10, IDR = 22, VERSION = 23, DR0 = 24 };
enum { CMD_READ_STATUS1 = 0x05, CMD_READ_STATUS2 = 0x35, CMD_JEDEC = 0x9f };

void ssi_reset(struct takt_machine *m)
{
    memset(&m->soc->ssi, 0, sizeof m->soc->ssi);
    m->soc->xip_ctrl[0] = 3;
}

static uint8_t flash_reply(struct ssi *s, uint8_t sent)
{
    static const uint8_t jedec[4] = {0, 0xef, 0x40, 0x15}; /* 2 MB */
    if (s->rx_count == 0 && s->position == 0)
        s->command = sent;
    uint32_t at = s->position++;
    if (s->command == CMD_READ_STATUS2 && at > 0)
        return 0x02; /* quad enabled, as on the board */
    if (s->command == CMD_JEDEC && at < 4)
        return jedec[at];
    return 0;
}

uint32_t ssi_read(struct takt_machine *m, uint32_t offset)
{
    struct ssi *s = &m->soc->ssi;
    uint32_t index = offset / 4;
    if (index == SR)
        return 6u | (uint32_t)(s->rx_count != 0) << 3;
    if (index == RXFLR)
        return s->rx_count;
    if (index == IDR || index == VERSION)
        return index == IDR ? 0x51535049u : 0x3430312au;
    if (index == DR0) {
        if (s->rx_count == 0)
            return 0;
        uint8_t value = s->rx[0];
        memmove(s->rx, s->rx + 1, --s->rx_count);
        if (s->rx_count == 0)
            s->position = 0; /* the select line rises between transfers */
        return value;
    }
    if (index < 64)
        return s->reg[index];
    report_access(m, "SSI", 0x18000000u + offset, offset, false, 0);
    return 0;
}

void ssi_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct ssi *s = &m->soc->ssi;
    uint32_t index = offset / 4;
    if (index >= DR0 && index < DR0 + 36) {
        uint8_t reply = flash_reply(s, (uint8_t)value);
        if ((s->reg[SSIENR] & 1) != 0 && s->rx_count < sizeof s->rx)
            s->rx[s->rx_count++] = reply;
    } else if (index < 64) {
        s->reg[index] = value;
        if (index == SSIENR && (value & 1) == 0)
            s->rx_count = s->position = 0;
    } else {
        report_access(m, "SSI", 0x18000000u + offset, offset, true, value);
    }
}

uint32_t xip_read(struct takt_machine *m, uint32_t offset)
{
    if (offset == 0x00)
        return m->soc->xip_ctrl[0];
    if (offset == 0x04)
        return 0;
    if (offset == 0x08)
        return 3; /* flushed, stream FIFO empty */
    report_access(m, "XIP", 0x14000000u + offset, offset, false, 0);
    return 0;
}

void xip_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset == 0x00)
        m->soc->xip_ctrl[0] = value & 0xb;
    else if (offset != 0x04)
        report_access(m, "XIP", 0x14000000u + offset, offset, true, value);
}
