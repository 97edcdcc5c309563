/*
 * Exclusion and the core's hints. There is one core: a spin lock is held by switching interrupts
 * off, and with them the scheduler, as takt::Critical does. So no loop ever spins, and what runs
 * meanwhile is a section, whose length the build finds out and admission counts
 * (docs/guarantees.md, G19).
 */
#ifndef TAKT_HARDWARE_SYNC_H
#define TAKT_HARDWARE_SYNC_H

#include <pico/platform.h>
#include <takt/port.h>

static inline void __nop(void)
{
    __asm__ volatile("nop");
}

static inline void __sev(void)
{
    __asm__ volatile("sev");
}

static inline void __wfe(void)
{
    __asm__ volatile("wfe");
}

static inline void __wfi(void)
{
    __asm__ volatile("wfi");
}

static inline void __dmb(void)
{
    __asm__ volatile("dmb" ::: "memory");
}

static inline void __dsb(void)
{
    __asm__ volatile("dsb" ::: "memory");
}

static inline void __isb(void)
{
    __asm__ volatile("isb" ::: "memory");
}

static inline void __mem_fence_acquire(void)
{
    __dmb();
}

static inline void __mem_fence_release(void)
{
    __dmb();
}

/* They nest: what was before comes back. */
static inline __attribute__((always_inline)) uint32_t save_and_disable_interrupts(void)
{
    return (uint32_t)port_irq_save();
}

static inline __attribute__((always_inline)) void restore_interrupts(uint32_t before)
{
    port_irq_restore((port_irq_t)before);
}

static inline __attribute__((always_inline)) void restore_interrupts_from_disabled(uint32_t before)
{
    restore_interrupts(before);
}

/* Spin locks: which are taken is kept for all loops (drivers/rp2040/claims.c). */

#define NUM_SPIN_LOCKS 32u

typedef io_rw_32 spin_lock_t;

#ifdef __cplusplus
extern "C" {
#endif

void spin_lock_claim(uint number);
int spin_lock_claim_unused(bool required); /* -1: none */
void spin_lock_unclaim(uint number);
bool spin_lock_is_claimed(uint number);

#ifdef __cplusplus
}
#endif

/* 2.3.1.3; not touched, but each is told from the others by its address. */
static inline spin_lock_t *spin_lock_instance(uint number)
{
    return (spin_lock_t *)0xD0000100u + number;
}

static inline uint spin_lock_get_num(spin_lock_t *lock)
{
    return (uint)(lock - spin_lock_instance(0));
}

static inline spin_lock_t *spin_lock_init(uint number)
{
    return spin_lock_instance(number);
}

static inline __attribute__((always_inline)) uint32_t spin_lock_blocking(spin_lock_t *lock)
{
    (void)lock;
    return save_and_disable_interrupts();
}

static inline __attribute__((always_inline)) void spin_unlock(spin_lock_t *lock, uint32_t before)
{
    (void)lock;
    restore_interrupts(before);
}

#endif
