/*
 * A program with threads and semaphores only, which has no more of the kernel than that: what waits
 * and signals answer where they are not allowed and whatever a signal wakes, a counter's end, two
 * threads of one priority.
 */
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/thread.h>

#include "check.h"
#include "noise.h"

static struct takt_sem empty = TAKT_SEM_INIT(0), full = TAKT_SEM_INIT(0xFFFE);
static struct takt_sem turn = TAKT_SEM_INIT(0), from_isr = TAKT_SEM_INIT(0);
static struct takt_sem later = TAKT_SEM_INIT(0), urgent = TAKT_SEM_INIT(0);
static volatile int isr_wait, isr_signal, isr_full, isr_past;
static uint32_t order, woken, served;

void NOISE_HANDLER(void)
{
    noise_done();
    isr_wait = takt_sem_wait(&empty);
    isr_signal = takt_sem_signal(&empty);
    isr_full = takt_sem_signal_isr(&full);
    isr_past = takt_sem_signal_isr(&full);
    CHECK(takt_sem_signal_isr(&from_isr) == TAKT_OK);
}

static void peer_thread(void *arg)
{
    for (;;) {
        CHECK(takt_sem_wait(&turn) == TAKT_OK);
        order = order << 4 | (uintptr_t)arg;
    }
}

/* Wakes a less urgent thread, then finds none waiting. */
static void urgent_thread(void *arg)
{
    (void)arg;
    for (;;) {
        CHECK(takt_sem_wait(&urgent) == TAKT_OK);
        CHECK(takt_sem_signal(&later) == TAKT_OK);
        woken += later.waiters == 0;
        CHECK(takt_sem_signal(&later) == TAKT_OK);
    }
}

static void later_thread(void *arg)
{
    (void)arg;
    for (;;) {
        CHECK(takt_sem_wait(&later) == TAKT_OK);
        served++;
    }
}

static void low_thread(void *arg)
{
    (void)arg;
    CHECK(takt_sem_signal(&turn) == TAKT_OK);
    CHECK(order == 1);
    CHECK(takt_sem_signal(&urgent) == TAKT_OK);
    CHECK(woken == 1 && served == 2);
    port_irq_t irq = port_irq_save();
    int wait = takt_sem_wait(&empty), signal = takt_sem_signal(&turn);
    int with_unit = takt_sem_wait(&full);
    port_irq_restore(irq);
    CHECK(with_unit == TAKT_ECONTEXT && wait == TAKT_ECONTEXT && signal == TAKT_ECONTEXT);
    CHECK(order == 1);
    noise_open(NOISE_ORDINARY);
    noise_after(50 * NOISE_MHZ);
    CHECK(takt_sem_wait(&from_isr) == TAKT_OK);
    CHECK(isr_wait == TAKT_ECONTEXT && isr_signal == TAKT_ECONTEXT);
    CHECK(isr_full == TAKT_OK && isr_past == TAKT_EOVERFLOW);
    CHECK(takt_sem_signal(&full) == TAKT_EOVERFLOW);
    CHECK(takt_sem_wait(&full) == TAKT_OK);
    CHECK(takt_sem_signal(&full) == TAKT_OK);
    CHECK(takt_sem_signal(&full) == TAKT_EOVERFLOW);
    CHECK(takt_sem_try(&empty) == TAKT_EAGAIN);
    done = 1;
    for (;;) /* the test comes by later */
        continue;
}

/* Of two with one priority the first defined is the more urgent. */
TAKT_THREAD(urgent, 0, urgent_thread, 0, STACK_BYTES)
TAKT_THREAD(one, 1, peer_thread, (void *)1, STACK_BYTES)
TAKT_THREAD(two, 1, peer_thread, (void *)2, STACK_BYTES)
TAKT_THREAD(later, 1, later_thread, 0, STACK_BYTES)
TAKT_THREAD(low, 2, low_thread, 0, STACK_BYTES)

int main(void)
{
    CHECK(takt_sem_wait(&full) == TAKT_ECONTEXT);
    CHECK(takt_sem_signal(&full) == TAKT_ECONTEXT);
    takt_start();
}
