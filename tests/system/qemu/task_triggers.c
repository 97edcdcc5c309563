/*
 * Tasks beside threads, with triggers from an interrupt at arbitrary instructions and from a more
 * urgent thread: none is lost or served twice, a more urgent task comes on top of one that runs, whose
 * registers stay what they were, and never into its section under a mutex. -DHOST=TAKT_TASKS and the like, or
 * -DBUDGET; IN_TURN: nothing comes on top.
 */
#define TAKT_TICK_US 1000
#include <takt/isr.h>
#include <takt/mutex.h>
#include <takt/task.h>
#include <takt/time.h>

#include "check.h"
#include "noise.h"

#define LASTS_US  300000u
#define PERIOD_US 40000u
#ifdef __AVR_ATmega324P__ /* at 8 MHz */
#define EVERY_US 3000u
#elif defined(__AVR__)
#define EVERY_US 2000u
#else
#define EVERY_US 300u
#endif
enum { TASKS_PLACE = 1 };

volatile uint32_t told, told_isr, refused, served, on_top, on_section, states;
volatile uint32_t urgent_runs, low_runs, sections;
static volatile uint8_t low_runs_now, in_section, stopped;
static struct takt_mutex mutex = TAKT_MUTEX_INIT(TASKS_PLACE);
static uint32_t chance = 4711;

uint32_t registers_disturbed(uint32_t seed);

static void note_who_is_below(void)
{
    on_top += low_runs_now;
    on_section += in_section;
}

TAKT_TASK(urgent, 0, 10000)
{
    urgent_runs++;
    note_who_is_below();
}

TAKT_EVENT_TASK(event, 1)
{
    served++;
    note_who_is_below();
}

TAKT_STATE_TASK(counts, 2, 20000)
{
    CHECK(state == (int)states - 1);
    states++;
    return state + 1;
}

TAKT_TASK(low, 5, PERIOD_US)
{
    low_runs++;
    low_runs_now = 1;
    takt_time_t start = takt_now();
    for (uint32_t seed = low_runs; takt_now() - start < 2000; seed += 0x9E3779B9u)
        CHECK(registers_disturbed(seed) == 0);
    CHECK(takt_mutex_lock(&mutex) == TAKT_OK);
    in_section = 1;
    for (takt_time_t from = takt_now(); takt_now() - from < 2000;)
        ;
    in_section = 0;
    sections++;
    CHECK(takt_mutex_unlock(&mutex) == TAKT_OK);
    low_runs_now = 0;
}

#ifdef BUDGET
TAKT_TASKS_VCPU(9000, 30000, STACK_BYTES + 64); /* a PC runs what is admitted only */
#else
HOST(2, STACK_BYTES + 64);
#endif

static void next_noise(void)
{
    chance = chance * 1664525u + 1013904223u;
    uint32_t us = EVERY_US / 4 + (chance >> 16) % EVERY_US;
    noise_after(us * NOISE_MHZ + (chance >> 11 & 63u) % (NOISE_MHZ + 1));
}

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    if (!stopped) {
        next_noise();
        if (takt_task_trigger_isr(&takt_task_event_event) == TAKT_OK)
            told_isr++;
        else
            refused++;
    }
    takt_isr_exit(99);
}

/* While a more urgent thread has the CPU nobody takes triggers: one is refused, the others stay. */
static void fill(void)
{
    for (uint16_t n = 0; n < UINT8_MAX; n++)
        CHECK(takt_task_trigger(&takt_task_event_event) == TAKT_OK);
    CHECK(takt_task_trigger(&takt_task_event_event) == TAKT_EOVERFLOW);
    CHECK(served == 0);
    takt_sleep(20000);
    CHECK(served == UINT8_MAX);
    told = UINT8_MAX;
}

static void judge(uint32_t ms)
{
    uint32_t missed = takt_task_missed(&takt_task_urgent), late = takt_task_missed(&takt_task_low);
    CHECK(served == told + told_isr && served > UINT8_MAX + 100 && refused == 0);
    CHECK(urgent_runs + missed + 1 >= ms / 10 && urgent_runs + missed <= ms / 10 + 2);
    CHECK(low_runs + late + 1 >= ms / 40 && low_runs + late <= ms / 40 + 2);
    CHECK(states + 2 >= ms / 20 && sections + 1 >= low_runs && sections > 4);
    CHECK(on_section == 0);
#ifdef IN_TURN
    CHECK(on_top == 0);
#else
    CHECK(on_top > 5 && missed == 0 && late == 0);
#endif
}

static void above(void *arg)
{
    (void)arg;
    takt_time_t from = takt_now();
    fill();
    noise_open(NOISE_ORDINARY);
    next_noise();
    while (takt_now() - from < LASTS_US) {
        takt_sleep(3700);
        CHECK(takt_task_trigger(&takt_task_event_event) == TAKT_OK);
        told++;
    }
    stopped = 1;
    takt_sleep(20000);
    judge((takt_now() - from) / 1000);
    done = 1;
    for (;;)
        takt_sleep(100000);
}

#ifdef BUDGET
TAKT_BUDGET_THREAD(above, 10000, 20000, above, 0, STACK_BYTES);
#else
TAKT_THREAD(above, 1, above, 0, STACK_BYTES)
#endif

int main(void)
{
    takt_start();
}
