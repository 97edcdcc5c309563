/*
 * Measures the release structures on a board: what runs between begin() and end() is looked at from
 * outside (target.py). For up to 31 tasks, whose set is one word.
 */
#define WORD         uint32_t
#define PLACE        uint8_t
#define BITS         32
#define TASKS        32
#define ARENA        4608
#define ALIGNED      4
#define FIRST_BIT(w) takt_set_first(w)

#include <takt/set.h>
#include <takt/thread.h>

#include "../structures.h"

enum kind { NOTHING, RELEASE, WAIT, MIXED };

volatile uint32_t now_kind, now_structure, now_case, now_jobs;
volatile uint32_t done;

__attribute__((noinline)) void begin(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void end(void)
{
    __asm__ volatile("");
}

/* The same call for all, empty ones too. */
static void nothing(void) {}

static void looked_at(void (*call)(void))
{
    begin();
    call();
    end();
}

static const struct structure *under_test;
static uint32_t last;

static void wait_of_last(void)
{
    under_test->wait(last);
}

static void wait_of_nobody(void)
{
    __asm__ volatile("" ::: "memory");
}

static void say(enum kind kind, uint32_t structure, uint32_t which)
{
    now_structure = structure;
    now_case = which;
    now_kind = kind;
}

/* Sets a structure up; false: not for this workload, or it does not fit. */
static bool start(const struct structure *s)
{
    clear(&given);
    return s->init(&given);
}

static void at_once(uint32_t k, uint32_t n)
{
    const struct structure *s = under_test = &structures[k];
    all_at_once(n, 1);
    if (!start(s))
        return;
    last = n - 1;
    for (; now < 8; now++) {
        say(RELEASE, k, n);
        looked_at(s->tick);
        for (uint32_t i = 0; i + 1 < n; i++)
            s->wait(i);
        say(WAIT, k, n);
        looked_at(wait_of_last);
    }
}

/* Until all periods of the set, or most of them, have passed. */
static void run_mixed(void)
{
    const struct structure *s = under_test;
    uint32_t jobs = 0;
    for (; now < 1000; now++) {
        s->tick();
        for (uint32_t i; (i = first_ready()) != UINT32_MAX; jobs++)
            s->wait(i);
    }
    now_jobs = jobs;
}

static void mixed(uint32_t k, char set)
{
    under_test = &structures[k];
    mixture(31, set);
    if (!start(under_test))
        return;
    say(MIXED, k, (uint32_t)set);
    looked_at(run_mixed);
}

static void measure(void *arg)
{
    static const uint8_t counts[] = {1, 2, 4, 8, 16, 31};
    (void)arg;
    say(NOTHING, 0, 0);
    looked_at(nothing);
    say(NOTHING, 1, 0);
    looked_at(wait_of_nobody);
    for (uint32_t k = 0; k < STRUCTURES; k++) {
        for (size_t c = 0; c < sizeof counts; c++)
            at_once(k, counts[c]);
        mixed(k, 'l');
        mixed(k, 'p');
        mixed(k, 'r');
    }
    done = 1;
    for (;;)
        end();
}

TAKT_THREAD(measure, 1, measure, NULL, 600);

int main(void)
{
    takt_start();
}
