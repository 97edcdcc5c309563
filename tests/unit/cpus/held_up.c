/*
 * Unlocking a mutex preempts: `urgent` becomes due while `low`, on the same CPU, waits for the
 * section of another one. It runs when `low` unlocks, not when that has computed for a while longer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/cpu.h"
#include "host.h"

#include <takt/cpus.h>
#include <takt/mutex.h>
#include <takt/time.h>

enum { URGENT, LOW, OTHER, THREADS, STACK = 1 << 18, DUE = 100, SECTION = 300, LONGER = 2000 };

static struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
static bool other_has_it, low_wants_it; /* relaxed */
static bool urgent_ran;                 /* CPU 0's */

#define SET(what) __atomic_store_n(&(what), true, __ATOMIC_RELAXED)
#define GET(what) __atomic_load_n(&(what), __ATOMIC_RELAXED)

static void urgent(void *arg)
{
    (void)arg;
    takt_sleep(DUE);
    urgent_ran = true;
    takt_sleep(TAKT_DURATION_MAX);
}

static void low(void *arg)
{
    (void)arg;
    while (!GET(other_has_it))
        compute(1);
    SET(low_wants_it);
    takt_mutex_lock(&mutex);
    takt_mutex_unlock(&mutex);
    bool ran = urgent_ran;
    compute(LONGER);
    puts(ran ? "done" : "late"); /* or before: the clock is all CPUs' */
    exit(0);
}

static void other(void *arg)
{
    (void)arg;
    takt_mutex_lock(&mutex);
    SET(other_has_it);
    while (!GET(low_wants_it))
        port_relax();
    compute(SECTION);
    takt_mutex_unlock(&mutex);
    takt_sleep(TAKT_DURATION_MAX);
}

void device_isr(void) {}

static char stacks[THREADS][STACK] __attribute__((aligned(64)));
static struct takt_thread threads[THREADS];
static struct takt_vcpu vcpus[THREADS] = {
    TAKT_VCPU_INIT(200, 5000, 0), TAKT_VCPU_INIT(4000, 10000, 0), TAKT_VCPU_INIT(3000, 10001, 0)};
TAKT_PIN_SECTION static struct takt_pin pins[THREADS];

static void add(int place, uint8_t cpu, void (*entry)(void *))
{
    threads[place] = (struct takt_thread){
        entry, NULL, stacks[place], stacks[place] + STACK, &vcpus[place], "thread"};
    pins[place] = (struct takt_pin){&threads[place], cpu};
}

int main(int count, char **arguments)
{
    host_seed = count > 1 ? (uint32_t)atoi(arguments[1]) : 0;
    add(URGENT, 0, urgent);
    add(LOW, 0, low);
    add(OTHER, 1, other);
    port_irq_save();
    for (uint8_t place = 0; place < THREADS; place++)
        takt_table[place] = &threads[place];
    port_init();
    takt_boot_locked(THREADS);
}
