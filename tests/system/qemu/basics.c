/*
 * Semaphores, mutexes, sleeping and timed waits of threads on any board, and what they answer where
 * they are not allowed.
 */
#include <takt/isr.h>
#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/thread.h>

#include "check.h"
#include "noise.h"

#define LATE_US 300 /* the slowest board's alarm and switch, several times over */

static struct takt_sem go_high = TAKT_SEM_INIT(0), go_mid = TAKT_SEM_INIT(0);
static struct takt_sem shared = TAKT_SEM_INIT(0), from_isr = TAKT_SEM_INIT(0);
static struct takt_sem binary = TAKT_SEM_BINARY_INIT(0);
static struct takt_mutex all = TAKT_MUTEX_INIT(0), inner = TAKT_MUTEX_INIT(1);
static volatile uint32_t order, order_count;
static volatile int isr_wait, isr_wait_for, isr_lock, isr_unlock, isr_signal, isr_sleep, isr_right;

static void note(uint32_t who)
{
    order = order << 4 | who;
    order_count++;
}

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    isr_wait = takt_sem_wait(&shared);
    isr_wait_for = takt_sem_wait_for(&shared, 10);
    isr_lock = takt_mutex_lock(&all);
    isr_unlock = takt_mutex_unlock(&all);
    isr_signal = takt_sem_signal(&shared);
    isr_sleep = takt_sleep(10);
    isr_right = takt_sem_signal_isr(&from_isr);
    takt_isr_exit(99);
}

static void high_thread(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_wait(&go_high);
        note(1);
        takt_sem_wait(&shared);
        note(2);
    }
}

static void mid_thread(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_wait(&go_mid);
        note(3);
        takt_sem_wait(&shared);
        note(4);
    }
}

/* A unit goes to the most urgent waiter, whoever came first. */
static void waiting(void)
{
    order = 0;
    takt_sem_signal(&go_mid); /* it runs at once, and waits for `shared` */
    takt_sem_signal(&go_high);
    CHECK(order == 0x31);
    takt_sem_signal(&shared);
    CHECK(order == 0x312);
    takt_sem_signal(&shared);
    CHECK(order == 0x3124);
    CHECK(takt_sem_try(&shared) == TAKT_EAGAIN);
    CHECK(takt_sem_signal(&binary) == TAKT_OK);
    CHECK(takt_sem_signal(&binary) == TAKT_EOVERFLOW);
    CHECK(takt_sem_wait(&binary) == TAKT_OK);
}

static void timed(void)
{
    CHECK(takt_sem_wait_for(&binary, 0) == TAKT_EAGAIN);
    CHECK(takt_sem_wait_for(&binary, TAKT_DURATION_MAX + 1) == TAKT_EINVAL);
    CHECK(takt_sleep(TAKT_DURATION_MAX + 1) == TAKT_EINVAL);
    for (uint32_t us = 1; us < 3000; us = us * 2 + 3) {
        takt_time_t from = takt_now();
        CHECK(takt_sem_wait_for(&binary, us) == TAKT_ETIMEOUT);
        uint32_t took = takt_now() - from;
        CHECK(took >= us && took < us + LATE_US);
        from = takt_now();
        CHECK(takt_sleep(us) == TAKT_OK);
        took = takt_now() - from;
        CHECK(took >= us && took < us + LATE_US);
    }
}

/* While a mutex of ceiling 0 is held nobody else runs; afterwards at once. */
static void locking(void)
{
    order = 0;
    CHECK(takt_mutex_lock(&all) == TAKT_OK);
    CHECK(takt_mutex_lock(&all) == TAKT_EOWNER);
    CHECK(takt_mutex_unlock(&inner) == TAKT_EOWNER);
    CHECK(takt_mutex_lock(&inner) == TAKT_OK);
    CHECK(takt_mutex_unlock(&all) == TAKT_EOWNER);
    takt_sem_signal(&go_high);
    CHECK(order == 0);
    CHECK(takt_sem_wait(&binary) == TAKT_ECONTEXT);
    CHECK(takt_sleep(10) == TAKT_ECONTEXT);
    CHECK(takt_mutex_unlock(&inner) == TAKT_OK);
    CHECK(order == 0);
    CHECK(takt_mutex_unlock(&all) == TAKT_OK);
    CHECK(order == 1);
    CHECK(takt_mutex_unlock(&all) == TAKT_EOWNER);
    takt_sem_signal(&shared);
}

static void interrupted(void)
{
    noise_after(50 * NOISE_MHZ);
    CHECK(takt_sem_wait_for(&from_isr, 10000) == TAKT_OK);
    CHECK(isr_wait == TAKT_ECONTEXT && isr_wait_for == TAKT_ECONTEXT);
    CHECK(isr_lock == TAKT_ECONTEXT && isr_unlock == TAKT_ECONTEXT);
    CHECK(isr_signal == TAKT_ECONTEXT && isr_sleep == TAKT_ECONTEXT);
    CHECK(isr_right == TAKT_OK);
}

/* The same, whether there is a unit or not, and nothing has happened. */
static void with_interrupts_off(void)
{
    CHECK(takt_sem_signal(&shared) == TAKT_OK);
    port_irq_t irq = port_irq_save();
    int wait = takt_sem_wait(&binary), wait_for = takt_sem_wait_for(&binary, 10);
    int signal = takt_sem_signal(&binary), sleep = takt_sleep(10);
    int with_unit = takt_sem_wait(&shared);
    int lock = takt_mutex_lock(&all), unlock = takt_mutex_unlock(&all);
    port_irq_restore(irq);
    CHECK(wait == TAKT_ECONTEXT && wait_for == TAKT_ECONTEXT && signal == TAKT_ECONTEXT);
    CHECK(lock == TAKT_ECONTEXT && unlock == TAKT_ECONTEXT && sleep == TAKT_ECONTEXT);
    CHECK(with_unit == TAKT_ECONTEXT && takt_sem_try(&shared) == TAKT_OK);
    CHECK(takt_sem_try(&binary) == TAKT_EAGAIN);
    CHECK(takt_mutex_lock(&all) == TAKT_OK);
    irq = port_irq_save();
    unlock = takt_mutex_unlock(&all);
    port_irq_restore(irq);
    CHECK(unlock == TAKT_ECONTEXT);
    CHECK(takt_mutex_unlock(&all) == TAKT_OK);
}

static void low_thread(void *arg)
{
    (void)arg;
    waiting();
    timed();
    locking();
    interrupted();
    with_interrupts_off();
    done = 1;
    for (;;)
        takt_sleep(100000);
}

TAKT_THREAD(high, 1, high_thread, 0, ROOMY_BYTES)
TAKT_THREAD(mid, 2, mid_thread, 0, ROOMY_BYTES)
TAKT_THREAD(low, 3, low_thread, 0, ROOMY_BYTES)

int main(void)
{
    CHECK(takt_sem_wait(&binary) == TAKT_ECONTEXT);
    CHECK(takt_sem_signal(&binary) == TAKT_ECONTEXT);
    CHECK(takt_mutex_lock(&all) == TAKT_ECONTEXT);
    CHECK(takt_sleep(10) == TAKT_ECONTEXT);
    noise_open(NOISE_ORDINARY); /* before the kernel's alarm, which may be of the same timer */
    takt_start();
}
