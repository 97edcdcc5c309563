/* FLASH: the access control register; programming, erasing and option bytes are reported. */
#include "stm32f0.h"

#define NO_WAIT_HZ 24000000u

enum { ACR_LATENCY = 7, ACR_PREFETCH = 0x10, ACR_PREFETCHING = 0x20 };

void flash_check(struct takt_machine *m)
{
    bool late = (m->f0->flash_acr & ACR_LATENCY) == 0 && !m->wait_forced;
    if (late && m->f0->rcc.hclk_hz > NO_WAIT_HZ)
        report_note(m, "flash without wait state above 24 MHz");
}

static void apply(struct takt_machine *m)
{
    uint32_t acr = m->f0->flash_acr;
    cycles_set_wait(m, acr & ACR_LATENCY, (acr & ACR_PREFETCH) != 0);
}

static void flash_reset(struct takt_machine *m)
{
    m->f0->flash_acr = 0;
    apply(m);
}

static uint32_t flash_read(struct takt_machine *m, uint32_t offset)
{
    uint32_t acr = m->f0->flash_acr;
    if (offset == 0x00)
        return acr | ((acr & ACR_PREFETCH) != 0 ? (uint32_t)ACR_PREFETCHING : 0);
    if (offset == 0x10)
        return 0x80; /* CR: locked */
    report_device(m, "FLASH", flash_device.base, offset, false, 0);
    return 0;
}

static void flash_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset != 0x00 || (value & ACR_LATENCY) > 1)
        report_device(m, offset == 0 ? "FLASH (latency above 1)" : "FLASH (program, erase)",
                      flash_device.base, offset, true, value);
    if (offset != 0x00)
        return;
    m->f0->flash_acr = value & (ACR_LATENCY | ACR_PREFETCH);
    apply(m);
    flash_check(m);
}

const struct device flash_device = {"FLASH",    0x40022000,  ON_ALWAYS,  0,
                                    flash_read, flash_write, flash_reset};
