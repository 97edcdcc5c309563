/*
 * The first and only program of the Linux guest: boots what is needed, measures as its settings
 * say, prints what it found and powers the machine off.
 *
 * Everything counts from the moment `start_ms` of the machine's clock on, for `seconds`; before,
 * the system boots and the channels are started. Threads that count and the vendor's thread that
 * reads are under SCHED_DEADLINE as in the paper, section IV-A; readers, writers and the interrupt
 * thread where they have a budget (policy.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <time.h>
#include <unistd.h>

#include "lab.h"

#define HOG_BUDGET_US  1000
#define HOG_PERIOD_US  7000
#define SETTLE_NS      500000000u /* before and after the measurement */
#define NS_PER_S       1000000000u
#define STACK_BYTES    (256u * 1024)

struct settings settings = {.seconds = 1, .batch = 128};
struct tally tallies[LAB_CHANNELS];
struct writer writers[LAB_CHANNELS];
const struct way *way;

struct hog {
    uint64_t start, end, count;
};
static struct hog hogs[LAB_HOGS];

_Noreturn void off(void)
{
    fflush(stdout);
    sync();
    usleep(100000); /* the console is read to its end */
    reboot(RB_POWER_OFF);
    for (;;)
        pause();
}

_Noreturn void fail(const char *what)
{
    printf("@ failed %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    off();
}

static void read_settings(int count, char **texts)
{
    const struct {
        const char *name;
        long *at;
    } known[] = {
        {"vendor", &settings.vendor},       {"readers", &settings.readers},
        {"writers", &settings.writers},     {"hogs", &settings.hogs},
        {"start_ms", &settings.start_ms},   {"seconds", &settings.seconds},
        {"budget_us", &settings.budget_us}, {"period_us", &settings.period_us},
        {"batch", &settings.batch},         {"hrtick", &settings.hrtick},
        {"irq_budget_us", &settings.irq_budget_us},
        {"irq_period_us", &settings.irq_period_us},
    };
    for (int at = 0; at < count; at++) {
        char *equals = strchr(texts[at], '=');
        size_t which = 0, all = sizeof known / sizeof *known;

        if (!equals)
            continue;
        *equals = 0;
        while (which < all && strcmp(known[which].name, texts[at]) != 0)
            which++;
        if (which == all)
            fail(texts[at]);
        *known[which].at = strtol(equals + 1, NULL, 0);
    }
}

void thread(void *(*task)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t made;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    errno = pthread_create(&made, &attributes, task, argument);
    if (errno)
        fail("pthread_create");
    pthread_detach(made);
}

void sleep_until(uint64_t ns)
{
    for (uint64_t now = lab_ns(); now < ns; now = lab_ns()) {
        struct timespec left = {(time_t)((ns - now) / NS_PER_S), (long)((ns - now) % NS_PER_S)};
        nanosleep(&left, NULL);
    }
}

static void *count(void *argument)
{
    struct hog *hog = argument;

    sleep_until(hog->start);
    deadline(HOG_BUDGET_US, HOG_PERIOD_US);
    lab_spin(hog->end, &hog->count);
    return NULL;
}

static void begin(uint64_t start, uint64_t end)
{
    for (unsigned at = 0; at < LAB_CHANNELS; at++) {
        tallies[at].start = start;
        writers[at] = (struct writer){.channel = at, .start = start, .end = end};
        if (settings.readers >> at & 1)
            thread(reader, &tallies[at]);
        if (settings.writers >> at & 1)
            thread(writer, &writers[at]);
    }
    for (long at = 0; at < settings.hogs && at < LAB_HOGS; at++) {
        hogs[at] = (struct hog){.start = start, .end = end};
        thread(count, &hogs[at]);
    }
}

static void tell(void)
{
    for (unsigned at = 0; at < LAB_CHANNELS; at++) {
        if (settings.readers >> at & 1)
            tally_print(&tallies[at], at, (unsigned)settings.seconds);
        if (settings.writers >> at & 1)
            printf("@ writer %u %u %u\n", at, writers[at].sent, writers[at].refused);
    }
    for (long at = 0; at < settings.hogs && at < LAB_HOGS; at++)
        printf("@ hog %ld %llu %d\n", at, (unsigned long long)hogs[at].count, HOG_PERIOD_US);
    printf("@ end\n");
}

int main(int count_of, char **texts)
{
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    read_settings(count_of - 1, texts + 1);
    boot();
    way = settings.vendor ? &vendor : &socketcan;

    uint64_t start = (uint64_t)settings.start_ms * 1000000u;
    uint64_t end = start + (uint64_t)settings.seconds * NS_PER_S;
    bool io = (settings.readers | settings.writers) != 0;
    if (io)
        way->open();
    if (settings.irq_budget_us)
        set_irq_thread();
    begin(start, end);
    if (io)
        way->start();
    printf("@ ready %llu\n", (unsigned long long)lab_ns());
    fflush(stdout);
    if (lab_ns() + SETTLE_NS > start)
        fail("too slow to be ready at the start");
    sleep_until(end + SETTLE_NS); /* the last frames arrive */
    if (io)
        way->stop();
    tell();
    off();
}
