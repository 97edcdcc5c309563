/*
 * The state of the CPU, or CPUs. In a file of its own: code that refers to a part of it links
 * nothing else.
 */
#include "cpu.h"

#if PORT_CPUS > 1
struct takt_local takt_locals[PORT_CPUS] = {
    [0 ... PORT_CPUS - 1] = {.locks = TAKT_LOCKS_INIT},
};
uint8_t takt_cpu_of[TAKT_PLACES];
struct takt_kernel_lock takt_kernel_lock = {.owner = TAKT_NO_CPU};
#else
struct takt_core takt_core PORT_CORE;
struct takt_locks takt_locks = TAKT_LOCKS_INIT;
struct takt_timers takt_timers;
struct takt_cpu takt_cpu;
#endif
