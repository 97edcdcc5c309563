/* Threads that wait for flags or for a condition, and one that wakes them all at once. */
#include <takt/cond.h>
#include <takt/flags.h>
#include <takt/time.h>
#include <takt/vcpu.h>

const uint32_t waiting = 0, condition = 0; /* changed from outside */
static volatile uint32_t started;
volatile uint32_t rounds;
static struct takt_flags flags = TAKT_FLAGS_INIT(0);
static struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
static struct takt_cond changes = TAKT_COND_INIT;

static uint32_t changed(const volatile uint32_t *value)
{
    return *value;
}

static void waiter(void *arg)
{
    (void)arg;
    if (started++ >= changed(&waiting))
        takt_thread_exit();
    for (;;) {
        if (changed(&condition)) {
            takt_mutex_lock(&mutex);
            takt_cond_wait(&changes, &mutex);
            takt_mutex_unlock(&mutex);
        } else {
            takt_flags_wait(&flags, 6, TAKT_FLAGS_ALL | TAKT_FLAGS_KEEP, NULL);
            takt_flags_clear(&flags, 6);
        }
    }
}

static void caller(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sleep(5000);
        if (changed(&condition))
            takt_cond_broadcast(&changes);
        else
            takt_flags_set(&flags, 7);
        rounds++;
    }
}

#define WAITER(n) TAKT_BUDGET_THREAD(waiter##n, 30000, 1000000 + n, waiter, NULL, STACK);
WAITER(1)
WAITER(2)
WAITER(3)
WAITER(4)
#if THREADS > 4
WAITER(5)
WAITER(6)
WAITER(7)
#endif
#if THREADS > 7
WAITER(8)
WAITER(9)
WAITER(10)
#endif
#if THREADS > 10
WAITER(11)
WAITER(12)
WAITER(13)
WAITER(14)
WAITER(15)
WAITER(16)
WAITER(17)
WAITER(18)
WAITER(19)
WAITER(20)
WAITER(21)
WAITER(22)
WAITER(23)
WAITER(24)
WAITER(25)
WAITER(26)
WAITER(27)
WAITER(28)
#endif
TAKT_BUDGET_THREAD(caller, 30000, 2000000, caller, NULL, STACK);

int main(void)
{
    takt_start();
}
