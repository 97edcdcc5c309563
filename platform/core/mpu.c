/*
 * Memory protection (ARMv6-M Architecture Reference Manual B3.5): regions of powers of two, whose
 * eighths can be left out; where several hold an address, the highest number decides.
 *
 * Not modelled: code that must not be executed; reads of RAM that are denied (those of a region
 * elsewhere are), which is reported.
 */
#include "chip.h"

enum {
    CTRL_ENABLE = 1,
    CTRL_HFNMIENA = 2,   /* also in the handlers of HardFault and NMI */
    CTRL_PRIVDEFENA = 4, /* privileged code: what is in no region is as without an MPU */
    RBAR_VALID = 16,
    RASR_ENABLE = 1,
};

#define SMALLEST 7u /* 2 << 7 bytes */

static uint32_t size_of(const struct mpu_region *r)
{
    return r->rasr >> 1 & 31;
}

/* All of its bytes but one; the size may be 4 GB. */
static uint32_t mask_of(const struct mpu_region *r)
{
    return (2u << size_of(r)) - 1u;
}

static uint32_t first_of(const struct mpu_region *r)
{
    return r->base & ~mask_of(r);
}

static bool is_on(const struct mpu_region *r)
{
    return (r->rasr & RASR_ENABLE) != 0 && size_of(r) >= SMALLEST;
}

static bool holds(const struct mpu_region *r, uint32_t address)
{
    uint32_t eighth = (address & mask_of(r)) >> (size_of(r) - 2);
    return is_on(r) && (address & ~mask_of(r)) == first_of(r) && (r->rasr >> (8 + eighth) & 1) == 0;
}

/* AP, bits 26 to 24 */
static bool allows(uint32_t rasr, bool store, bool privileged_code)
{
    switch (rasr >> 24 & 7) {
    case 1:
        return privileged_code;
    case 2:
        return privileged_code || !store;
    case 3:
        return true;
    case 5:
        return privileged_code && !store;
    case 6:
    case 7:
        return !store;
    }
    return false;
}

bool mpu_denies(const struct takt_machine *m, uint32_t address, bool store)
{
    const struct mpu *mpu = &m->mpu;
    if ((mpu->control & CTRL_ENABLE) == 0 || address >> 28 == 0xe ||
        (exception_level(m) < 0 && (mpu->control & CTRL_HFNMIENA) == 0))
        return false;
    for (unsigned n = m->chip->mpu_regions; n-- > 0;) {
        if (holds(&mpu->region[n], address))
            return !allows(mpu->region[n].rasr, store, privileged(m));
    }
    return (mpu->control & CTRL_PRIVDEFENA) == 0 || !privileged(m);
}

static void mark_all(struct takt_machine *m, uint32_t first, uint32_t last, bool on)
{
    for (uint32_t k = first; k <= last && k < m->ram_size / 64; k++)
        m->granule[k] = (uint8_t)((m->granule[k] & ~GRANULE_MPU) | (on ? GRANULE_MPU : 0));
}

/* Stores to RAM that may be denied take the slow path. */
static void mark(struct takt_machine *m, bool on)
{
    if (on && (m->mpu.control & CTRL_ENABLE) == 0)
        return;
    if ((m->mpu.control & CTRL_PRIVDEFENA) == 0) {
        mark_all(m, 0, m->ram_size / 64 - 1, on);
        return;
    }
    for (unsigned n = 0; n < m->chip->mpu_regions; n++) {
        const struct mpu_region *r = &m->mpu.region[n];
        uint32_t first = first_of(r), last = first | mask_of(r);
        if (is_on(r) && last >= RAM_BASE && first < RAM_BASE + m->ram_size)
            mark_all(m, first < RAM_BASE ? 0 : (first - RAM_BASE) / 64, (last - RAM_BASE) / 64, on);
    }
}

void mpu_reset(struct takt_machine *m)
{
    mark(m, false);
    m->mpu = (struct mpu){0};
}

uint32_t mpu_read(const struct takt_machine *m, uint32_t offset)
{
    const struct mpu *mpu = &m->mpu;
    switch (offset) {
    case MPU_TYPE:
        return m->chip->mpu_regions << 8;
    case MPU_TYPE + 4:
        return mpu->control;
    case MPU_TYPE + 8:
        return mpu->number;
    case MPU_TYPE + 12:
        return mpu->region[mpu->number].base | mpu->number;
    }
    return mpu->region[mpu->number].rasr;
}

static void set_base(struct mpu *mpu, uint32_t value)
{
    if ((value & RBAR_VALID) != 0)
        mpu->number = value & 7;
    mpu->region[mpu->number].base = value & ~0xffu;
}

void mpu_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct mpu *mpu = &m->mpu;
    mark(m, false);
    if (offset == MPU_TYPE + 4)
        mpu->control = value & 7;
    else if (offset == MPU_TYPE + 8)
        mpu->number = value & 7;
    else if (offset == MPU_TYPE + 12)
        set_base(mpu, value);
    else if (offset == MPU_TYPE + 16)
        mpu->region[mpu->number].rasr = value & 0x173fff3fu;
    mark(m, true);
    const struct mpu_region *r = &mpu->region[mpu->number];
    bool ram = first_of(r) < RAM_BASE + m->ram_size && (first_of(r) | mask_of(r)) >= RAM_BASE;
    if (is_on(r) && ram && !allows(r->rasr, false, true))
        report_note(m, "MPU: RAM that cannot be read is not modelled");
}
