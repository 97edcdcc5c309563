/*
 * Measures the release structures on the host: cycles by rdtsc, medians, all structures in turn within
 * each round. Prints "structure N metric value" lines.
 *
 *     bench release N | wait N | mixed SET | spread | bytes N | count STRUCTURE release|wait N
 */
#define WORD  uint64_t
#define BITS  64
#define TASKS 10048
#define ARENA (64u << 20)

#define FIRST_BIT(word) ((uint32_t)__builtin_ctzll(word))

#include "structures.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#define ROUNDS        401
#define SPREAD_ROUNDS 400

static double samples[STRUCTURES + 1][ROUNDS + 1];
static int sample_count[STRUCTURES + 1];

static inline uint64_t before(void)
{
    _mm_lfence();
    uint64_t t = __rdtsc();
    _mm_lfence();
    return t;
}

static inline uint64_t after(void)
{
    unsigned core;
    uint64_t t = __rdtscp(&core);
    _mm_lfence();
    return t;
}

/* Waits a little, at random: the clock's steps must not beat with what is measured. */
static void dither(void)
{
    static uint32_t seed = 1;
    seed = seed * 1103515245 + 12345;
    for (volatile uint32_t k = seed >> 26; k > 0;)
        k = k - 1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(size_t s)
{
    int n = sample_count[s];
    qsort(samples[s], (size_t)n, sizeof(double), compare);
    return n ? samples[s][n / 2] : -1;
}

static void note(size_t s, double value)
{
    if (sample_count[s] < ROUNDS)
        samples[s][sample_count[s]++] = value;
}

static void nothing(void) {}

/* What an empty measurement takes, through a pointer as the others. */
static double overhead(void)
{
    void (*volatile call)(void) = nothing;
    sample_count[STRUCTURES] = 0;
    for (int k = 0; k < ROUNDS; k++) {
        uint64_t sum = 0;
        for (int r = 0; r < 64; r++) {
            void (*f)(void) = call;
            dither();
            uint64_t t = before();
            f();
            sum += after() - t;
        }
        note(STRUCTURES, (double)sum / 64);
    }
    return median(STRUCTURES);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report(const char *metric, const char *label, double less)
{
    for (size_t s = 0; s < STRUCTURES; s++)
        if (sample_count[s])
            printf("%s %s %s %.1f\n", structures[s].name, label, metric, median(s) - less);
}

/* Callgrind counts from entry to return: no tail calls. */
__attribute__((noipa)) static void counted_release(const struct structure *s)
{
    s->tick();
    __asm__ volatile("");
}

__attribute__((noipa)) static void counted_wait(const struct structure *s, uint32_t i)
{
    s->wait(i);
    __asm__ volatile("");
}

/* One structure for a while: a round is a tick and N waits, of which the last is looked at. The clock
 * of a virtual machine may go in steps of many cycles, so a sample is the mean of a batch. */
static void rounds(size_t k, uint32_t n, bool waits)
{
    const struct structure *s = &structures[k];
    uint32_t batch = k == 0 && n >= 1000 ? 1 : 64;
    if (!start(s, &given))
        return;
    double until = seconds() + 0.12, sum = 0;
    for (uint32_t r = 0; r < batch * 40 && (r < 4 * batch || seconds() < until); now++) {
        if (!waits)
            dither();
        uint64_t t = before();
        s->tick();
        uint64_t took = after() - t;
        for (uint32_t i = 0; i + 1 < n; i++)
            s->wait(i);
        if (waits)
            dither();
        t = before();
        s->wait(n - 1);
        if (waits)
            took = after() - t;
        sum += (double)took;
        if (++r % batch)
            continue;
        if (r > batch || batch == 1)
            note(k, sum / batch);
        sum = 0;
    }
}

static void figure(uint32_t n, bool waits)
{
    char label[16];
    snprintf(label, sizeof label, "%u", n);
    memset(sample_count, 0, sizeof sample_count);
    all_at_once(n, 1);
    double less = overhead();
    for (int pass = 0; pass < 3; pass++)
        for (size_t s = 0; s < STRUCTURES; s++)
            rounds(s, n, waits);
    report(waits ? "wait_cycles" : "release_cycles", label, less);
}

/* Cycles per job, release, finding it and wait, of 100 tasks with mixed periods. */
static void mixed(const char *set)
{
    mixture(100, set[0]);
    memset(sample_count, 0, sizeof sample_count);
    for (int r = 0; r < 15; r++)
        for (size_t k = 0; k < STRUCTURES; k++) {
            const struct structure *s = &structures[k];
            uint64_t jobs = 0;
            if (!start(s, &given))
                continue;
            uint64_t t = before();
            for (; now < 20000; now++) {
                s->tick();
                for (uint32_t i; (i = first_ready()) != UINT32_MAX; jobs++)
                    s->wait(i);
            }
            note(k, (double)(after() - t) / (double)jobs);
            if (r == 0)
                printf("%s %s table_bytes %zu\n%s %s jobs %lu\n", s->name, set, taken, s->name, set,
                       (unsigned long)jobs);
        }
    report("cycles_per_job", set, 0);
}

/* 100 tasks of period 100 (Figures 11 and 12, Table 3): releases per tick and what they take. */
static void spread_of(const char *how, size_t k, double less)
{
    const struct structure *s = &structures[k];
    uint32_t most = 0, least = UINT32_MAX;
    static double each[100];
    if (!start(s, &given))
        return;
    memset(each, 0, sizeof each);
    for (int r = 0; r < SPREAD_ROUNDS; r++)
        for (uint32_t t = 0; t < 100; t++, now++) {
            uint32_t count = 0;
            dither();
            uint64_t begun = before();
            s->tick();
            each[t] += (double)(after() - begun) / SPREAD_ROUNDS;
            for (uint32_t i; (i = first_ready()) != UINT32_MAX; count++)
                s->wait(i);
            most = count > most ? count : most;
            least = count < least ? count : least;
            if (r == 0)
                printf("%s %s releases_at_%u %u\n", s->name, how, t, count);
        }
    double all = 0, max = 0, min = 1e9;
    for (int t = 0; t < 100; t++) {
        each[t] -= less;
        all += each[t];
        max = each[t] > max ? each[t] : max;
        min = each[t] < min ? each[t] : min;
    }
    printf("%s %s releases_per_tick_max %u\n%s %s releases_per_tick_min %u\n", s->name, how, most,
           s->name, how, least);
    printf("%s %s release_max %.1f\n%s %s release_avg %.1f\n%s %s release_min %.1f\n", s->name, how,
           max, s->name, how, all / 100, s->name, how, min);
}

static void spread(void)
{
    double less = overhead();
    struct takt_beat beats[100], *others = NULL;
    all_at_once(100, 100);
    srand(1);
    for (uint32_t i = 0; i < 100; i++)
        given.first[i] = (uint32_t)rand() % 100;
    spread_of("registered-at-random", 0, less);
    for (uint32_t i = 0; i < 100; i++) { /* as the kernel places them */
        takt_time_t due =
            takt_place_release(others, 100 * TAKT_PERIODIC_TICK_US, 0) / TAKT_PERIODIC_TICK_US;
        beats[i] = (struct takt_beat){100 * TAKT_PERIODIC_TICK_US, due * TAKT_PERIODIC_TICK_US,
                                      others, 0, 0};
        others = &beats[i];
        given.first[i] = due;
    }
    for (size_t k = 1; k < STRUCTURES; k++)
        spread_of("placed", k, less);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc > 2 && (!strcmp(what, "release") || !strcmp(what, "wait"))) {
        figure((uint32_t)atoi(argv[2]), what[0] == 'w');
    } else if (argc > 2 && !strcmp(what, "mixed")) {
        mixed(argv[2]);
    } else if (!strcmp(what, "spread")) {
        spread();
    } else if (argc > 2 && !strcmp(what, "bytes")) {
        all_at_once((uint32_t)atoi(argv[2]), 1);
        for (size_t k = 0; k < STRUCTURES; k++)
            if (start(&structures[k], &given))
                printf("%s %s table_bytes %zu\n", structures[k].name, argv[2], taken);
    } else if (!strcmp(what, "count") && argc > 4) { /* under callgrind */
        uint32_t n = (uint32_t)atoi(argv[4]);
        const struct structure *s = &structures[atoi(argv[2])];
        all_at_once(n, 1);
        if (!start(s, &given))
            return 2;
        for (now = 0; now < 4; now++) {
            counted_release(s);
            for (uint32_t i = 0; i + 1 < n; i++)
                s->wait(i);
            counted_wait(s, n - 1);
        }
    } else {
        return 2;
    }
    return 0;
}
