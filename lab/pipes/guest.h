/*
 * What a guest of this lab measures, the same code in a Takt and in a Linux guest: frames received
 * on a channel, and a loop that only counts.
 *
 * Time is the CPU's time stamp counter. QEMU counts instructions, two nanoseconds each, and the
 * counter then is its virtual clock in nanoseconds: the clock by which the device stamps frames.
 */
#ifndef LAB_PIPES_GUEST_H
#define LAB_PIPES_GUEST_H

#include <stdint.h>
#include <stdio.h>

#ifndef LAB_PRINT
#define LAB_PRINT printf /* where results go */
#endif

#define LAB_CHANNELS 5
#define LAB_HOGS     3
#define LAB_SECONDS  64  /* longest measurement + 1 */
#define LAB_BINS     1000 /* of latency, the last for all that is later */
#define LAB_BIN_US   250
#define LAB_SOON_US  88000 /* E_wc = 3 T_rx + T_usr with the paper's periods, 14 and 46 ms */

static inline uint64_t lab_ns(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Frames of one channel, as their reader gets them. */
struct tally {
    uint64_t start;    /* when second 0 begins */
    uint32_t expected; /* sequence number of the next frame; the channel's first has 0 */
    uint32_t received, lost, repeated;
    uint32_t latest_us; /* largest latency */
    uint32_t second[LAB_SECONDS]; /* by when they were read */
    uint32_t soon[LAB_SECONDS];   /* by when they were on the bus: those read within LAB_SOON_US */
    uint32_t bin[LAB_BINS];
};

/* One more in the second that ns is in. */
static inline void tally_second(const struct tally *tally, uint32_t *seconds, uint64_t ns)
{
    if (tally->start && ns >= tally->start) {
        uint64_t second = (ns - tally->start) / 1000000000u;
        seconds[second < LAB_SECONDS ? second : LAB_SECONDS - 1]++;
    }
}

/* A frame's data: a sequence number, and the clock in us when it was whole on the bus. */
static inline void tally_frame(struct tally *tally, const uint8_t data[8], uint64_t now)
{
    uint32_t word[2];
    __builtin_memcpy(word, data, sizeof word);
    uint32_t number = word[0], latency = (uint32_t)(now / 1000) - word[1];
    int32_t ahead = (int32_t)(number - tally->expected);
    uint32_t bin = latency / LAB_BIN_US;

    if (ahead < 0) {
        tally->repeated++;
        return;
    }
    tally->lost += (uint32_t)ahead;
    tally->expected = number + 1;
    tally->received++;
    tally->bin[bin < LAB_BINS ? bin : LAB_BINS - 1]++;
    if (latency > tally->latest_us)
        tally->latest_us = latency;
    tally_second(tally, tally->second, now);
    if (latency <= LAB_SOON_US)
        tally_second(tally, tally->soon, now - latency * UINT64_C(1000));
}

/* Adds to *count every 5000 instructions, which are 10 us, until the clock says end. Most of them are
 * in rounds of 64 without a jump, which QEMU is quick with. */
static inline void lab_spin(uint64_t end, uint64_t *count)
{
    uint64_t counted = 0;

    __asm__ volatile("2: movl $78, %%ecx\n"
                     "1: .rept 62\n"
                     "   nop\n"
                     "   .endr\n"
                     "   decl %%ecx\n"
                     "   jnz 1b\n"
                     "   incq %0\n"
                     "   nop\n"
                     "   rdtsc\n"
                     "   shlq $32, %%rdx\n"
                     "   orq %%rdx, %%rax\n"
                     "   cmpq %1, %%rax\n"
                     "   jb 2b\n"
                     : "+r"(counted)
                     : "r"(end)
                     : "rax", "rcx", "rdx", "cc");
    *count = counted;
}

static inline void tally_seconds(const char *name, unsigned channel, const uint32_t *seconds,
                                 unsigned count)
{
    LAB_PRINT("@ %s %u", name, channel);
    for (unsigned at = 0; at < count && at < LAB_SECONDS; at++)
        LAB_PRINT(" %u", seconds[at]);
    LAB_PRINT("\n");
}

/* Lines of results: simulate.py reads them. */
static inline void tally_print(const struct tally *tally, unsigned channel, unsigned seconds)
{
    LAB_PRINT("@ channel %u %u %u %u %u\n", channel, tally->received, tally->lost, tally->repeated,
              tally->latest_us);
    tally_seconds("seconds", channel, tally->second, seconds);
    tally_seconds("soon", channel, tally->soon, seconds);
    LAB_PRINT("@ bins %u", channel);
    for (unsigned at = 0; at < LAB_BINS; at++)
        if (tally->bin[at])
            LAB_PRINT(" %u:%u", at, tally->bin[at]);
    LAB_PRINT("\n");
}

#endif
