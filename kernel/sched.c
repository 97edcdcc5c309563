/*
 * Scheduling: fixed priority by place, switching, idling, starting.
 *
 * Selection is one lowest-set-bit per switch (design: order is identity). There is no idle
 * thread: with nobody ready the CPU sleeps on the stack of whoever blocked last, and
 * takt_core.context remembers whose stack that is.
 *
 * The functions marked weak are the plain kernel's; vcpu_main.c replaces them in programs with
 * budgets.
 */
#include "cpu.h"

#include <takt/io.h>
#include <takt/isr.h>
#include <takt/vcpu.h>

#if TAKT_TRACE_EVENTS
__asm__(".globl takt_sem_wait_slow"); /* brings sem_slow.c: fast switches leave no trace */
#endif

#define SENTINEL 0x5441544Bu /* in the lowest word of every stack */
#define STACK_RESERVE 16     /* bytes above the sentinel a switch itself still needs */

#if TAKT_DYNAMIC
const struct takt_thread *takt_table[TAKT_PLACES];
struct takt_tcb takt_tcbs[TAKT_PLACES];
#endif

#if defined(__thumb__) && !defined(__thumb2__) && !PORT_FAST_SEM
const uint8_t takt_set_place_of[32] = {0,  1,  28, 2,  29, 14, 24, 3,  30, 22, 20, 15, 25, 17, 4,  8,
                                       31, 27, 13, 23, 21, 19, 16, 7,  26, 12, 18, 6,  11, 5,  10, 9};
#endif

__attribute__((weak)) uint8_t takt_below_ceiling_locked(uint8_t first)
{
    return first;
}

__attribute__((weak)) bool takt_any_mutex_held(void)
{
    return false;
}

__attribute__((weak)) bool takt_mutex_held(void)
{
    return false;
}

bool takt_may_block(void)
{
    return !port_in_isr() && takt_self() != TAKT_NOBODY && !takt_mutex_held();
}

__attribute__((weak)) uint8_t takt_pick_locked(void)
{
    uint8_t first = takt_core.ready ? takt_set_first(takt_core.ready) : TAKT_NOBODY;
    return takt_below_ceiling_locked(first);
}

/* The thread on whose stack, or nearest below whose stack, sp lies. */
static uint8_t nearest(const char *sp)
{
    uint8_t found = TAKT_NOBODY;
    for (uint8_t place = 0; place < takt_places(); place++) {
        const char *end = takt_table[place]->stack_end;
        if (sp <= end && (found == TAKT_NOBODY || end < takt_table[found]->stack_end))
            found = place;
    }
    return found;
}

/* A stack is sound when its sentinel stands and the stack pointer is above it. What says whose it is
 * may be gone: it lies next to the stacks. */
void takt_check_stack(uint8_t place)
{
    char *sp = port_thread_sp();
    if (place < takt_places()) {
        const struct takt_thread *thread = takt_table[place];
        bool inside = sp >= thread->stack + STACK_RESERVE && sp <= thread->stack_end;
        if (inside && *(uint32_t *)(void *)thread->stack == SENTINEL)
            return;
    } else {
        place = nearest(sp);
    }
    takt_fatal(TAKT_FATAL_STACK, place, "stack overflow");
}

static inline __attribute__((always_inline)) void idle_locked(void)
{
    takt_check_stack(takt_core.context);
    if (!(takt_core.flags & TAKT_CORE_IDLE))
        takt_trace_locked(port_now(), TAKT_EV_RUN, TAKT_NOBODY, 0);
    takt_core.flags |= TAKT_CORE_IDLE;
    takt_core.fast = 0;
    takt_core.current = TAKT_NOBODY;
    port_idle();
}

void takt_idle_locked(void)
{
    idle_locked();
}

/* From here on `next` runs, and takt_sem_wait() and takt_sem_signal() may switch by themselves
 * unless a mutex is held or the trace has to know. */
static void allow_fast_locked(uint8_t next)
{
    if (TAKT_TRACE_EVENTS == 0)
        takt_core.fast = takt_any_mutex_held() ? 0 : takt_set_of(next);
}

__attribute__((weak)) void takt_dispatch_locked(port_irq_t irq)
{
    uint8_t next;
    (void)irq;
    if (takt_core.current != TAKT_NOBODY)
        takt_core.context = takt_core.current; /* fast switches leave that to us */
    while ((next = takt_pick_locked()) == TAKT_NOBODY)
        idle_locked();
    allow_fast_locked(next);
    if (next == takt_core.current)
        return;
    takt_check_stack(takt_core.context);
    takt_trace_locked(port_now(), TAKT_EV_RUN, next, 0);
    uint8_t self = takt_enter_locked(next);
    if (self != next)
        port_switch_mixed(&takt_tcbs[self].sp, takt_tcbs[next].sp);
}

__attribute__((weak)) void takt_block_locked(enum takt_block_reason reason, port_irq_t irq)
{
    takt_trace_locked(port_now(), TAKT_EV_BLOCK, takt_core.current, reason);
    takt_core.ready &= ~takt_set_of(takt_core.current);
    takt_dispatch_locked(irq);
}

__attribute__((weak)) void takt_wake_locked(uint8_t place)
{
    if (takt_set_has(takt_core.ready, place))
        return; /* a wait that timed out and was signalled all the same */
    takt_trace_locked(port_now(), TAKT_EV_READY, place, 0);
    takt_core.ready |= takt_set_of(place);
}

__attribute__((weak)) void takt_dispatch_isr_locked(void)
{
    if (takt_self() != TAKT_NOBODY && takt_pick_locked() != takt_core.current)
        port_switch_from_isr();
}

/* While idle the dispatcher, which is running, looks for itself. */
__attribute__((weak)) void takt_preempt(void)
{
    if (takt_self() != TAKT_NOBODY)
        takt_dispatch_locked(0);
}

__attribute__((weak)) void takt_isr_enter(void) {}

__attribute__((weak)) void takt_isr_exit(uint8_t source)
{
    (void)source;
}

__attribute__((weak)) void takt_vcpu_charge(uint32_t us)
{
    (void)us;
}

__attribute__((weak)) void takt_begin_first_locked(void)
{
    takt_core.current = takt_pick_locked();
    allow_fast_locked(takt_core.current);
    takt_trace_locked(port_now(), TAKT_EV_RUN, takt_core.current, 0);
}

void takt_stack_prepare(uint8_t place)
{
    const struct takt_thread *thread = takt_table[place];
    *(uint32_t *)(void *)thread->stack = SENTINEL;
    takt_tcbs[place].sp =
        port_stack_init(thread->stack, thread->stack_end, thread->entry, thread->arg);
}

void takt_boot_locked(uint8_t count)
{
    takt_core.count = count;
    for (uint8_t place = 0; place < count; place++)
        takt_stack_prepare(place);
    takt_core.ready = takt_all_places();
    takt_trace_locked(port_now(), TAKT_EV_START, TAKT_NOBODY, count);
    takt_begin_first_locked();
    takt_core.context = takt_core.current;
    port_start(takt_tcbs[takt_core.current].sp);
}

#if !TAKT_DYNAMIC
void takt_start(void)
{
    size_t count = (size_t)(takt_table_end - takt_table);
    port_irq_save();
    if (count == 0 || count > TAKT_PLACES)
        takt_fatal(TAKT_FATAL_CONTEXT, TAKT_NOBODY, "a program needs 1 to 32 threads");
    port_init();
    takt_boot_locked((uint8_t)count);
}
#endif

uint8_t takt_self(void)
{
    return takt_core.count ? takt_core.current : TAKT_NOBODY;
}

uint8_t takt_thread_count(void)
{
    return takt_core.count;
}

const struct takt_thread *takt_thread_at(uint8_t place)
{
    return place < takt_core.count ? takt_table[place] : NULL;
}

uint8_t takt_place_of(const struct takt_thread *thread)
{
    uint8_t place = 0;
    while (place < takt_core.count && takt_table[place] != thread)
        place++;
    return place < takt_core.count ? place : TAKT_NOBODY;
}

void takt_thread_exit(void)
{
    port_irq_t irq = port_irq_save();
    for (;;)
        takt_block_locked(TAKT_BLOCK_EXIT, irq);
}
