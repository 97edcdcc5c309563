/*
 * Port to ARMv6-M (Cortex-M0, M0+). The clock and the alarm are a board's, see drivers/clock.
 */
#include "core/cpu.h"

#include <takt/sem.h>

#include "layout.h"

#define LIES_AT(type, member, at) _Static_assert(offsetof(struct type, member) == (at), #member)
LIES_AT(takt_core, ready, READY);
LIES_AT(takt_core, current, CURRENT);
#if TAKT_HAS_MUTEX && !TAKT_HAS_DISPATCHER
LIES_AT(takt_core, kept, KEPT);
#endif
LIES_AT(takt_sem, waiters, WAITERS);
LIES_AT(takt_sem, count, COUNT);
LIES_AT(takt_sem, max, MAX);
LIES_AT(takt_thread, stack, STACK);
_Static_assert(sizeof(struct takt_tcb) == 4, "places are scaled by that");
_Static_assert(TAKT_SENTINEL == SENTINEL && TAKT_FATAL_STACK == FATAL_STACK &&
                   TAKT_FATAL_ISR_STACK == FATAL_ISR_STACK,
               "fatal");
_Static_assert(TAKT_ECONTEXT == ~ECONTEXT && TAKT_EOVERFLOW == ~EOVERFLOW, "errors");
_Static_assert(TAKT_EINVAL == -EINVAL, "errors");

extern void port_thread_entry(void);
extern void port_frame(void);

void *port_stack_init(char *stack, char *stack_end, void (*entry)(void *), void *arg)
{
    uint32_t *frame = (uint32_t *)(void *)stack_end - 9;
    (void)stack;
    frame[4] = (uint32_t)entry; /* r4 */
    frame[5] = (uint32_t)arg;   /* r5 */
    frame[8] = (uint32_t)port_thread_entry;
#if PORT_LTO
    *--frame = (uint32_t)port_frame;
#endif
    return frame;
}

void port_halt(void)
{
    for (;;)
        __asm__ volatile("wfi");
}
