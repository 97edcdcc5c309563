/*
 * A handler needs more of the interrupts' stack than there is; DEPTH: how many frames of 64 bytes and
 * more it has on it, in a program with budgets.
 */
#include <takt/isr.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"
#include "noise.h"

volatile uint32_t handled;
static volatile uint32_t depth = DEPTH;

__attribute__((noinline)) static uint32_t deeper(uint32_t n)
{
    volatile uint32_t frame[16];
    for (uint32_t i = 0; i < 16; i++)
        frame[i] = n;
    if (n > 0)
        frame[n % 16] += deeper(n - 1);
    return frame[n % 16];
}

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    deeper(depth);
    handled++;
    takt_isr_exit(99);
}

static void thread(void *arg)
{
    (void)arg;
    noise_open(NOISE_ORDINARY);
    noise_after(100 * NOISE_MHZ);
    for (;;)
        takt_sleep(1000);
}

TAKT_BUDGET_THREAD(quiet, 5000, 100000, thread, 0, 512)

int main(void)
{
    takt_start();
}
