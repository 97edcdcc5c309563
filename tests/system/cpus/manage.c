/*
 * What one CPU has another do: budgets changed, all begun anew, threads and jobs created, tasks
 * triggered, bottom halves woken and their share changed. The same on one CPU.
 */
#include <takt/cpus.h>
#include <takt/create.h>
#include <takt/io.h>
#include <takt/isr.h>
#include <takt/periodic.h>
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/task.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"
#include "noise.h"

enum { NEWCOMERS = 8, JOBS = 20, TRIGGERS = 60, EVENTS = 100, STACK = 16384 };

/* Takes all it gets, and notes how much that is, us. */
enum { GAP_US = 100 };
static volatile uint32_t ran;

static void greedy(void *arg)
{
    (void)arg;
    for (takt_time_t last = takt_now();;) {
        takt_time_t now = takt_now();
        ran += now - last < GAP_US ? now - last : 0;
        last = now;
    }
}

static uint32_t ran_in(uint32_t us)
{
    uint32_t before = ran;
    takt_sleep(us);
    return ran - before;
}

static uint8_t place_named(char first)
{
    uint8_t place = 0;
    while (takt_thread_at(place)->name[0] != first)
        place++;
    return place;
}

/* 2 ms in every 20; then 1; then 2 again. */
static void change_budgets(void)
{
    takt_vcpu_restart_all();
    takt_sleep(40000);
    uint32_t whole = ran_in(240000); /* the caller, too, pays: it may wake late */
    CHECK(whole > 22500 && whole < 25500);
    CHECK(takt_vcpu_set_budget(place_named('A'), 1000) == TAKT_OK);
    takt_sleep(100000);
    uint32_t half = ran_in(240000);
    CHECK(half > 10800 && half < 13200);
    CHECK(takt_vcpu_set_budget(place_named('A'), 20000) == TAKT_EADMIT);
    CHECK(takt_vcpu_set_budget(place_named('A'), 2000) == TAKT_OK);
    takt_sleep(100000);
    uint32_t again = ran_in(240000);
    CHECK(again > 22500 && again < 25500);
}

/* Threads that come, with budgets between those of others. */
static struct newcomer {
    struct takt_thread thread;
    struct takt_vcpu vcpu;
    volatile uint32_t runs;
    char *stack;
} newcomers[NEWCOMERS];
static char stacks[NEWCOMERS][STACK] __attribute__((aligned(16)));
static volatile uint32_t ended;

static void run_a_while(void *arg)
{
    struct newcomer *n = arg;
    for (int i = 0; i < 10; i++) {
        takt_sleep(1000);
        CHECK(takt_thread_at(takt_self()) == &n->thread);
        CHECK(takt_cpu_here() == takt_cpu_at(takt_self()));
        n->runs++;
    }
    ended++;
}

static void create_threads(void)
{
    uint32_t on[8] = {0};
    for (uint32_t i = 0; i < NEWCOMERS; i++) {
        struct newcomer *n = &newcomers[i];
        uint32_t period = i % 2 ? 9000 : 60000;
        n->vcpu = (struct takt_vcpu)TAKT_VCPU_INIT(i % 4 == 3 ? 200 : 100, period, 0);
        n->thread = (struct takt_thread){run_a_while, n, stacks[i], stacks[i] + STACK,
                                         i == 6 ? NULL : &n->vcpu, "new"};
        int place = takt_thread_create(&n->thread);
        CHECK(place >= 0 && takt_thread_at((uint8_t)place) == &n->thread);
        on[takt_cpu_at((uint8_t)place)]++;
        CHECK(takt_thread_at(takt_self())->name[0] == 'm');
    }
    CHECK(on[0] > 0);
    takt_sleep(300000);
    CHECK(ended == NEWCOMERS);
    for (uint32_t i = 0; i < NEWCOMERS; i++)
        CHECK(newcomers[i].runs == 10);
}

/* Jobs on each CPU: one per release. */
static volatile uint32_t jobs[4];

static void job0(void) { jobs[0]++; }
static void job1(void) { jobs[1]++; }
static void job2(void) { jobs[2]++; }
static void job3(void) { jobs[3]++; }

TAKT_PERIODIC(P0, 300, 5000, TAKT_SKIP, job0, 4096);
TAKT_PERIODIC(P1, 300, 5000, TAKT_SKIP, job1, 4096);
TAKT_PERIODIC(P2, 300, 7000, TAKT_SKIP, job2, 4096);
TAKT_PERIODIC(P3, 300, 11000, TAKT_SKIP, job3, 4096);

static void look_at_jobs(void)
{
    struct takt_periodic *all[] = {&takt_periodic_of_P0, &takt_periodic_of_P1, &takt_periodic_of_P2,
                                   &takt_periodic_of_P3};
    static const uint32_t periods[] = {5000, 5000, 7000, 11000};
    uint32_t before[4];
    for (int i = 0; i < 4; i++)
        before[i] = jobs[i];
    takt_sleep(JOBS * 5000);
    for (int i = 0; i < 4; i++) {
        uint32_t expected = JOBS * 5000 / periods[i];
        CHECK(jobs[i] - before[i] >= expected - 1 && jobs[i] - before[i] <= expected + 1);
        CHECK(all[i]->late == 0 && all[i]->overruns == 0);
    }
    CHECK(takt_periodic_unregister(&takt_periodic_of_P1) == TAKT_OK);
    takt_sleep(6000);
    before[1] = jobs[1];
    takt_sleep(20000);
    CHECK(jobs[1] == before[1]);
    CHECK(takt_periodic_register(&takt_periodic_of_P1) == TAKT_OK);
    takt_sleep(20000);
    CHECK(jobs[1] > before[1]);
    takt_time_t start = takt_now();
    before[1] = jobs[1];
    for (int i = 0; i < 1000; i++) { /* also where it is about to be released */
        CHECK(takt_periodic_unregister(&takt_periodic_of_P1) == TAKT_OK);
        CHECK(takt_periodic_register(&takt_periodic_of_P1) == TAKT_OK);
    }
    takt_sleep(6000);
    CHECK(jobs[1] - before[1] <= (takt_now() - start) / 5000 + 1);
    CHECK(takt_periodic_of_P1.pending == 0);
}

/* A task triggered from another CPU interrupts one that is less urgent and runs. */
static volatile uint32_t triggered, cut_short, long_runs;

TAKT_EVENT_TASK(urgent, 0)
{
    triggered++;
}

TAKT_TASK(slow, 5, 20000)
{
    uint32_t seen = triggered;
    for (takt_time_t from = takt_now(); takt_now() - from < 2000;)
        if (triggered != seen) {
            seen = triggered;
            cut_short++;
        }
    long_runs++;
}

TAKT_TASKS_VCPU(3000, 20000, 8192)

static void trigger_tasks(void)
{
    uint32_t cut_before = cut_short;
    triggered = 0;
    for (uint32_t i = 1; i <= TRIGGERS; i++) {
        while (takt_task_trigger(&takt_task_event_urgent) != TAKT_OK)
            takt_sleep(100);
        takt_sleep(1000);
    }
    takt_sleep(40000);
    CHECK(triggered == TRIGGERS);
    CHECK(long_runs > 3 && cut_short - cut_before > 1);
}

/* Events by interrupts of CPU 0 for a handler on another CPU, through a bottom half on a third. */
static struct takt_sem wake = TAKT_SEM_BINARY_INIT(0);
static struct takt_line line = {.wake = &wake};
static volatile uint32_t raised, handled;

static void bottom(void *arg);
TAKT_IO_THREAD(bottom_half, 1, 20, bottom, 0, 4096);

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
    for (;;) {
        takt_sem_wait(&wake);
        if (takt_line_take(&line))
            handled++;
    }
}

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    raised++;
    takt_io_raise_isr(&takt_io_bottom_half, place_named('H'));
    takt_io_isr_exit(&takt_io_bottom_half, 9);
}

static void deliver(void)
{
    line.place = place_named('H');
    for (uint32_t i = 0; i < EVENTS; i++) {
        noise_after(20 * NOISE_MHZ);
        takt_sleep(1000); /* 50 us of the bottom half each: a few may be late, and be one */
    }
    takt_sleep(20000);
    CHECK(raised == EVENTS);
    CHECK(line.delivered == handled && line.delivered > EVENTS / 2);
    CHECK(line.delivered + line.merged <= raised); /* some may be one to the bottom half already */
    CHECK(takt_io_enable(&takt_io_bottom_half, false) == TAKT_OK);
    uint32_t before = handled;
    noise_after(20 * NOISE_MHZ);
    takt_sleep(30000);
    CHECK(handled == before && raised == EVENTS + 1);
    CHECK(takt_io_enable(&takt_io_bottom_half, true) == TAKT_OK);
    takt_sleep(30000);
    CHECK(handled == before + 1);
    CHECK(takt_io_set_share(&takt_io_bottom_half, 3, 50) == TAKT_OK);
    CHECK(takt_io_set_share(&takt_io_bottom_half, 5, 5) == TAKT_EADMIT);
}

static void manage(void *arg)
{
    (void)arg;
    noise_open(NOISE_ORDINARY);
    change_budgets();
    look_at_jobs();
    trigger_tasks();
    deliver();
    create_threads();
    look_at_jobs();
    trigger_tasks(); /* their thread's place has changed */
    done = 1;
}

TAKT_BUDGET_THREAD(A, 2000, 20000, greedy, 0, 4096);
TAKT_BUDGET_THREAD(H, 500, 8000, handle, 0, 4096);
TAKT_BUDGET_THREAD(manager, 500, 4000, manage, 0, 8192);

TAKT_ON_CPU(manager, 0);
TAKT_ON_CPU(A, 1);
TAKT_ON_CPU(H, 3);
TAKT_ON_CPU(bottom_half, 1);
TAKT_ON_CPU(tasks, 2);
TAKT_ON_CPU(P0, 0);
TAKT_ON_CPU(P1, 1);
TAKT_ON_CPU(P2, 2);
TAKT_ON_CPU(P3, 3);

int main(void)
{
    takt_vcpu_A.flags |= TAKT_NO_BACKGROUND;
    takt_start();
}
