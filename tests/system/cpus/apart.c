/*
 * A loop with a budget on CPU 1 passes mark() each time it has turned as often, with calls = 1 calling the
 * kernel all the time: clock, semaphore, channel, and a sleep at the end; CPU 0 computes, or with storm = 1 is interrupted as fast as it can take it, each interrupt with a thread to wake through a
 * bottom half.
 */
#include <takt/channel.h>
#include <takt/cpus.h>
#include <takt/io.h>
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"
#include "noise.h"

enum { TURNS = 20000, CALLED = 50, EVERY_US = 20, SLEEP_US = 1000 };

const volatile int32_t storm = 0, calls = 0; /* the test's choice */

volatile uint32_t passes, interrupts, handled, computed;
static struct takt_sem wake = TAKT_SEM_BINARY_INIT(0);
static struct takt_line line = {.wake = &wake};

__attribute__((noinline)) void mark(void)
{
    passes++;
}

TAKT_CHANNEL(freshest, takt_time_t);
static struct takt_sem own = TAKT_SEM_BINARY_INIT(0);

static void call(void)
{
    takt_time_t now = takt_now();
    takt_channel_write(&freshest, &now);
    (void)takt_sem_signal(&own);
    (void)takt_sem_wait(&own);
    takt_channel_read(&freshest, &now);
}

static void turn(void *arg)
{
    (void)arg;
    for (volatile uint32_t turns = 1;; turns++) {
        if (calls && turns % CALLED == 0)
            call();
        if (turns % TURNS > 0)
            continue;
        mark();
        if (calls)
            takt_sleep(SLEEP_US);
    }
}

static void compute(void *arg)
{
    (void)arg;
    if (storm) {
        noise_open(NOISE_ORDINARY);
        noise_after(EVERY_US * NOISE_MHZ);
    }
    for (;;)
        computed++;
}

static void bottom(void *arg);
TAKT_IO_THREAD(bottom_half, 1, 5, bottom, 0, 4096);

static void bottom(void *arg)
{
    (void)arg;
    for (;;) {
        takt_io_wait(&takt_io_bottom_half);
        takt_line_pass(&line, takt_now(), 0);
    }
}

static void handle(void *arg)
{
    (void)arg;
    line.place = takt_self();
    for (;;) {
        takt_sem_wait(&wake);
        handled += takt_line_take(&line);
    }
}

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    interrupts++;
    noise_after(EVERY_US * NOISE_MHZ);
    takt_io_raise_isr(&takt_io_bottom_half, line.place);
    takt_io_isr_exit(&takt_io_bottom_half, 9);
}

TAKT_BUDGET_THREAD(handler, 1000, 10000, handle, 0, 4096);
TAKT_BUDGET_THREAD(loop, 14000, 20000, turn, 0, 4096);
TAKT_THREAD(computer, 9, compute, 0, 4096);

TAKT_ON_CPU(handler, 0);
TAKT_ON_CPU(bottom_half, 0);
TAKT_ON_CPU(computer, 0);
TAKT_ON_CPU(loop, 1);

int main(void)
{
    takt_start();
}
