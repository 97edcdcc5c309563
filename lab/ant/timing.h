/*
 * Cycles on the host, by rdtsc, and what is made of many samples. Included by bench.c.
 */
#ifndef TAKT_LAB_ANT_TIMING_H
#define TAKT_LAB_ANT_TIMING_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#define BATCH     64
#define DISTURBED 20 /* times the median: the host did something else */

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

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof(double), compare);
    return n ? values[n / 2] : -1;
}

/* Of those that were not disturbed. */
static double mean(double *values, int n)
{
    double middle = median(values, n), sum = 0;
    int count = 0;
    for (; count < n && values[count] <= DISTURBED * middle; count++)
        sum += values[count];
    return sum / count;
}

static void nothing(void) {}

/* What an empty measurement takes, through a pointer as the rest, after what comes before. */
static uint64_t empty_after(void (*idle)(void))
{
    static void (*volatile call)(void) = nothing;
    void (*f)(void) = call;
    idle();
    uint64_t t = before();
    f();
    return after() - t;
}

static double overhead(void (*idle)(void))
{
    uint64_t sum = 0;
    for (int r = 0; r < BATCH; r++)
        sum += empty_after(idle);
    return (double)sum / BATCH;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
