/*
 * Measures the release structures on the host, for up to TASKS tasks. All take turns, a batch each,
 * so that what else the host does meets all alike; an empty call in the same turn is taken off.
 * Prints "structure case metric value" lines.
 *
 *     bench figure N | mixed SET | spread | count STRUCTURE release|wait|spread|mixed N|SET
 *     bench cold figure N | cold spread
 *
 * Cold: 1 MB is read before each tick, as in the paper.
 */
#if TASKS <= 32
#define WORD         uint32_t
#define BITS         32
#define PLACE        uint8_t
#define FIRST_BIT(w) ((uint32_t)__builtin_ctz(w))
#else
#define TAKT_PLACES  TASKS
#define WORD         uint64_t
#define BITS         64
#define PLACE        uint32_t
#define FIRST_BIT(w) ((uint32_t)__builtin_ctzll(w))
#endif
#define ARENA   (64u << 20)
#define ALIGNED 64 /* a line of the cache, so that luck has no part in it */

#include "structures.h"
#include "timing.h"

#include <stdio.h>

#define ROUNDS    100
#define SECONDS   (cold ? 1 : 0.2) /* for a figure */
#define PASSES    400  /* of the 100 ticks of Table 3 */
#define TICKS     100

enum { RELEASE, WAIT, KINDS };

static double samples[KINDS][STRUCTURES][ROUNDS];
static int sample_count[STRUCTURES];
static bool here[STRUCTURES];
static uint32_t clock_of[STRUCTURES];

/* Sets all up that can be. */
static void start_all(void)
{
    clear(&given);
    for (size_t k = 0; k < STRUCTURES; k++) {
        size_t mark = taken;
        here[k] = structures[k].init(&given);
        taken = here[k] ? taken : mark;
        clock_of[k] = 0;
        sample_count[k] = 0;
    }
}

static bool cold;

/* The paper's process that reads 1 MB "to remove the influence of the CPU cache". */
static void read_a_megabyte(void)
{
    static uint8_t data[1 << 20];
    for (size_t i = 0; i < sizeof data; i += 64)
        (void)*(volatile uint8_t *)&data[i];
}

/* What comes before a tick that is looked at. */
static void idle(void)
{
    if (cold)
        read_a_megabyte();
    else
        dither();
}

/* A tick and N waits, of which the last is looked at. */
static void looked_at(const struct structure *s, uint32_t n, uint64_t took[KINDS])
{
    idle();
    uint64_t t = before();
    s->tick();
    took[RELEASE] += after() - t;
    for (uint32_t i = 0; i + 1 < n; i++)
        s->wait(i);
    dither();
    t = before();
    s->wait(n - 1);
    took[WAIT] += after() - t;
    now++;
}

static void batch(size_t k, uint32_t n)
{
    uint32_t rounds = k == 1 && n >= 1000 ? 1 : BATCH; /* ART-Linux's N waits are O(N * N) */
    uint64_t took[KINDS] = {0};
    const double less[KINDS] = {overhead(idle), overhead(dither)};
    now = clock_of[k];
    for (int r = 0; rounds > 1 && r < 4; r++) /* for the cache */
        looked_at(&structures[k], n, took);
    memset(took, 0, sizeof took);
    for (uint32_t r = 0; r < rounds; r++)
        looked_at(&structures[k], n, took);
    clock_of[k] = now;
    for (int kind = 0; kind < KINDS; kind++)
        samples[kind][k][sample_count[k]] = (double)took[kind] / rounds - less[kind];
    sample_count[k]++;
}

static void figure(uint32_t n)
{
    static const char *const metric[] = {"release_cycles", "wait_cycles"};
    all_at_once(n, 1);
    start_all();
    double until = seconds() + SECONDS;
    for (int r = 0; r < ROUNDS && (r < 5 || seconds() < until); r++)
        for (size_t k = 0; k < STRUCTURES; k++)
            if (here[k] && (k != 1 || n < 10000 || r < 5))
                batch(k, n);
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t k = 0; k < STRUCTURES; k++)
            if (here[k])
                printf("%s %u %s %.2f\n", structures[k].name, n, metric[kind],
                       median(samples[kind][k], sample_count[k]));
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

/* Release, finding and wait of whatever there is in so many ticks. */
__attribute__((noipa)) static uint64_t counted_mixed(const struct structure *s, uint32_t ticks)
{
    uint64_t jobs = 0;
    for (uint32_t until = now + ticks; now < until; now++) {
        s->tick();
        for (uint32_t i; (i = first_ready()) != UINT32_MAX; jobs++)
            s->wait(i);
    }
    return jobs;
}

/* Cycles per job of 100 tasks with mixed periods. Of runs of the same work the shortest: whatever
 * disturbs one makes it longer. */
static void mixed(const char *set)
{
    enum { REPEATS = 8, LONG = 20000 };
    uint64_t jobs[STRUCTURES] = {0};
    double best[STRUCTURES];
    size_t bytes[STRUCTURES] = {0};
    mixture(TICKS, set[0]);
    for (int r = 0; r < REPEATS; r++)
        for (size_t k = 0; k < STRUCTURES; k++) {
            clear(&given);
            if (!structures[k].init(&given))
                continue;
            bytes[k] = taken;
            uint64_t t = before();
            jobs[k] = counted_mixed(&structures[k], LONG);
            double each = (double)(after() - t) / (double)jobs[k];
            best[k] = r == 0 || each < best[k] ? each : best[k];
        }
    for (size_t k = 0; k < STRUCTURES; k++)
        if (jobs[k])
            printf("%s %s cycles_per_job %.2f\n%s %s table_bytes %zu\n%s %s jobs %lu\n",
                   structures[k].name, set, best[k], structures[k].name, set, bytes[k],
                   structures[k].name, set, (unsigned long)jobs[k]);
}

/* 100 tasks of period 100 as the kernel places them, or at random. */
static void hundred(bool placed)
{
    static struct takt_beat beats[TICKS];
    struct takt_beat *others = NULL;
    all_at_once(TICKS, TICKS);
    srand(1);
    for (uint32_t i = 0; i < TICKS; i++) {
        const uint32_t period = TICKS * TAKT_PERIODIC_TICK_US;
        takt_time_t due = placed ? takt_place_release(others, period, 0) : 0;
        beats[i] = (struct takt_beat){period, due, others, 0, 0};
        others = &beats[i];
        given.first[i] = placed ? due / TAKT_PERIODIC_TICK_US : (uint32_t)rand() % TICKS;
    }
}

/* How many are released at each of the 100 ticks. */
static void count_releases(const struct structure *s, const char *how)
{
    uint32_t most = 0, least = UINT32_MAX;
    for (uint32_t t = 0; t < TICKS; t++, now++) {
        uint32_t count = 0;
        s->tick();
        for (uint32_t i; (i = first_ready()) != UINT32_MAX; count++)
            s->wait(i);
        most = count > most ? count : most;
        least = count < least ? count : least;
        printf("%s %s releases_at_%u %u\n", s->name, how, t, count);
    }
    printf("%s %s releases_per_tick_max %u\n%s %s releases_per_tick_min %u\n", s->name, how, most,
           s->name, how, least);
}

static double at_tick[STRUCTURES][TICKS][PASSES], empties[TICKS][PASSES];

/* The 100 ticks: once for the cache, which the others have used, then looked at. */
static void pass(size_t k, int p)
{
    const struct structure *s = &structures[k];
    now = clock_of[k];
    counted_mixed(s, TICKS);
    for (uint32_t t = 0; t < TICKS; t++, now++) {
        idle();
        uint64_t begun = before();
        s->tick();
        at_tick[k][t][p] = (double)(after() - begun);
        for (uint32_t i; (i = first_ready()) != UINT32_MAX;)
            s->wait(i);
    }
    clock_of[k] = now;
}

/* Table 3: what the release takes at each of the ticks. */
static void spread(void)
{
    hundred(false);
    clear(&given);
    if (structures[1].init(&given))
        count_releases(&structures[1], "registered-at-random");
    hundred(true);
    start_all();
    count_releases(&structures[0], "placed");
    start_all();
    double until = seconds() + SECONDS, less = 0;
    int passes = 0;
    for (; passes < PASSES && seconds() < until; passes++) {
        for (size_t k = 0; k < STRUCTURES; k++)
            pass(k, passes);
        for (uint32_t t = 0; t < TICKS; t++)
            empties[t][passes] = (double)empty_after(idle);
    }
    for (uint32_t t = 0; t < TICKS; t++)
        less += mean(empties[t], passes) / TICKS;
    static const char *const names[] = {"max", "avg", "min"};
    for (size_t k = 0; k < STRUCTURES; k++) {
        double sum = 0, max = 0, min = 1e9;
        for (uint32_t t = 0; t < TICKS; t++) {
            double each = mean(at_tick[k][t], passes) - less;
            sum += each;
            max = each > max ? each : max;
            min = each < min ? each : min;
        }
        const double found[] = {max, sum / TICKS, min};
        for (int m = 0; m < 3; m++)
            printf("%s placed release_%s %.2f\n", structures[k].name, names[m], found[m]);
    }
}

/* Under callgrind. Prints how often, or how many jobs. */
static int count(const struct structure *s, const char *what, const char *of)
{
    enum { LONG = 2000 };
    uint32_t n = (uint32_t)atoi(of);
    uint64_t times = n < 1000 ? 4 : 1;
    if (!strcmp(what, "mixed"))
        mixture(TICKS, of[0]);
    else if (!strcmp(what, "spread"))
        hundred(true);
    else
        all_at_once(n, 1);
    clear(&given);
    if (!s->init(&given))
        return 2;
    if (!strcmp(what, "mixed")) {
        times = counted_mixed(s, LONG);
    } else if (!strcmp(what, "spread")) {
        for (times = 0; times < 4 * TICKS; times++, now++) {
            counted_release(s);
            for (uint32_t i; (i = first_ready()) != UINT32_MAX;)
                s->wait(i);
        }
    } else {
        for (; now < times; now++) {
            counted_release(s);
            for (uint32_t i = 0; i + 1 < n; i++)
                s->wait(i);
            counted_wait(s, n - 1);
        }
    }
    printf("%s %s times %lu\n", s->name, of, (unsigned long)times);
    return 0;
}

int main(int argc, char **argv)
{
    cold = argc > 1 && !strcmp(argv[1], "cold");
    argc -= cold, argv += cold;
    const char *what = argc > 1 ? argv[1] : "";
    if (argc > 2 && !strcmp(what, "figure"))
        figure((uint32_t)atoi(argv[2]));
    else if (argc > 2 && !strcmp(what, "mixed"))
        mixed(argv[2]);
    else if (!strcmp(what, "spread"))
        spread();
    else if (!strcmp(what, "count") && argc > 4)
        return count(&structures[atoi(argv[2])], argv[3], argv[4]);
    else
        return 2;
    return 0;
}
