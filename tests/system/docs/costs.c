/*
 * What calls cost: `rounds` of each pair without any wait, and of each hand-over to a more urgent
 * thread, which then waits again, in microseconds; and the bytes of an object.
 */
#include <takt/channel.h>
#include <takt/cond.h>
#include <takt/flags.h>
#include <takt/lock.h>
#include <takt/periodic.h>
#include <takt/queue.h>
#include <takt/ringbuf.h>
#include <takt/task.h>
#include <takt/time.h>
#include <takt/timer.h>

#define ROUNDS 1000u
#define TIMED(us, ...)                                                                             \
    do {                                                                                           \
        takt_time_t begun = takt_now();                                                            \
        for (uint32_t n = 0; n < ROUNDS; n++) {                                                    \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        us = takt_now() - begun;                                                                   \
    } while (0)

/* As the page has them; of those without a call no time is taken. */
enum { SEM, MUTEX, LOCK, COND, QUEUE, FLAGS, TIMER, CHANNEL, RINGBUF, VCPU, JOB, TASK, KINDS };
volatile uint32_t done, us_nothing, us_alone[KINDS], us_over[KINDS], bytes[KINDS];

static struct takt_sem sem = TAKT_SEM_INIT(0), over = TAKT_SEM_INIT(0);
static struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
static struct takt_lock lock = TAKT_LOCK_INIT(0);
static struct takt_flags flags = TAKT_FLAGS_INIT(0), over_flags = TAKT_FLAGS_INIT(0);
static struct takt_cond cond = TAKT_COND_INIT, over_cond = TAKT_COND_INIT;
static struct takt_timer_service service = TAKT_TIMER_SERVICE_INIT;
static struct takt_timer timer = TAKT_TIMER_INIT(NULL, NULL);
TAKT_QUEUE(queue, uint32_t, 2);
TAKT_QUEUE(over_queue, uint32_t, 2);
TAKT_CHANNEL(channel, uint32_t);
TAKT_RINGBUF(ringbuf, uint32_t, 2);

static void sem_waiter(void *arg)
{
    (void)arg;
    for (;;)
        takt_sem_wait(&over);
}

static void queue_waiter(void *arg)
{
    uint32_t item;
    (void)arg;
    for (;;)
        takt_queue_get(&over_queue, &item);
}

static void flags_waiter(void *arg)
{
    (void)arg;
    for (;;)
        takt_flags_wait(&over_flags, 1, TAKT_FLAGS_ANY, NULL);
}

static void cond_waiter(void *arg)
{
    (void)arg;
    takt_mutex_lock(&mutex);
    for (;;)
        takt_cond_wait(&over_cond, &mutex);
}

static void measure_bytes(void)
{
    bytes[SEM] = sizeof(struct takt_sem);
    bytes[MUTEX] = sizeof(struct takt_mutex);
    bytes[LOCK] = sizeof(struct takt_lock);
    bytes[QUEUE] = sizeof(struct takt_queue);
    bytes[FLAGS] = sizeof(struct takt_flags);
    bytes[COND] = sizeof(struct takt_cond);
    bytes[TIMER] = sizeof(struct takt_timer);
    bytes[CHANNEL] = sizeof(struct takt_channel);
    bytes[RINGBUF] = sizeof(struct takt_ringbuf);
    bytes[VCPU] = sizeof(struct takt_vcpu);
    bytes[JOB] = sizeof(struct takt_periodic);
    bytes[TASK] = sizeof(struct takt_task);
}

static void measure(void *arg)
{
    uint32_t item = 0;
    (void)arg;
    measure_bytes();
    TIMED(us_nothing, __asm__ volatile("" ::: "memory"));
    TIMED(us_alone[SEM], takt_sem_signal(&sem), takt_sem_wait(&sem));
    TIMED(us_alone[MUTEX], takt_mutex_lock(&mutex), takt_mutex_unlock(&mutex));
    TIMED(us_alone[LOCK], takt_lock_take(&lock), takt_lock_give(&lock));
    TIMED(us_alone[QUEUE], takt_queue_put(&queue, &item), takt_queue_get(&queue, &item));
    TIMED(us_alone[FLAGS], takt_flags_set(&flags, 1),
          takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, NULL));
    TIMED(us_alone[COND], takt_cond_signal(&cond));
    TIMED(us_alone[TIMER], takt_timer_start(&service, &timer, 1000, 0), takt_timer_stop(&timer));
    TIMED(us_alone[CHANNEL], takt_channel_write(&channel, &item),
          takt_channel_read(&channel, &item));
    TIMED(us_alone[RINGBUF], takt_ringbuf_write(&ringbuf, &item),
          takt_ringbuf_read(&ringbuf, &item));
    TIMED(us_over[SEM], takt_sem_signal(&over));
    TIMED(us_over[QUEUE], takt_queue_put(&over_queue, &item));
    TIMED(us_over[FLAGS], takt_flags_set(&over_flags, 1));
    TIMED(us_over[COND], takt_cond_signal(&over_cond));
    done = 1;
    for (;;)
        takt_sleep(1000000);
}

TAKT_THREAD(waits_sem, 1, sem_waiter, NULL, 512)
TAKT_THREAD(waits_queue, 2, queue_waiter, NULL, 512)
TAKT_THREAD(waits_flags, 3, flags_waiter, NULL, 512)
TAKT_THREAD(waits_cond, 4, cond_waiter, NULL, 512)
TAKT_THREAD(measures, 5, measure, NULL, 512)

int main(void)
{
    takt_start();
}
