/*
 * What several CPUs do to each other: semaphores, waits with a time, mutexes, events of devices,
 * jobs, changes of budgets and shares, threads that are created. All data here are plain; what
 * orders them is the kernel.
 */
#include "host.h"

#include "../../../kernel/core/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <takt/cpus.h>
#include <takt/create.h>
#include <takt/io.h>
#include <takt/isr.h>
#include <takt/mutex.h>
#include <takt/periodic.h>
#include <takt/time.h>

enum { ROUNDS = 30, CREATED = 3, STACK = 1 << 18, LEAST_JOBS = 5 };

/* Places, before any guest is created. */
enum {
    BOTTOM,
    HANDLER,
    LOOPS,
    JOB = LOOPS + PORT_CPUS,
    WORKERS,
    MANAGER = WORKERS + PORT_CPUS,
    LAST,
    THREADS,
};

static struct takt_io_vcpu io = TAKT_IO_VCPU_INIT(1, 10);
static struct takt_periodic job_server = TAKT_PERIODIC_INIT(100, 2000, TAKT_SKIP);
static struct takt_sem events = TAKT_SEM_BINARY_INIT(0), done = TAKT_SEM_INIT(0);
static struct takt_line line = {.wake = &events};
static struct takt_mutex outer = TAKT_MUTEX_INIT(0), inner = TAKT_MUTEX_INIT(0);
static uint32_t in_section, jobs;

/* From loop i to worker i, which is on another CPU. */
static struct {
    struct takt_sem room, filled;
    uint32_t letter, sum;
} boxes[PORT_CPUS];

static char stacks[THREADS + CREATED][STACK] __attribute__((aligned(64)));

static void section(void)
{
    takt_mutex_lock(&outer);
    uint32_t before = in_section;
    compute(2);
    takt_mutex_lock(&inner);
    in_section = before + 1;
    takt_mutex_unlock(&inner);
    takt_mutex_unlock(&outer);
}

static void loop(void *arg)
{
    uintptr_t i = (uintptr_t)arg;
    for (uint32_t round = 1; round <= ROUNDS;) {
        section();
        compute(20);
        if (takt_sem_wait_for(&boxes[i].room, 500) != TAKT_OK)
            continue;
        boxes[i].letter = round++;
        takt_sem_signal(&boxes[i].filled);
    }
    takt_sem_signal(&done);
}

static void work(void *arg)
{
    uintptr_t i = (uintptr_t)arg;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        takt_sem_wait(&boxes[i].filled);
        boxes[i].sum += boxes[i].letter;
        takt_sem_signal(&boxes[i].room);
        compute(10);
        takt_sleep(50);
    }
    takt_sem_signal(&done);
}

static void job(void)
{
    section();
    jobs++;
}

static void bottom(void *arg)
{
    (void)arg;
    for (;;) {
        takt_io_wait(&io);
        takt_line_pass(&line, takt_now(), 0);
    }
}

static void handler(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_wait(&events);
        takt_line_take(&line);
        compute(1);
    }
}

static struct takt_thread threads[THREADS];

static void guest(void *arg)
{
    (void)arg;
    section();
    takt_sem_signal(&done);
}

static struct takt_vcpu guests[CREATED];
static struct takt_thread created[CREATED];

static void create(int i)
{
    guests[i] = (struct takt_vcpu)TAKT_VCPU_INIT(20, 1500, 0);
    created[i] = (struct takt_thread){
        guest, NULL, stacks[THREADS + i], stacks[THREADS + i] + STACK, &guests[i], "guest"};
    if (takt_thread_create(&created[i]) < 0)
        takt_fatal(TAKT_FATAL_ASSERT, TAKT_NOBODY, "takt: no guest");
}

static void manage(void *arg)
{
    (void)arg;
    for (int i = 0; i < CREATED; i++) {
        create(i);
        takt_io_enable(&io, false);
        takt_periodic_unregister(&job_server);
        takt_sleep(300);
        takt_periodic_register(&job_server);
        takt_io_enable(&io, true);
        takt_io_set_share(&io, 1, i % 2 ? 10 : 20);
        takt_vcpu_set_budget((uint8_t)(LOOPS + i), 250);
        takt_vcpu_restart_all();
    }
    takt_sem_signal(&done);
}

static void last(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2 * PORT_CPUS + CREATED + 1; i++)
        takt_sem_wait(&done);
    while (jobs < LEAST_JOBS)
        takt_sleep_ms(1);
    for (int i = 0; i < PORT_CPUS; i++)
        if (boxes[i].sum != ROUNDS * (ROUNDS + 1) / 2)
            takt_fatal(TAKT_FATAL_ASSERT, TAKT_NOBODY, "takt: a letter is lost");
    puts("done");
    exit(0);
}

void device_isr(void)
{
    takt_isr_enter();
    takt_io_raise_isr(&io, takt_place_of(&threads[HANDLER]));
    takt_io_isr_exit(&io, 1);
}

static struct takt_vcpu loops[PORT_CPUS], handler_server = TAKT_VCPU_INIT(100, 1000, 0);
TAKT_PIN_SECTION static struct takt_pin pins[THREADS];

static void add(int place, uint8_t cpu, void (*entry)(void *), void *arg, struct takt_vcpu *vcpu)
{
    threads[place] = (struct takt_thread){
        entry, arg, stacks[place], stacks[place] + STACK, vcpu, "thread"};
    pins[place] = (struct takt_pin){&threads[place], cpu};
}

int main(int count, char **arguments)
{
    host_seed = count > 1 ? (uint32_t)atoi(arguments[1]) : 0;
    add(BOTTOM, 3, bottom, NULL, &io.server);
    add(HANDLER, 3, handler, NULL, &handler_server);
    add(JOB, 1, takt_periodic_thread, (void *)job, &job_server.server);
    add(MANAGER, 0, manage, NULL, NULL);
    add(LAST, 2, last, NULL, NULL);
    for (uint8_t i = 0; i < PORT_CPUS; i++) {
        loops[i] = (struct takt_vcpu)TAKT_VCPU_INIT(300, 1000, 0);
        boxes[i].room = (struct takt_sem)TAKT_SEM_INIT(1);
        boxes[i].filled = (struct takt_sem)TAKT_SEM_INIT(0);
        add(LOOPS + i, i, loop, (void *)(uintptr_t)i, &loops[i]);
        add(WORKERS + i, (uint8_t)((i + 1) % PORT_CPUS), work, (void *)(uintptr_t)i, NULL);
    }
    port_irq_save();
    for (uint8_t place = 0; place < THREADS; place++)
        takt_table[place] = &threads[place];
    port_init();
    takt_boot_locked(THREADS);
}
