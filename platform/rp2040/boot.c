/*
 * The boot ROM, natively: the first 256 bytes of flash are copied to the end of SRAM, checked
 * (CRC32 of 252 bytes, poly 0x04c11db7, not reflected) and called there with LR = 0.
 */
#include <string.h>

#include "rp2040.h"

#define BOOT2_AT 0x20041f00u

static uint32_t crc32(const uint8_t *data, uint32_t size)
{
    uint32_t crc = 0xffffffffu;
    for (uint32_t k = 0; k < size; k++) {
        crc ^= (uint32_t)data[k] << 24;
        for (int bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ ((crc >> 31) != 0 ? 0x04c11db7u : 0);
    }
    return crc;
}

int rp2040_boot(struct takt_machine *m)
{
    uint32_t stored;
    memcpy(&stored, m->flash + 252, 4);
    uint32_t found = crc32(m->flash, 252);
    if (stored != found) {
        machine_fail(m, TAKT_STOP_FAULT,
                     "boot: second stage in flash has CRC 0x%08x, should be 0x%08x",
                     (unsigned)stored, (unsigned)found);
        return -1;
    }
    takt_write(m, BOOT2_AT, m->flash, 256);
    m->r[13] = BOOT2_AT;
    code_jump(m, BOOT2_AT);
    return 0;
}
