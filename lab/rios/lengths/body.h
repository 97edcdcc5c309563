/*
 * Tasks as long as is wanted, to the cycle, for releases.py: it writes their lengths into RAM. What
 * started is counted. With `mask` the length changes from job to job, by a generator of its own.
 */
#include <stdint.h>

struct job {
    uint32_t length; /* cycles from the first instruction on, about: five times `loops`, and the rest */
    uint32_t mask;   /* of the random part, 0: none */
    uint32_t started;
    uint32_t returned;
};

static volatile struct job jobs[4];
static uint32_t seed = 1;

static inline uint32_t next_length(volatile struct job *job)
{
    uint32_t length = job->length;
    if (job->mask) {
        uint8_t status = SREG;
        cli();
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        length += seed & job->mask;
        SREG = status;
    }
    return length;
}

static void __attribute__((noinline)) spend(uint32_t loops, uint8_t rest)
{
    __asm__ volatile("sbrc %3, 0\n\trjmp .+0\n\t"
                     "sbrc %3, 1\n\trjmp .+0\n\tsbrc %3, 1\n\trjmp .+0\n\t"
                     "sbrc %3, 2\n\trjmp .+0\n\tsbrc %3, 2\n\trjmp .+0\n\t"
                     "sbrc %3, 2\n\trjmp .+0\n\tsbrc %3, 2\n\trjmp .+0\n"
                     "1:\tsubi %A0, 1\n\tsbci %B0, 0\n\tsbci %C0, 0\n\tbrne 1b"
                     : "=d"(loops)
                     : "0"(loops), "r"(rest), "r"(rest));
}

static inline __attribute__((always_inline)) void body(uint8_t number)
{
    volatile struct job *job = &jobs[number];
    job->started++;
    uint32_t length = next_length(job);
    spend(length / 5 + 1, (uint8_t)(length % 5));
    job->returned++;
}
