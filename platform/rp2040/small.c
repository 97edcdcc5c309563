/* Blocks with few registers: SYSINFO, SYSCFG, RESETS, PSM, VREG, the QSPI pins, BUSCTRL. */
#include <string.h>

#include "rp2040.h"

#define RESET_ALL 0x01ffffffu
#define RESET_ROM (1u << 6 | 1u << 9) /* IO_QSPI, PADS_QSPI: released by the boot ROM */

static uint32_t sysinfo_read(struct takt_machine *m, uint32_t offset)
{
    if (offset == 0x00)
        return 0x20002927; /* CHIP_ID: RP2040 B2 */
    if (offset == 0x04)
        return 2; /* PLATFORM: ASIC */
    report_access(m, "SYSINFO", 0x40000000u + offset, offset, false, 0);
    return 0;
}

static void sysinfo_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    report_access(m, "SYSINFO", 0x40000000u + offset, offset, true, value);
}

static void resets_reset(struct takt_machine *m)
{
    m->soc->reset = RESET_ALL & ~RESET_ROM;
    m->soc->reset_wdsel = 0;
}

static uint32_t resets_read(struct takt_machine *m, uint32_t offset)
{
    if (offset == 0x0)
        return m->soc->reset;
    if (offset == 0x4)
        return m->soc->reset_wdsel;
    if (offset == 0x8)
        return ~m->soc->reset & RESET_ALL;
    report_access(m, "RESETS", 0x4000c000u + offset, offset, false, 0);
    return 0;
}

static void resets_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset == 0x0) {
        uint32_t changed = (value ^ m->soc->reset) & RESET_ALL;
        m->soc->reset = value & RESET_ALL;
        chip_reset_devices(m, changed); /* one that is let go begins anew */
        if (changed != 0)
            clocks_update(m);
    } else if (offset == 0x4) {
        m->soc->reset_wdsel = value & RESET_ALL;
    } else {
        report_access(m, "RESETS", 0x4000c000u + offset, offset, true, value);
    }
}

static uint32_t psm_read(struct takt_machine *m, uint32_t offset)
{
    if (offset <= 0x8)
        return m->soc->psm[offset / 4];
    if (offset == 0xc)
        return 0x1ffffu & ~(m->soc->psm[1] & ~m->soc->psm[0]);
    report_access(m, "PSM", 0x40010000u + offset, offset, false, 0);
    return 0;
}

/* Forcing anything off but the second core (which is not modelled, and idle) is reported. */
static void psm_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset <= 0x8)
        m->soc->psm[offset / 4] = value;
    if (offset != 0x8 && (offset > 0x8 || (offset == 0x4 && (value & 0xffffu) != 0)))
        report_access(m, "PSM", 0x40010000u + offset, offset, true, value);
}

static void psm_reset(struct takt_machine *m)
{
    memset(m->soc->psm, 0, sizeof m->soc->psm);
}

static void vreg_reset(struct takt_machine *m)
{
    m->soc->vreg[0] = 0xb1;
    m->soc->vreg[1] = 0x91;
    m->soc->vreg[2] = 0x100; /* CHIP_RESET: power-on */
}

static uint32_t vreg_read(struct takt_machine *m, uint32_t offset)
{
    if (offset <= 0x8)
        return m->soc->vreg[offset / 4] | (offset == 0 ? 1u << 12 : 0);
    report_access(m, "VREG", 0x40064000u + offset, offset, false, 0);
    return 0;
}

static void vreg_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset <= 0x4)
        m->soc->vreg[offset / 4] = value & 0xf3;
    else
        report_access(m, "VREG", 0x40064000u + offset, offset, true, value);
}

#define REPORT_ONLY(lower, upper, base)                                                            \
    static uint32_t lower##_read(struct takt_machine *m, uint32_t offset)                          \
    {                                                                                              \
        report_access(m, upper, (base) + offset, offset, false, 0);                                \
        return 0;                                                                                  \
    }                                                                                              \
    static void lower##_write(struct takt_machine *m, uint32_t offset, uint32_t value)             \
    {                                                                                              \
        report_access(m, upper, (base) + offset, offset, true, value);                             \
    }

REPORT_ONLY(syscfg, "SYSCFG", 0x40004000u)
REPORT_ONLY(busctrl, "BUSCTRL", 0x40030000u)

/* Of the flash's pins only the select line can be told what to be. */
enum { SELECT_CTRL = 0x0c };

static uint32_t io_qspi_read(struct takt_machine *m, uint32_t offset)
{
    if (offset == SELECT_CTRL)
        return m->soc->ssi.select_override << 8;
    report_access(m, "IO_QSPI", 0x40018000u + offset, offset, false, 0);
    return 0;
}

static void io_qspi_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset == SELECT_CTRL && (value & ~0x300u) == 0)
        ssi_select(m, value >> 8);
    else
        report_access(m, "IO_QSPI", 0x40018000u + offset, offset, true, value);
}

/* Pad settings of the flash pins: second stages tune them; electrical only. */
static uint32_t pads_qspi_read(struct takt_machine *m, uint32_t offset)
{
    if (offset <= 0x18)
        return m->soc->pads_qspi[offset / 4];
    report_access(m, "PADS_QSPI", 0x40020000u + offset, offset, false, 0);
    return 0;
}

static void pads_qspi_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset <= 0x18)
        m->soc->pads_qspi[offset / 4] = value;
    else
        report_access(m, "PADS_QSPI", 0x40020000u + offset, offset, true, value);
}

static void pads_qspi_reset(struct takt_machine *m)
{
    for (unsigned k = 0; k < 7; k++)
        m->soc->pads_qspi[k] = k == 0 ? 0 : 0x56;
}

const struct device sysinfo_device = {"SYSINFO", 0x40000000, -1, sysinfo_read, sysinfo_write, NULL};
const struct device syscfg_device = {"SYSCFG", 0x40004000, 18, syscfg_read, syscfg_write, NULL};
const struct device resets_device = {"RESETS",    0x4000c000,   -1,
                                     resets_read, resets_write, resets_reset};
const struct device psm_device = {"PSM", 0x40010000, -1, psm_read, psm_write, psm_reset};
const struct device vreg_device = {"VREG", 0x40064000, -1, vreg_read, vreg_write, vreg_reset};
const struct device io_qspi_device = {"IO_QSPI", 0x40018000, 6, io_qspi_read, io_qspi_write, NULL};
const struct device pads_qspi_device = {"PADS_QSPI",    0x40020000,      9,
                                        pads_qspi_read, pads_qspi_write, pads_qspi_reset};
const struct device busctrl_device = {"BUSCTRL", 0x40030000, 1, busctrl_read, busctrl_write, NULL};
