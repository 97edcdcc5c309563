/*
 * Which CPU runs which thread: first-fit decreasing (Johnson 1973; for fixed priorities Oh and Son
 * 1995) with the exact test of takt/admit.h. In order of C/T, largest first, each thread comes to the
 * first CPU whose threads, it included, still pass. I/O VCPUs are among them by their U. One source for
 * the start of a program and for the build, on the host.
 *
 * First-fit is not optimal: that it finds no partition does not mean that there is none
 * (docs/guarantees.md says how often). What it finds is schedulable.
 */
#ifndef TAKT_PARTITION_H
#define TAKT_PARTITION_H

#include <takt/admit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CPUs there may be. */
#define TAKT_PARTITION_CPUS 16

struct takt_partition {
    const struct takt_admit_set *set; /* of all CPUs together; interrupts are taken to come to each */
    uint8_t cpus;                     /* 1..TAKT_PARTITION_CPUS */
    const uint8_t *thread_pins;       /* the CPU somebody must be on, or TAKT_NO_CPU; NULL: nobody */
    const uint8_t *io_pins;
    uint8_t *thread_cpu; /* where they come: one for each of the set */
    uint8_t *io_cpu;
    uint32_t lock_ns; /* longest that a CPU holds the kernel's lock: what each other CPU adds to a
                         switch and to an alarm */
};

/* What other CPUs add to a set of one CPU, whose threads these are: waits for the kernel's lock, and
 * each thread's blocking once more for each, as a section may wait for one of theirs. Pure. */
void takt_partition_waits(struct takt_admit_set *set, struct takt_admit_thread *threads,
                          uint8_t cpus, uint32_t lock_ns);

/*
 * Partitions the set. TAKT_OK; TAKT_EADMIT: somebody fits nowhere, or not where it must be, and
 * *refused (unless that is NULL) is the thread, or thread_count + the I/O VCPU: those that have been
 * placed before have a CPU, all others TAKT_NO_CPU. Otherwise as takt_admit_validate(), a pin beyond
 * the CPUs being TAKT_EINVAL. Pure. Bound: (threads + I/O VCPUs) x CPUs exact tests.
 */
int takt_partition(const struct takt_partition *partition, uint32_t *refused);

#ifdef __cplusplus
}
#endif

#endif
