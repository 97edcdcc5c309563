/*
 * What harnesses have in common: a table of threads on the simulation port, and a list of events.
 * Included once the number of threads and of events, and struct event, are known.
 */
#ifndef TAKT_TESTS_HARNESS_RUN_H
#define TAKT_TESTS_HARNESS_RUN_H

#define STACK 65536

static struct takt_thread threads[THREADS];
static char stacks[THREADS][STACK] __attribute__((aligned(64)));
static struct event events[EVENTS];
static uint32_t thread_count, event_count, lost;

static inline void harness_note(struct event event)
{
    if (event_count == EVENTS)
        lost++;
    else
        events[event_count++] = event;
}

static void boot(void)
{
    port_irq_save();
    for (uint32_t i = 0; i < thread_count; i++)
        takt_table[i] = &threads[i];
    port_init();
    takt_boot_locked((uint8_t)thread_count);
}

/* Returns enum sim_stop, or -1 when events were lost. */
int harness_run(uint64_t until)
{
    int stop = (int)sim_run(boot, until);
    return lost ? -1 : stop;
}

const char *harness_fatal(void)
{
    return sim_fatal_line();
}

uint32_t harness_events(const struct event **list)
{
    *list = events;
    return event_count;
}

#endif
