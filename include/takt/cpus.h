/*
 * Several CPUs. Each thread belongs to one, from the start on, and never moves: what is ready,
 * asleep or out of budget is kept by CPU, and a CPU schedules its own threads as a single one does.
 * Places are the program's: of two threads on one CPU the one with the smaller place is the more
 * urgent.
 *
 * Threads with budgets are partitioned first-fit by decreasing C/T with the exact test
 * (include/takt/partition.h); each of those without comes to the CPU that has fewest of them.
 */
#ifndef TAKT_CPUS_H
#define TAKT_CPUS_H

#include <takt/thread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A thread that the program binds to a CPU. Constants of this type in the section takt_pins. */
struct takt_pin {
    const struct takt_thread *thread;
    uint8_t cpu;
};

/* Its alignment said, or compilers give records of 16 bytes more. */
#define TAKT_PIN_SECTION                                                                           \
    __attribute__((section("takt_pins"), used, aligned(__alignof__(void *))))

/*
 * Binds thread `id` (as in TAKT_THREAD(id, ...); of a loop see Takt.h) to a CPU, 0..255; there
 * being fewer CPUs, to that modulo their number. At the top of a file, once for a thread.
 */
#ifdef __cplusplus
#define TAKT_ON_CPU(id, cpu_)                                                                      \
    extern "C" const struct takt_thread takt_thread_##id;                                          \
    TAKT_PIN_SECTION static const struct takt_pin takt_pin_##id = {&takt_thread_##id, (cpu_)}
#else
#define TAKT_ON_CPU(id, cpu_)                                                                      \
    extern const struct takt_thread takt_thread_##id;                                              \
    TAKT_PIN_SECTION static const struct takt_pin takt_pin_##id = {&takt_thread_##id, (cpu_)}
#endif

/* How many CPUs run threads, 1..PORT_CPUS. Either context, after the start. */
uint8_t takt_cpus(void);

/* The CPU of the thread at a place, TAKT_NO_CPU if there is no such thread. Either context. */
uint8_t takt_cpu_at(uint8_t place);

/* The CPU that runs this. Either context. */
uint8_t takt_cpu_here(void);

#ifdef __cplusplus
}
#endif

#endif
