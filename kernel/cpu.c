/*
 * The state of the CPU. In a file of its own: who refers to a part of it links nothing else.
 */
#include "cpu.h"

struct takt_core takt_core PORT_CORE;
struct takt_locks takt_locks = TAKT_LOCKS_INIT;
struct takt_timers takt_timers;
struct takt_cpu takt_cpu;
