/*
 * takt_sem_wait() and takt_sem_signal() of sem.S for programs that are optimised at link time: in
 * C, so that they become part of their callers. Of a thread that leaves nothing is saved but where
 * to go on, for the compiler knows that all registers are lost (see frame.h).
 */
#include "core/cpu.h"

#include <takt/sem.h>

#if !TAKT_HAS_DISPATCHER

#if TAKT_THREADS_BELOW /* takt_core, see sem.S */
#define IS_THREADS(sp) ((sp) <= (uintptr_t)&takt_core)
#else
#define IS_THREADS(sp) ((sp) > (uintptr_t)&takt_core)
#endif

/* In thread mode with interrupts on? They are off afterwards. */
static inline bool enter(void)
{
    uintptr_t sp;
    __asm__ volatile("mov %0, sp" : "=r"(sp));
    return IS_THREADS(sp) && port_irq_save() == 0;
}

static inline void interrupts_on(void)
{
    __asm__ volatile("cpsie i" ::: "memory");
}

/* Threads that a ceiling keeps from running. */
static inline takt_set_t kept(void)
{
#if TAKT_HAS_MUTEX
    return takt_core.kept;
#else
    return 0;
#endif
}

extern const uint8_t takt_set_place_of[32];

/* From the thread at `self` to the one whose bit is `bit`; returns, with interrupts on, when that
 * happens the other way round. */
static inline __attribute__((always_inline)) void change(uint8_t self, takt_set_t bit)
{
    uint8_t next = takt_set_place_of[bit * 0x077CB531u >> 27]; /* as takt_set_first(), of one bit */
    register void **save __asm__("r0") = &takt_tcbs[self].sp;
    takt_core.current = next;
    register void *load __asm__("r1") = takt_tcbs[next].sp;
    __asm__ volatile(".syntax unified\n\t"
                     "mov r2, pc\n\t" /* 4 from here */
                     "adds r2, #13\n\t"
                     "push {r2}\n\t"
                     "mov r2, sp\n\t"
                     "str r2, [r0]\n\t"
                     "mov sp, r1\n\t"
                     "cpsie i\n\t"
                     "pop {pc}" /* to what follows: 16 from the first, and the Thumb bit */
                     : "+r"(save), "+r"(load)
                     :
                     : "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr",
                       "cc", "memory");
}

/* No other thread may run: that whose bit is `bit` holds a mutex, or none does. */
static __attribute__((noinline)) int wait_for_interrupts(struct takt_sem *sem, takt_set_t bit)
{
    int result = kept() ? TAKT_ECONTEXT : TAKT_OK;
    if (result == TAKT_OK) {
        sem->waiters |= bit;
        takt_block_locked(TAKT_BLOCK_SEM, 0);
    }
    interrupts_on();
    return result;
}

int takt_sem_wait(struct takt_sem *sem)
{
    if (takt_is_null(sem))
        return TAKT_EINVAL;
    if (!enter())
        return TAKT_ECONTEXT;
    if (sem->count > 0) {
        sem->count--;
        interrupts_on();
        return TAKT_OK;
    }
    uint8_t self = takt_core.current;
    takt_set_t bit = takt_set_of(self), rest = takt_core.ready & ~bit, next = rest & ~kept();
    if (next == 0)
        return wait_for_interrupts(sem, bit);
    sem->waiters |= bit;
    takt_core.ready = rest;
    change(self, next & -next);
    return TAKT_OK;
}

int takt_sem_signal(struct takt_sem *sem)
{
    if (takt_is_null(sem))
        return TAKT_EINVAL;
    if (!enter())
        return TAKT_ECONTEXT;
    takt_set_t waiters = sem->waiters, first = waiters & -waiters;
    if (first == 0) {
        int result = sem->count < sem->max ? TAKT_OK : TAKT_EOVERFLOW;
        if (result == TAKT_OK)
            sem->count++;
        interrupts_on();
        return result;
    }
    uint8_t self = takt_core.current;
    sem->waiters = waiters ^ first;
    takt_core.ready |= first;
    if (first < takt_set_of(self) && !(first & kept()))
        change(self, first);
    else
        interrupts_on();
    return TAKT_OK;
}

#endif
