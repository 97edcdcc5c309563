/*
 * A test port: several CPUs, each a thread of the host, so that ThreadSanitizer sees what the
 * kernel's C does at the same time. Its own state is relaxed atomics, which order nothing: all
 * order between CPUs is the kernel's.
 *
 * Interrupts are taken where they are let in, where a loop waits for another CPU, and by compute().
 * The clock goes on by compute(), and while all CPUs sleep up to the next alarm: nothing depends on
 * the host's.
 */
#ifndef TAKT_TEST_HOST_H
#define TAKT_TEST_HOST_H

#include <takt/port.h>

/* Of when a CPU lets others go on and devices interrupt; before port_init(). */
extern uint32_t host_seed;

/* The calling thread computes so long. */
void compute(uint32_t us);

/* The program's: a device's interrupt, on any CPU, now and then while that computes. */
void device_isr(void);

#endif
