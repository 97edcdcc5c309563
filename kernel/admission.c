/*
 * Admission of changes at run time: the running program's budgets and I/O shares, with one of them
 * changed or added, put to the same exact test as at build time (admit.c). What the build knows
 * beside them (interrupt rates, board costs) is in takt_admit_board, which a board defines.
 */
#include "admission.h"

#include "cpu.h"

#include <takt/admit.h>
#include <takt/vcpu.h>

/* Weak, but not defined here: avr-gcc 5.4 takes the value of a weak constant it sees for granted. */
extern const struct takt_admit_set takt_admit_board __attribute__((weak)); /* in flash */

/* Per budget of an I/O VCPU: a start, a late end, and as much again for the top halves before. */
#define IO_OVERHEAD_US (2 * TAKT_IO_START_COST_US + TAKT_BUDGET_MARGIN_US)

/* As many as there can be: it is on the stack of whoever asks. */
enum {
    MAINS = TAKT_PLACES < TAKT_ADMIT_THREADS ? TAKT_PLACES : TAKT_ADMIT_THREADS,
    IOS = TAKT_ADMIT_IO * MAINS / TAKT_ADMIT_THREADS,
};

struct workload {
    struct takt_admit_thread threads[MAINS];
    struct takt_admit_io ios[IOS];
    uint32_t count, io_count;
};

static void add_main(struct workload *w, uint32_t budget, uint32_t period)
{
    if (w->count < MAINS)
        w->threads[w->count] = (struct takt_admit_thread){budget, period, 0, 0, 1};
    w->count++;
}

static void add_io(struct workload *w, struct takt_io_fraction u)
{
    if (w->io_count < IOS)
        w->ios[w->io_count] = (struct takt_admit_io){u.numerator, u.denominator, 0, IO_OVERHEAD_US};
    w->io_count++;
}

/* The thread as it is. */
static void add(struct workload *w, const struct takt_thread *thread)
{
    const struct takt_vcpu *v = TAKT_FLASH_POINTER(&thread->vcpu);
    if (v && (v->flags & TAKT_IO_VCPU)) {
        const struct takt_io_vcpu *io = (const struct takt_io_vcpu *)v;
        add_io(w, io->most);
    } else if (v) {
        add_main(w, v->budget, v->period);
    }
}

static int verdict(const struct workload *w)
{
    struct takt_admit_set set = {.costs = {.margin_us = TAKT_BUDGET_MARGIN_US}};
    if (&takt_admit_board)
        TAKT_FLASH_COPY(&set, &takt_admit_board);
    if (w->count > MAINS || w->io_count > IOS)
        return TAKT_ENOSPACE;
    set.threads = w->threads;
    set.thread_count = w->count;
    set.ios = w->ios;
    set.io_count = w->io_count;
    return takt_admit_exact(&set, NULL);
}

int takt_admit_joining(const struct takt_thread *thread, uint8_t place)
{
    struct workload w = {.count = 0};
    if (!TAKT_FLASH_POINTER(&thread->vcpu))
        return TAKT_OK;
    for (uint8_t i = 0; i <= takt_core.count; i++) {
        if (i == place)
            add(&w, thread);
        if (i < takt_core.count)
            add(&w, takt_descriptor(i));
    }
    return verdict(&w);
}

int takt_admit_budget(uint8_t place, uint32_t c_us)
{
    struct workload w = {.count = 0};
    for (uint8_t i = 0; i < takt_core.count; i++)
        if (i == place)
            add_main(&w, c_us, TAKT_OF(i, vcpu)->period);
        else
            add(&w, takt_descriptor(i));
    return verdict(&w);
}

int takt_admit_share(const struct takt_io_vcpu *io, struct takt_io_fraction share)
{
    struct workload w = {.count = 0};
    for (uint8_t i = 0; i < takt_core.count; i++)
        if (TAKT_OF(i, vcpu) == &io->server)
            add_io(&w, share);
        else
            add(&w, takt_descriptor(i));
    return verdict(&w);
}

uint32_t takt_longest_period(void)
{
    uint32_t longest = 0;
    for (uint8_t i = 0; i < takt_core.count; i++) {
        const struct takt_vcpu *v = TAKT_OF(i, vcpu);
        if (v && !(v->flags & TAKT_IO_VCPU) && v->period > longest)
            longest = v->period;
    }
    return longest;
}
