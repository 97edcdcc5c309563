/*
 * A ring buffer and a channel between an interrupt and a thread, and between threads: nothing is lost
 * or doubled, no item is half old and half new.
 */
#include <takt/channel.h>
#include <takt/isr.h>
#include <takt/ringbuf.h>
#include <takt/sem.h>
#include <takt/spinlock.h>
#include <takt/time.h>

#include "check.h"
#include "noise.h"

#define ENOUGH 1000u

struct item {
    uint32_t number, again;
};

TAKT_RINGBUF(ring, struct item, 5);
TAKT_CHANNEL(latest, struct item);
static struct takt_sem some = TAKT_SEM_INIT(0);
static struct takt_spinlock lock = TAKT_SPINLOCK_INIT;
static uint32_t sent;
volatile uint32_t refused, taken, fresh, stale;

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    noise_after((20 + sent * 37 % 41) * AVR_SLOWER * NOISE_MHZ + sent % NOISE_MHZ);
    struct item item = {sent, ~sent};
    takt_channel_write(&latest, &item);
    if (takt_ringbuf_write(&ring, &item) == TAKT_OK) {
        sent++;
        takt_sem_signal_isr(&some);
    } else {
        refused++;
    }
    takt_isr_exit(99);
}

static void taker_thread(void *arg)
{
    struct item item;
    (void)arg;
    noise_open(NOISE_ORDINARY);
    noise_after(100 * NOISE_MHZ);
    for (;;) {
        takt_sem_wait(&some);
        if (taken % 64 == 63)
            takt_sleep(700 * AVR_SLOWER); /* the ring fills */
        CHECK(takt_ring_count(&ring.ring) >= 1);
        CHECK(takt_ringbuf_read(&ring, &item) == TAKT_OK);
        CHECK(item.number == taken && item.again == ~taken);
        taken++;
    }
}

static void reader_thread(void *arg)
{
    struct item item = {0, ~(uint32_t)0};
    (void)arg;
    for (;;) {
        uint32_t before = item.number;
        takt_channel_read(&latest, &item);
        if (item.number | item.again) /* all zero until the first is written */
            CHECK(item.again == ~item.number);
        CHECK(item.number >= before);
        if (item.number > before)
            fresh++;
        else
            stale++;
        takt_spinlock_lock(&lock);
        done = taken >= ENOUGH;
        takt_spinlock_unlock(&lock);
    }
}

TAKT_THREAD(taker, 1, taker_thread, NULL, STACK_BYTES)
TAKT_THREAD(reader, 2, reader_thread, NULL, STACK_BYTES)

int main(void)
{
    takt_start();
}
