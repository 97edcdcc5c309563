/*
 * Interrupts in bursts, each of which asks for a switch: their distance is swept tick by tick over
 * the time a preemption takes and is undone in, so that at every distance some come while the one
 * before is at any instruction of it, and in its last window again and again. Registers must
 * survive and stacks not grow.
 */
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/thread.h>
#include <takt/time.h>

#include "check.h"
#include "noise.h"

#define BURST    24u
#define FIRST    (2 * NOISE_MHZ) /* ticks */
#define LAST     (LONGEST_US * NOISE_MHZ)
#define STEP     (1 + NOISE_MHZ / 20)
#define PAUSE_US 150

volatile uint32_t told, served[2], rounds, distance = FIRST;
static struct takt_sem noise = TAKT_SEM_INIT(0), less_urgent = TAKT_SEM_INIT(0);
static uint32_t in_burst;

uint32_t registers_disturbed(uint32_t seed);
#if defined(__ARM_FP) || defined(BOARD_PC)
#define HAS_FPU 1
uint32_t fpu_disturbed(uint32_t seed, int (*fn)(struct takt_sem *sem), struct takt_sem *arg);
#else
#define HAS_FPU 0
#define fpu_disturbed(seed, fn, arg) (0u)
#endif

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    if (++in_burst < BURST) {
        noise_after(distance);
    } else {
        in_burst = 0;
        distance += STEP;
        if (distance < LAST)
            noise_after(PAUSE_US * NOISE_MHZ);
        else
            done = 1;
    }
    told++;
    CHECK(takt_sem_signal_isr(told % 3 ? &less_urgent : &noise) == TAKT_OK);
    takt_isr_exit(99);
}

static void serve_thread(void *arg)
{
    (void)arg;
    noise_open(NOISE_ORDINARY);
    noise_after(PAUSE_US * NOISE_MHZ);
    for (uint32_t seed = 5;; seed += 0x9E3779B9u) {
        CHECK(fpu_disturbed(seed, takt_sem_wait, &noise) == 0);
#if !HAS_FPU
        takt_sem_wait(&noise);
#endif
        served[0]++;
    }
}

static void second_thread(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_wait(&less_urgent);
        served[1]++;
    }
}

static void watch_thread(void *arg)
{
    (void)arg;
    for (uint32_t seed = 9;; seed += 0x9E3779B9u) {
        if (seed & 16)
            CHECK(fpu_disturbed(seed, NULL, NULL) == 0);
        else
            CHECK(registers_disturbed(seed) == 0);
        rounds++;
    }
}

TAKT_THREAD(serve, 1, serve_thread, 0, ROOMY_BYTES)
TAKT_THREAD(second, 2, second_thread, 0, ROOMY_BYTES)
TAKT_THREAD(watch, 3, watch_thread, 0, ROOMY_BYTES)

int main(void)
{
    takt_start();
}
