/*
 * What the test programs tell the host: how many checks were made, how many failed, the line of the
 * first, and that the program is through.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>

#include <takt/thread.h>

TAKT_TELLS_FATAL;

/* Of a thread: more where an interrupt pushes an FPU's registers too. */
#if defined(__ARM_FP)
#define STACK_BYTES 768
#elif defined(__AVR__)
#define STACK_BYTES 160
#else
#define STACK_BYTES 512
#endif
#define ROOMY_BYTES (STACK_BYTES + STACK_BYTES / 2)

/* So many times longer things take, for threads to have time. */
#ifdef __AVR__
#define AVR_SLOWER (64000000u / F_CPU)
#else
#define AVR_SLOWER 1u
#endif

volatile uint32_t checks, failures, first_failure, done;

static inline void check(int holds, uint32_t line)
{
    checks++;
    if (holds)
        return;
    if (failures++ == 0)
        first_failure = line;
}

#define CHECK(condition) check((condition), __LINE__)

#endif
