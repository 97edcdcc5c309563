/*
 * Admission of changes at run time: the running program's budgets, with one of them changed or
 * added, put to the same exact test as at build time (admit.c). What the build knows beside
 * budgets (interrupt rates, board costs) is in takt_admit_board, which a board defines.
 */
#include "admission.h"

#include "cpu.h"

#include <takt/admit.h>
#include <takt/vcpu.h>

__attribute__((weak)) const struct takt_admit_set takt_admit_board = {
    .costs = {.margin_us = TAKT_BUDGET_MARGIN_US}};

struct workload {
    struct takt_admit_thread threads[TAKT_ADMIT_THREADS];
    uint32_t count;
};

static void add(struct workload *w, uint32_t budget, uint32_t period)
{
    if (w->count < TAKT_ADMIT_THREADS)
        w->threads[w->count] = (struct takt_admit_thread){budget, period, 0, 0, 1};
    w->count++;
}

static int verdict(const struct workload *w)
{
    struct takt_admit_set set = takt_admit_board;
    if (w->count > TAKT_ADMIT_THREADS)
        return TAKT_ENOSPACE;
    set.threads = w->threads;
    set.thread_count = w->count;
    return takt_admit_exact(&set, NULL);
}

int takt_admit_joining(const struct takt_thread *thread, uint8_t place)
{
    struct workload w = {.count = 0};
    if (!thread->vcpu)
        return TAKT_OK;
    for (uint8_t i = 0; i <= takt_cpu.count; i++) {
        if (i == place)
            add(&w, thread->vcpu->budget, thread->vcpu->period);
        if (i < takt_cpu.count && takt_table[i]->vcpu)
            add(&w, takt_table[i]->vcpu->budget, takt_table[i]->vcpu->period);
    }
    return verdict(&w);
}

int takt_admit_budget(uint8_t place, uint32_t c_us)
{
    struct workload w = {.count = 0};
    for (uint8_t i = 0; i < takt_cpu.count; i++)
        if (takt_table[i]->vcpu)
            add(&w, i == place ? c_us : takt_table[i]->vcpu->budget, takt_table[i]->vcpu->period);
    return verdict(&w);
}
