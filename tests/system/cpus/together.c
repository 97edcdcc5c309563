/*
 * Threads on several CPUs, each bound to one: semaphores with and without a timeout, mutexes nested in
 * any order, sleeping, channels and ring buffers between CPUs, spinlocks. Without budgets, or with
 * -DBUDGETS. The same on one CPU.
 */
#include <takt/channel.h>
#include <takt/cpus.h>
#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/spinlock.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"

enum { ROUNDS = 160, PAIRS = 3, LOCKERS = 4, MUTEXES = 3 };

#ifdef BUDGETS
#define THREAD(id, order, entry, arg)                                                              \
    TAKT_BUDGET_THREAD(id, 400, 10000 + 10 * (order), entry, arg, 4096)
#else
#define THREAD(id, order, entry, arg) TAKT_THREAD(id, order, entry, arg, 4096)
#endif

static struct takt_sem over = TAKT_SEM_INIT(0);

/* Each gives the other a unit in turn; they meet in step only if none is lost or made up. */
static struct pair {
    struct takt_sem there, back;
    uint32_t sent, seen;
} pairs[PAIRS] = {{TAKT_SEM_INIT(0), TAKT_SEM_INIT(0), 0, 0},
                  {TAKT_SEM_INIT(0), TAKT_SEM_INIT(0), 0, 0},
                  {TAKT_SEM_INIT(0), TAKT_SEM_INIT(0), 0, 0}};

static void serve(void *arg)
{
    struct pair *p = arg;
    for (p->sent = 1; p->sent <= ROUNDS; p->sent++) {
        CHECK(takt_sem_signal(&p->there) == TAKT_OK);
        CHECK(takt_sem_wait(&p->back) == TAKT_OK);
        CHECK(p->seen == p->sent);
    }
    takt_sem_signal(&over);
}

static void give_back(void *arg)
{
    struct pair *p = arg;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        CHECK(takt_sem_wait(&p->there) == TAKT_OK);
        CHECK(p->sent == round);
        p->seen = round;
        CHECK(takt_sem_signal(&p->back) == TAKT_OK);
    }
}

/* Whoever has any of the mutexes is alone. */
static struct takt_mutex mutexes[MUTEXES] = {TAKT_MUTEX_INIT(0), TAKT_MUTEX_INIT(0),
                                             TAKT_MUTEX_INIT(0)};
static volatile uint32_t inside, locked_count[2];

static void lock_in_turn(void *arg)
{
    uint32_t me = (uint32_t)(uintptr_t)arg;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct takt_mutex *first = &mutexes[(me + round) % MUTEXES];
        struct takt_mutex *second = &mutexes[(me + 2 * round + 1) % MUTEXES];
        CHECK(takt_mutex_lock(first) == TAKT_OK);
        CHECK(inside++ == 0);
        CHECK(takt_mutex_lock(second) == (second == first ? TAKT_EOWNER : TAKT_OK));
        locked_count[0] = locked_count[0] + 1;
        CHECK(takt_mutex_held());
        CHECK(takt_sleep(10) == TAKT_ECONTEXT);
        if (second != first)
            CHECK(takt_mutex_unlock(second) == TAKT_OK);
        locked_count[1] = locked_count[1] + 1;
        CHECK(--inside == 0);
        CHECK(takt_mutex_unlock(first) == TAKT_OK);
        if (round % 8 == me)
            takt_sleep(100);
    }
    takt_sem_signal(&over);
}

/* Units that come about when the wait for them ends: each is taken or left, never both. */
static struct takt_sem rare = TAKT_SEM_INIT(0);
static volatile uint32_t given, taken, refused;

static void give_rarely(void *arg)
{
    (void)arg;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        takt_sleep(150 + round % 100);
        CHECK(takt_sem_signal(&rare) == TAKT_OK);
        given++;
    }
    takt_sleep(2000);
    takt_sem_signal(&over);
}

static void wait_shortly(void *arg)
{
    (void)arg;
    for (;;) {
        takt_time_t from = takt_now();
        int result = takt_sem_wait_for(&rare, 200);
        if (result == TAKT_OK)
            taken++;
        else
            refused++;
        CHECK(result == TAKT_OK || (result == TAKT_ETIMEOUT && takt_now() - from >= 200));
    }
}

/* Items are whole and never older than one seen before. */
struct item {
    uint32_t serial, words[6];
};
TAKT_CHANNEL(freshest, struct item);
static volatile uint32_t reads, changes;

static void write_items(void *arg)
{
    (void)arg;
    struct item item = {0};
    for (uint32_t serial = 1; serial <= 20 * ROUNDS; serial++) {
        item.serial = serial;
        for (uint32_t i = 0; i < 6; i++)
            item.words[i] = serial * (i + 3);
        takt_channel_write(&freshest, &item);
        if (serial % 64 == 0)
            takt_sleep(50);
    }
    takt_sem_signal(&over);
}

static void read_items(void *arg)
{
    (void)arg;
    uint32_t last = 0;
    for (;;) {
        struct item item;
        takt_channel_read(&freshest, &item);
        for (uint32_t i = 0; i < 6; i++)
            CHECK(item.words[i] == item.serial * (i + 3));
        CHECK(item.serial >= last);
        changes += item.serial != last;
        last = item.serial;
        if (++reads % 64 == 0)
            takt_sleep(70);
    }
}

/* A spinlock keeps other CPUs and this one's handlers out. */
static struct takt_spinlock spin = TAKT_SPINLOCK_INIT;
static volatile uint32_t spun[2];

static void spin_in_turn(void *arg)
{
    (void)arg;
    for (uint32_t round = 0; round < 4 * ROUNDS; round++) {
        takt_spinlock_lock(&spin);
        uint32_t before = spun[0];
        spun[0] = before + 1;
        spun[1] = spun[1] + 1;
        CHECK(spun[0] == before + 1 && spun[1] == spun[0]);
        takt_spinlock_unlock(&spin);
        if (round % 32 == 0)
            takt_sleep(20);
    }
    takt_sem_signal(&over);
}

static void judge(void *arg)
{
    (void)arg;
    for (int i = 0; i < PAIRS + LOCKERS + 1 + 1 + 2; i++)
        CHECK(takt_sem_wait(&over) == TAKT_OK);
    CHECK(locked_count[0] == LOCKERS * ROUNDS && locked_count[1] == LOCKERS * ROUNDS);
    CHECK(spun[0] == 2 * 4 * ROUNDS);
    CHECK(given == ROUNDS && taken == given && rare.count == 0);
    CHECK(changes > 10);
    for (uint8_t place = 0; place < takt_thread_count(); place++)
        CHECK(takt_cpu_at(place) < takt_cpus());
    done = 1;
}

/* A pair's halves are on different CPUs if there are two. */
THREAD(serve0, 10, serve, &pairs[0]);
THREAD(back0, 11, give_back, &pairs[0]);
THREAD(serve1, 13, serve, &pairs[1]);
THREAD(back1, 12, give_back, &pairs[1]);
THREAD(serve2, 14, serve, &pairs[2]);
THREAD(back2, 15, give_back, &pairs[2]);
THREAD(locker0, 20, lock_in_turn, (void *)0);
THREAD(locker1, 21, lock_in_turn, (void *)1);
THREAD(locker2, 22, lock_in_turn, (void *)2);
THREAD(locker3, 23, lock_in_turn, (void *)3);
THREAD(rarely, 30, give_rarely, 0);
THREAD(shortly, 31, wait_shortly, 0);
THREAD(writer, 41, write_items, 0);
THREAD(reader, 40, read_items, 0);
THREAD(spinner0, 50, spin_in_turn, 0);
THREAD(spinner1, 51, spin_in_turn, 0);
TAKT_THREAD(judge, 60, judge, 0, 4096);

TAKT_ON_CPU(serve0, 0);
TAKT_ON_CPU(back0, 1);
TAKT_ON_CPU(serve1, 2);
TAKT_ON_CPU(back1, 3);
TAKT_ON_CPU(serve2, 3);
TAKT_ON_CPU(back2, 0);
TAKT_ON_CPU(locker0, 0);
TAKT_ON_CPU(locker1, 1);
TAKT_ON_CPU(locker2, 2);
TAKT_ON_CPU(locker3, 3);
TAKT_ON_CPU(rarely, 1);
TAKT_ON_CPU(shortly, 2);
TAKT_ON_CPU(writer, 0);
TAKT_ON_CPU(reader, 3);
TAKT_ON_CPU(spinner0, 1);
TAKT_ON_CPU(spinner1, 2);

int main(void)
{
    takt_start();
}
