/*
 * Threads with budgets that wake, call each other and hold a mutex, above one without that counts
 * its turns, or sleeps: what it does not get, or the CPU is awake, the others have used. The test
 * reads their accounts.
 */
#include <stddef.h>
#include <takt/mutex.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

const uint32_t jitter = 0, alone = 0; /* changed from outside */
volatile uint32_t parts, given_at, left_at, head_amount_at; /* of a us; where fields are */
volatile uint32_t turns;
static struct takt_sem asked = TAKT_SEM_INIT(0);
static struct takt_mutex shared = TAKT_MUTEX_INIT(0);

static void asking(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sleep(900);
        takt_sem_signal(&asked);
    }
}

static void sleeping(void *arg)
{
    (void)arg;
    for (;;)
        takt_sleep(1300);
}

static void answering(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_wait(&asked);
        takt_mutex_lock(&shared);
        for (volatile int i = 0; i < 20; i++)
            ;
        takt_mutex_unlock(&shared);
    }
}

static uint32_t changed(const volatile uint32_t *value)
{
    return *value;
}

static void counting(void *arg)
{
    (void)arg;
    while (changed(&alone))
        takt_sleep(1000000000);
    for (;;) {
        turns++;
        __asm__ volatile(".global turned\nturned:");
    }
}

TAKT_BUDGET_THREAD(a, 200000, 1000000, asking, NULL, 192);
TAKT_BUDGET_THREAD(b, 200000, 1000001, sleeping, NULL, 192);
TAKT_BUDGET_THREAD(c, 200000, 1000002, answering, NULL, 192);
TAKT_THREAD(d, 2000000, counting, NULL, 192)

int main(void)
{
    parts = TAKT_PARTS;
    given_at = offsetof(struct takt_vcpu, given);
    left_at = offsetof(struct takt_vcpu, left);
    head_amount_at = offsetof(struct takt_vcpu, list[0].amount);
    uint8_t own = (uint8_t)changed(&jitter);
    takt_vcpu_a.jitter = takt_vcpu_b.jitter = takt_vcpu_c.jitter = own;
    takt_start();
}
