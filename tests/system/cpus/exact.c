/*
 * Two loops that count how much of the CPU their budgets give them, and with noise = 1 interrupts every
 * few hundred microseconds, each with a more urgent thread to wake.
 */
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"
#include "noise.h"

#define ROOM 4096

enum { EVERY_US = 377, URGENT_WORK = 20000 };

const volatile int32_t noise = 0; /* the test's choice */

volatile uint32_t turns[2], interrupts;
static struct takt_sem wake = TAKT_SEM_BINARY_INIT(0);

/* A turn is 5000 instructions, which are 10 us in QEMU. */
static void spin(void *counter)
{
    takt_thread_at(takt_self())->vcpu->flags |= TAKT_NO_BACKGROUND;
    __asm__ volatile("1: movl $2496, %%ecx\n"
                     "2: decl %%ecx\n"
                     "   jnz 2b\n"
                     "   addl $1, (%0)\n"
                     "   nop\n\tnop\n\tnop\n\tnop\n\tnop\n"
                     "   jmp 1b\n" ::"r"(counter) : "rcx", "cc", "memory");
}

static void urgent(void *arg)
{
    (void)arg;
    if (noise) {
        noise_open(NOISE_ORDINARY);
        noise_after(EVERY_US * NOISE_MHZ);
    }
    for (;;) {
        takt_sem_wait(&wake);
        for (volatile uint32_t work = 0; work < URGENT_WORK / 4; work++)
            ;
    }
}

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    interrupts++;
    noise_after(EVERY_US * NOISE_MHZ);
    (void)takt_sem_signal_isr(&wake);
    takt_isr_exit(9);
}

TAKT_BUDGET_THREAD(urgent, 400, 1000, urgent, 0, ROOM);
TAKT_BUDGET_THREAD(first, 1000, 7000, spin, (void *)&turns[0], ROOM);
TAKT_BUDGET_THREAD(second, 1000, 7000, spin, (void *)&turns[1], ROOM);

int main(void)
{
    takt_start();
}
