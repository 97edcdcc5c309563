/*
 * What admission knows of a program on several CPUs beside its threads: board, interrupts, locks.
 * The same, from the same program, as the build has (tools/takt/admit/verdicts.py), so that both
 * admit the same.
 */
#include "admission.h"

#include "core/cpu.h"

#include <takt/admit.h>
#include <takt/pipe.h>

#if PORT_CPUS > 1

#define ONCE_US ((uint32_t)1 << 30) /* separation of what comes once */
#define IRQS    16u

extern const struct takt_admit_set takt_admit_board __attribute__((weak)); /* in flash */
extern const uint32_t takt_admit_lock_ns __attribute__((weak));            /* a board may say */
extern const struct takt_pipe_record pipes_start[] __asm__("__start_takt_pipes");
extern const struct takt_pipe_record pipes_stop[] __asm__("__stop_takt_pipes");
#pragma weak pipes_start
#pragma weak pipes_stop
void takt_arduino_handler(void *arg) __attribute__((weak)); /* entry of threads that handle interrupts */

uint32_t takt_lock_ns(void)
{
    return &takt_admit_lock_ns ? takt_admit_lock_ns : 0;
}

/* Each thread without a budget may be woken by an alarm once while threads with a budget run. */
static uint32_t wakes_ns(void)
{
    uint32_t background = 0;
    for (uint8_t place = 0; place < takt_core.count; place++)
        background += !takt_table[place]->vcpu;
    if (!&takt_admit_board)
        return 0;
    return background * (takt_admit_board.costs.alarm_ns + takt_admit_board.costs.switch_ns);
}

uint32_t takt_blocking_us(void)
{
    return (takt_lock_ns() + 999u) / 1000u + (wakes_ns() + 999u) / 1000u;
}

static void add_irq(struct takt_admit_irq *irqs, uint32_t *count, struct takt_admit_irq irq)
{
    TAKT_ASSERT(*count < IRQS);
    irqs[(*count)++] = irq;
}

/* Is it the first pipe of its endpoint? */
static bool first_of_end(const struct takt_pipe_record *record)
{
    for (const struct takt_pipe_record *r = pipes_start; r < record; r++)
        if (r->end == record->end && r->attrs == record->attrs)
            return false;
    return true;
}

/* Of endpoints without a bottom half. */
static void add_pipes(struct takt_admit_irq *irqs, uint32_t *count)
{
    for (const struct takt_pipe_record *r = pipes_start; r < pipes_stop; r++) {
        uint32_t apart_us = r->attrs->apart_ns < 1000u ? 1 : r->attrs->apart_ns / 1000u;
        if (!r->end->bottom && r->attrs->apart_ns > 0 && first_of_end(r))
            add_irq(irqs, count, (struct takt_admit_irq){r->attrs->top_ns, apart_us, 0});
    }
}

/* A decision for each handler, before anything is charged. */
static void add_handlers(struct takt_admit_irq *irqs, uint32_t *count, uint32_t switch_ns)
{
    uint32_t handlers = 0;
    for (uint8_t place = 0; place < takt_core.count; place++)
        handlers += takt_arduino_handler && takt_table[place]->entry == takt_arduino_handler;
    if (handlers > 0)
        add_irq(irqs, count, (struct takt_admit_irq){handlers * switch_ns, ONCE_US, 0});
}

void takt_admit_known(struct takt_admit_set *set)
{
    static struct takt_admit_irq irqs[IRQS]; /* always the same */
    uint32_t count = 0;
    *set = (struct takt_admit_set){.costs = {.margin_us = TAKT_BUDGET_MARGIN_US}};
    if (&takt_admit_board)
        *set = takt_admit_board;
    for (uint32_t i = 0; i < set->irq_count; i++)
        add_irq(irqs, &count, set->irqs[i]);
    add_handlers(irqs, &count, set->costs.switch_ns);
    add_pipes(irqs, &count);
    set->irqs = irqs;
    set->irq_count = count;
}

#else
typedef int takt_one_cpu_knows_its_board;
#endif
