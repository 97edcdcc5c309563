/*
 * Windows of time in which the host injects interrupts: each opens with a store to `opened` and
 * closes with one to `closed`, by which all that was asked for in it must have been done. SCENE
 * says what happens inside:
 *
 *   SWITCH  work waits -> base runs -> base signals -> work runs
 *   QUIET   base runs, with known values in all registers
 *   ASLEEP  base waits, no thread is ready, an interrupt wakes it
 *   LOCKED  base locks a mutex, signals work, may not wait, unlocks; only top runs meanwhile
 *
 * top and mid wait until an interrupt wakes them. wakes[] says which thread each interrupt wakes.
 */
#include "program.h"

#define SWITCH 1
#define QUIET  2
#define ASLEEP 3
#define LOCKED 4

volatile uint32_t wakes[2] = {TOP, SCENE == ASLEEP ? BASE : MID};

uint32_t registers_disturbed(uint32_t seed);

#if defined(INLINED)
#define KEEP()                                                                                     \
    __asm__ volatile("" : "+l"(a), "+l"(b), "+l"(c), "+l"(d), "+h"(e), "+h"(f), "+h"(g), "+h"(h))

/* Not by pointer, so that what is called can become part of the caller, which has values in eight
 * registers, the high ones too (which needs -O2). */
static inline __attribute__((always_inline)) uint32_t
registers_kept(uint32_t seed, int (*fn)(struct takt_sem *), struct takt_sem *arg)
{
    uint32_t a = seed + 1, b = seed + 2, c = seed + 3, d = seed + 4;
    uint32_t e = seed + 5, f = seed + 6, g = seed + 7, h = seed + 8;
    KEEP();
    uint32_t bad = (uint32_t)fn(arg);
    KEEP();
    bad |= (a - seed - 1) | (b - seed - 2) | (c - seed - 3) | (d - seed - 4);
    return bad | (e - seed - 5) | (f - seed - 6) | (g - seed - 7) | (h - seed - 8);
}
#else
uint32_t registers_kept(uint32_t seed, int (*fn)(struct takt_sem *), struct takt_sem *arg);
#endif

static volatile uint32_t held; /* the mutex, by base */

static uint32_t wait_for(uint32_t place)
{
    uint32_t bad = registers_kept(place * 0x01234567u, takt_sem_wait, &sems[place]) != 0;
    served[place]++;
    return bad + (held && place != TOP);
}

static struct takt_mutex mutex = TAKT_MUTEX_INIT(MID);

/* The holder of a mutex must not wait. */
static int refused(struct takt_sem *sem)
{
    return takt_sem_wait(sem) != TAKT_ECONTEXT || sem->waiters;
}

static void lock_and_unlock(void)
{
    wrong += takt_mutex_lock(&mutex) != 0;
    held = 1;
    told[WORK]++;
    wrong += registers_kept(0x2468ACE0u, takt_sem_signal, &sems[WORK]) != 0;
    wrong += registers_kept(0x0ECA8642u, refused, &sems[BASE]) != 0;
    held = 0;
    wrong += takt_mutex_unlock(&mutex) != 0;
}

#if defined(FIRST_IS_BOTTOM)
/* Told several times before it waits again, it has served them all by waiting once. */
static void bottom_half(void *arg)
{
    (void)arg;
    for (;;) {
        takt_io_wait(&takt_io_top);
        served[TOP] = told[TOP];
    }
}
#endif

static void woken(void *arg)
{
    uint32_t place = (uintptr_t)arg;
    for (;;) {
        wrong += wait_for(place);
        wrong += registers_disturbed(place * 0x89ABCDEFu);
    }
}

static void work_thread(void *arg)
{
    (void)arg;
    for (;;) {
        if (SCENE == SWITCH)
            opened++;
        wrong += wait_for(WORK);
        if (SCENE == SWITCH)
            closed++;
    }
}

static void base_thread(void *arg)
{
    (void)arg;
    listen();
    for (;;) {
        if (SCENE != SWITCH)
            opened++;
        if (SCENE == ASLEEP)
            wrong += wait_for(BASE);
        if (SCENE == LOCKED)
            lock_and_unlock();
        wrong += registers_disturbed(0x76543210u);
        if (SCENE == SWITCH) {
            told[WORK]++;
            wrong += registers_kept(0x13579BDFu, takt_sem_signal, &sems[WORK]) != 0;
        } else {
            closed++;
        }
    }
}

#if defined(FIRST_IS_BOTTOM)
FIRST_THREAD(top, 1, bottom_half, NULL)
#else
FIRST_THREAD(top, 1, woken, (void *)TOP)
#endif
THREAD(mid, 2, woken, (void *)MID)
THREAD(work, 3, work_thread, NULL)
LAST_THREAD(base, 4, base_thread, NULL)
