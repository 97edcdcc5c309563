/*
 * Threads keep known values in every register while an interrupt at arbitrary instructions wakes
 * others, budgets end, and they switch voluntarily. Nothing may be disturbed and no signal lost.
 */
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"
#include "noise.h"

volatile uint32_t rounds[3], told, served, sleeps, pings;
volatile uint32_t fpu_rounds, crossings;
volatile uint32_t lazily; /* interrupts for which the core has left room for FPU registers only */
#if defined(BOARD_STM32F051) /* 8 KB of RAM */
#define STACK 704
#elif defined(__AVR__)
#define STACK 120
#else
#define STACK 1024
#endif

/* Interrupts that come as fast as elsewhere would leave some CPUs no time for threads; nor would
 * budgets, whose servers hold M + S beside: at 8 MHz all of them would be 1.27 of the CPU. */
#ifdef __AVR__
#define SLOWER (48000000u / F_CPU)
#define RARER (16000000u / F_CPU)
#else
#define SLOWER 1u
#define RARER 1u
#endif

static struct takt_sem noise = TAKT_SEM_INIT(0);
static struct takt_sem ping = TAKT_SEM_INIT(0), pong = TAKT_SEM_INIT(0);
static uint32_t chance = 12345;

/* Microseconds to the next, and ticks on top so that every instruction is met. One in four comes so
 * soon that the switch asked for by the one before is still under way. */
static void next_noise(void)
{
    chance = chance * 1664525u + 1013904223u;
    uint32_t us = chance >> 30 ? 60 + (chance >> 16) % (700u * SLOWER) : 4 + (chance >> 16) % 60u;
    noise_after(us * NOISE_MHZ + (chance >> 11 & 63u) % (NOISE_MHZ + 1));
}

void NOISE_HANDLER(void)
{
#ifdef __ARM_FP
    lazily += *(volatile uint32_t *)0xE000EF34u & 1; /* FPCCR.LSPACT */
#endif
    takt_isr_enter();
    noise_done();
    next_noise();
    told++;
    CHECK(takt_sem_signal_isr(&noise) == TAKT_OK);
    takt_isr_exit(99);
}

/* Fills r0-r12 and the flags with values made from `seed`, spins a while, and returns how many
 * have changed. */
uint32_t registers_disturbed(uint32_t seed);

#if defined(__ARM_FP) || defined(BOARD_PC)
/* The same of s0-s31 and FPSCR; calls fn(arg) meanwhile if there is one, and then looks at what a
 * function must preserve. */
uint32_t fpu_disturbed(uint32_t seed, int (*fn)(struct takt_sem *sem), struct takt_sem *arg);
#else
static uint32_t fpu_disturbed(uint32_t seed, int (*fn)(struct takt_sem *sem), struct takt_sem *arg)
{
    (void)seed;
    if (fn)
        fn(arg);
    return 0;
}
#endif

static void serve_thread(void *arg)
{
    (void)arg;
    noise_open(NOISE_ORDINARY);
    next_noise();
    for (uint32_t seed = 1;; seed += 0x9E3779B9u) {
        CHECK(fpu_disturbed(seed, takt_sem_wait, &noise) == 0);
        served++;
        crossings++;
    }
}

/* Does the core think that the caller has used the FPU? */
static bool fpu_active(void)
{
    uint32_t control = 0;
#ifdef __arm__
    __asm__ volatile("mrs %0, control" : "=r"(control));
#endif
    return control & 4;
}

static void watch(void *arg)
{
    uint32_t which = (uintptr_t)arg;
    for (uint32_t seed = which * 0x01234567u;; seed += 0x9E3779B9u) {
        CHECK(registers_disturbed(seed) == 0);
        CHECK(
            !fpu_active()); /* so no interrupt makes room for FPU registers, no switch saves any */
        rounds[which]++;
    }
}

static void fpu_thread(void *arg)
{
    (void)arg;
    for (uint32_t seed = 77;; seed += 0x9E3779B9u) {
        CHECK(fpu_disturbed(seed, NULL, NULL) == 0);
        fpu_rounds++;
        if (fpu_rounds % 64 == 0)
            CHECK(fpu_disturbed(seed, takt_sem_signal, &pong) == 0);
    }
}

static void player(void *arg)
{
    for (;;) {
        takt_sem_signal(arg ? &pong : &ping);
        takt_sem_wait_for(arg ? &ping : &pong, 700);
        pings++;
    }
}

static void sleeper(void *arg)
{
    (void)arg;
    for (uint32_t us = 1;; us = us * 7 % 1999 + 1) {
        takt_time_t from = takt_now();
        takt_sleep(us);
        CHECK(takt_now() - from >= us);
        CHECK(!fpu_active()); /* nor does the kernel use the FPU */
        sleeps++;
    }
}

TAKT_BUDGET_THREAD(serve, 3000, 10000 * RARER, serve_thread, NULL, STACK);
TAKT_BUDGET_THREAD(sleeper, 2000, 20000 * RARER, sleeper, NULL, STACK);
TAKT_BUDGET_THREAD(player_a, 1500, 30000 * RARER, player, NULL, STACK);
TAKT_BUDGET_THREAD(watch_a, 6000, 70000 * RARER, watch, (void *)0, STACK);
TAKT_BUDGET_THREAD(fpu, 6000, 75000 * RARER, fpu_thread, NULL, STACK);
TAKT_BUDGET_THREAD(player_b, 1500, 80000 * RARER, player, (void *)1, STACK);
TAKT_BUDGET_THREAD(watch_b, 8000, 110000 * RARER, watch, (void *)1, STACK);
TAKT_THREAD(watch_c, 9, watch, (void *)2, STACK)

int main(void)
{
    takt_start();
}
