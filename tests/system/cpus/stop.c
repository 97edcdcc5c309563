/*
 * A mistake on CPU 1 stops all CPUs, and is told: CASE 0 a stack that overflows, 1 an address that is not
 * there, 2 the same with the kernel's lock held.
 */
#include <takt/cpus.h>
#include <takt/port.h>
#include <takt/time.h>

#include "check.h"

#ifndef CASE
#define CASE 0
#endif

volatile uint32_t turns;

static void turn(void *arg)
{
    (void)arg;
    for (;;) {
        port_irq_restore(port_irq_save()); /* never waits for ever, nor runs on */
        turns++;
    }
}

static void err(void *arg)
{
    (void)arg;
    takt_sleep(5000);
    CHECK(takt_cpu_here() == 1 && turns > 100);
    if (CASE == 2)
        port_irq_save();
    if (CASE == 0)
        takt_fatal(TAKT_FATAL_STACK, takt_self(), NULL);
    *(volatile uint32_t *)0 = 1;
}

TAKT_THREAD(turner, 1, turn, 0, 4096);
TAKT_THREAD(culprit, 2, err, 0, 4096);
TAKT_ON_CPU(turner, 0);
TAKT_ON_CPU(culprit, 1);

int main(void)
{
    takt_start();
}
