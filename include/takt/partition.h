/*
 * Which CPU runs which thread: first-fit decreasing (Johnson 1973; for fixed priorities Oh and Son
 * 1995) with the exact test of takt/admit.h. In order of C/T, largest first, each thread comes to
 * the first CPU whose threads, it included, still pass. I/O VCPUs are among them by their U. Where
 * one finds no CPU, other places of those before it are tried, depth first and in the same order,
 * and then fewer CPUs, down to one. One source for the start of a program and for the build, on the
 * host.
 *
 * The search is bounded: that it finds no partition of many threads does not mean that there is
 * none (docs/guarantees.md). What it finds is schedulable.
 */
#ifndef TAKT_PARTITION_H
#define TAKT_PARTITION_H

#include <takt/admit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Places of items that are tried for each number of CPUs. */
#define TAKT_PARTITION_STEPS 4096

/* CPUs there may be. */
#define TAKT_PARTITION_CPUS 16

struct takt_partition {
    /* of all CPUs together; interrupts are taken to come to each */
    const struct takt_admit_set *set;
    uint8_t cpus;                     /* 1..TAKT_PARTITION_CPUS */
    const uint8_t *thread_pins; /* the CPU a thread must be on, or TAKT_NO_CPU; NULL: none must */
    const uint8_t *io_pins;
    uint8_t *thread_cpu; /* where they come: one for each of the set */
    uint8_t *io_cpu;
    uint32_t lock_ns; /* longest that a CPU holds the kernel's lock: what each other CPU adds to a
                         switch and to an alarm */
};

/* What other CPUs add to a set of one CPU, whose threads these are: waits for the kernel's lock,
 * and each thread's blocking once more for each, as a section may wait for one of theirs. Pure. */
void takt_partition_waits(struct takt_admit_set *set, struct takt_admit_thread *threads,
                          uint8_t cpus, uint32_t lock_ns);

/*
 * Partitions the set. TAKT_OK: *used, unless that is NULL, is how many CPUs have something to do or
 * may have: from there on they are to be left out, as what is admitted does not wait for them.
 * TAKT_EADMIT: one fits nowhere, or not where it must be, and *refused (unless that is NULL) is the
 * thread, or thread_count + the I/O VCPU, that first-fit has no place for: those before it have a
 * CPU, all after it TAKT_NO_CPU. Otherwise as takt_admit_validate(), a pin beyond the CPUs being
 * TAKT_EINVAL. Pure. Bound: CPUs x TAKT_PARTITION_STEPS x CPUs exact tests.
 */
int takt_partition(const struct takt_partition *partition, uint8_t *used, uint32_t *refused);

#ifdef __cplusplus
}
#endif

#endif
