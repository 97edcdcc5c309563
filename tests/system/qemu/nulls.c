/* Calls of queues, flags, conditions and locks that are not there, where reading address 0 is no
 * fault. */
#include <takt/cond.h>
#include <takt/flags.h>
#include <takt/lock.h>
#include <takt/queue.h>

#include "check.h"

static void thread(void *arg)
{
    struct takt_cond cond = TAKT_COND_INIT;
    struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
    uint32_t item = 0;
    (void)arg;
    CHECK(takt_queue_put(NULL, &item) == TAKT_EINVAL);
    CHECK(takt_queue_get(NULL, &item) == TAKT_EINVAL);
    CHECK(takt_queue_put_for(NULL, &item, 0) == TAKT_EINVAL);
    CHECK(takt_queue_get_for(NULL, &item, 0) == TAKT_EINVAL);
    CHECK(takt_queue_put_isr(NULL, &item) == TAKT_EINVAL);
    CHECK(takt_queue_get_isr(NULL, &item) == TAKT_EINVAL);
    CHECK(takt_flags_wait(NULL, 1, TAKT_FLAGS_ANY, NULL) == TAKT_EINVAL);
    CHECK(takt_flags_wait_for(NULL, 1, TAKT_FLAGS_ANY, 0, NULL) == TAKT_EINVAL);
    CHECK(takt_flags_set(NULL, 1) == TAKT_EINVAL);
    CHECK(takt_flags_set_isr(NULL, 1) == TAKT_EINVAL);
    CHECK(takt_flags_clear(NULL, 1) == 0);
    CHECK(takt_cond_wait(NULL, &mutex) == TAKT_EINVAL);
    CHECK(takt_cond_wait(&cond, NULL) == TAKT_EINVAL);
    CHECK(takt_cond_wait_for(NULL, &mutex, 0) == TAKT_EINVAL);
    CHECK(takt_cond_signal(NULL) == TAKT_EINVAL);
    CHECK(takt_cond_broadcast(NULL) == TAKT_EINVAL);
    CHECK(takt_lock_take(NULL) == TAKT_EINVAL);
    CHECK(takt_lock_take_for(NULL, 0) == TAKT_EINVAL);
    CHECK(takt_lock_give(NULL) != TAKT_OK);
    for (;;)
        done = 1;
}

TAKT_THREAD(only, 1, thread, NULL, STACK_BYTES)

int main(void)
{
    takt_start();
}
