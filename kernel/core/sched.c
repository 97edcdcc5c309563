/*
 * Starting, and scheduling in C: fixed priority by place, switching, preempting, idling.
 *
 * Selection is one lowest-set-bit per switch (design: order is identity). There is no idle
 * thread: with none ready the CPU sleeps on the stack of the thread that blocked last, and
 * takt_core.context remembers which that is.
 */
#include "cpu.h"

#include <takt/io.h>
#include <takt/isr.h>
#include <takt/time.h>
#include <takt/vcpu.h>

/* For the build, which refuses a program that takt_start() would. */
#define MOST(n)  MOST_(n)
#define MOST_(n) __asm__(".globl takt_most_threads\n.equ takt_most_threads, " #n)
MOST(TAKT_PLACES);

#define STACK_RESERVE 16 /* bytes above the sentinel a switch itself still needs */

#if PORT_CPUS > 1
struct takt_local takt_locals[PORT_CPUS] = {
    [0 ... PORT_CPUS - 1] = {.locks = TAKT_LOCKS_INIT},
};
uint8_t takt_cpu_of[TAKT_PLACES];
struct takt_kernel_lock takt_kernel_lock = {.owner = TAKT_NO_CPU};
#else
struct takt_core takt_core PORT_CORE;
struct takt_locks takt_locks = TAKT_LOCKS_INIT;
struct takt_timers takt_timers;
struct takt_cpu takt_cpu;
#endif

#if TAKT_TRACE_EVENTS
TAKT_MARKS_ISR_STACK;
#endif

#if TAKT_DYNAMIC
const struct takt_thread *takt_table[TAKT_PLACES];
struct takt_tcb takt_tcbs[TAKT_TCBS];
#endif

bool takt_mutex_held(void)
{
    return takt_holds_mutex(takt_core.current);
}

static __attribute__((noinline, noreturn)) void returned_locked(void)
{
    TAKT_FACT("last");
    takt_fatal(TAKT_FATAL_CONTEXT, takt_self(),
               TAKT_FLASH_TEXT(32, TAKT_FLASH_STRING("returned with a mutex locked")));
}

void takt_require_unlocked(void)
{
    if (takt_holds_mutex(takt_core.current))
        returned_locked();
}

/* A stack is sound when its sentinel stands and the stack pointer is above it. What says which
 * thread has it may be lost: that lies next to the stacks. */
void takt_check_stack(uint8_t place)
{
    if (place >= TAKT_PLACES && place < TAKT_TCBS)
        return; /* where a CPU begins */
    const char *sp = port_thread_sp();
    const struct takt_thread *const *thread = &takt_table[place];
    if (takt_is_thread(thread)) {
        const char *stack = TAKT_FLASH_POINTER(&TAKT_FLASH_POINTER(thread)->stack);
        if (sp >= stack + STACK_RESERVE &&
            *(const takt_sentinel_t *)(const void *)stack == TAKT_SENTINEL)
            return;
    }
    takt_fatal(TAKT_FATAL_STACK, place, NULL);
}

void takt_idle_locked(void)
{
    takt_check_stack(takt_core.context);
    if (!(takt_core.flags & TAKT_CORE_IDLE))
        takt_note_locked(TAKT_EV_RUN, TAKT_NOBODY, 0);
    if (!TAKT_ONE_THREAD) {
        takt_core.flags |= TAKT_CORE_IDLE;
        takt_core.current = TAKT_NOBODY;
    }
    port_idle();
}

#if !TAKT_HAS_BUDGETS

#if TAKT_HAS_DISPATCHER

/* The most urgent that is ready; if the ceiling keeps it away, the holder of the mutex. */
uint8_t takt_pick_locked(void)
{
    uint8_t first = takt_core.ready ? takt_set_first(takt_core.ready) : TAKT_NOBODY;
    bool held = !TAKT_ONE_THREAD && TAKT_HAS_MUTEX && takt_locks.ceiling < TAKT_PLACES;
    return held && first >= takt_locks.ceiling ? takt_locks.holder : first;
}

void takt_dispatch_locked(port_irq_t irq)
{
    TAKT_FACT("takes switch");
    TAKT_FACT("locked");
    uint8_t next;
    (void)irq;
    while ((next = takt_pick_locked()) == TAKT_NOBODY)
        takt_idle_locked();
    if (TAKT_ONE_THREAD || next == takt_core.current)
        return;
    takt_check_stack(takt_core.context);
    takt_note_locked(TAKT_EV_RUN, next, 0);
    uint8_t self = takt_enter_locked(next);
    if (self != next)
        port_switch(&takt_tcbs[self].sp, takt_tcbs[next].sp);
    takt_tasks_go_on_locked();
}

void takt_leave_locked(enum takt_block_reason reason, port_irq_t irq)
{
    TAKT_FACT("locked");
    takt_note_locked(TAKT_EV_BLOCK, takt_core.current, reason);
    takt_locks_sleep_locked();
    takt_core.ready = takt_set_without(takt_core.ready, takt_set_of(takt_core.current));
    takt_dispatch_locked(irq);
}

void takt_wake_locked(uint8_t place)
{
    (void)takt_locks_wake_locked(place);
    if (takt_set_has(takt_core.ready, place))
        return; /* a wait that timed out and was signalled all the same */
    takt_note_locked(TAKT_EV_READY, place, 0);
    takt_core.ready |= takt_set_of(place);
}

/* While idle the dispatcher, which is running, looks for itself; before the start no thread is
 * ready. A ceiling is looked at by the dispatcher that is asked for. */
void takt_dispatch_isr_locked(void)
{
    if (TAKT_HAS_PREEMPTION && !TAKT_ONE_THREAD && takt_core.current != TAKT_NOBODY &&
        (TAKT_HAS_LOCKS ? takt_pick_locked() != takt_core.current
                        : (takt_core.ready & takt_set_before(takt_core.current)) != 0))
        port_switch_from_isr();
}

/* While idle the dispatcher, which is running, looks for itself. */
void takt_preempted_locked(void)
{
    if (takt_self() == TAKT_NOBODY)
        return;
    takt_dispatch_locked(0);
    takt_resume_tasks_locked();
}

#endif

void takt_isr_enter(void) {}

void takt_isr_exit(uint8_t source)
{
    (void)source;
    if (TAKT_TRACE_EVENTS > 0)
        takt_check_isr_stack();
}

void takt_vcpu_charge(uint32_t us)
{
    (void)us;
}

uint32_t takt_isr_us(void)
{
    return 0;
}

void takt_vcpu_restart_all(void)
{
    if (!TAKT_HAS_TRACE)
        return;
    port_irq_t irq = port_irq_save();
    takt_note_locked(TAKT_EV_SETUP, takt_core.current, 0);
    port_irq_restore(irq);
}

/* Place 0 runs first. */
void takt_begin_first_locked(void)
{
    takt_note_locked(TAKT_EV_RUN, takt_core.current, 0);
}

#endif

#if TAKT_HAS_DISPATCHER

void takt_wake_isr(takt_set_t set)
{
    for (; set; set = takt_set_rest(set)) {
        port_irq_t irq = port_irq_save();
        takt_wake_locked(takt_set_first(set));
        takt_dispatch_isr_locked();
        port_irq_restore(irq);
    }
}

void takt_block_locked(enum takt_block_reason reason, port_irq_t irq)
{
    TAKT_FACT("locked");
    takt_leave_locked(reason, irq);
}

void takt_preempt(void)
{
    TAKT_FACT("preempts");
    takt_preempted_locked();
}

#endif

#if TAKT_HAS_DISPATCHER || TAKT_HAS_MUTEX

int takt_check_block(void)
{
    port_irq_t irq = port_irq_save();
    port_irq_restore(irq);
    if (irq || port_in_isr() || !takt_started())
        return TAKT_ECONTEXT;
    return !takt_holds_plain_mutex(takt_core.current);
}

void takt_thread_exit(void)
{
    TAKT_FACT("locked");
    takt_require_unlocked();
    port_irq_t irq = port_irq_save();
    for (;;)
        takt_block_locked(TAKT_BLOCK_EXIT, irq);
}

#endif

static inline __attribute__((always_inline)) void prepare_stack(uint8_t place)
{
    const struct takt_thread *thread = takt_descriptor(place);
    char *stack = TAKT_FLASH_POINTER(&thread->stack);
    *(takt_sentinel_t *)(void *)stack = TAKT_SENTINEL;
    takt_tcbs[place].sp = port_stack_init(stack, TAKT_FLASH_POINTER(&thread->stack_end),
                                          TAKT_FLASH_POINTER(&thread->entry),
                                          TAKT_FLASH_POINTER(&thread->arg));
}

void takt_prepare_stack(uint8_t place)
{
    prepare_stack(place);
}

#if PORT_CPUS == 1
inline __attribute__((always_inline)) void takt_boot_locked(uint8_t count)
{
    takt_core.count = count;
    takt_core.ready = takt_first_places(count);
    do
        prepare_stack(--count);
    while (count > 0);
    takt_note_locked(TAKT_EV_START, TAKT_NOBODY, takt_core.count);
    takt_begin_first_locked();
    takt_core.context = takt_core.current;
    port_start(takt_tcbs[takt_core.current].sp);
}
#endif

#if TAKT_DYNAMIC
/* Copies the table, which is to grow; returns how many threads there are. */
static size_t load_table(void)
{
    size_t count = (size_t)(takt_linked_end - takt_linked);
    for (size_t i = 0; i < count && i < TAKT_PLACES; i++)
        takt_table[i] = takt_linked[i];
    return count;
}
#else
static inline size_t load_table(void)
{
    return (size_t)(takt_table_end - takt_table);
}
#endif

void takt_start(void)
{
    port_irq_save();
    size_t count = load_table();
    if (count - 1 >= (TAKT_ONE_THREAD ? 1 : TAKT_PLACES))
        takt_fatal(TAKT_FATAL_THREADS, TAKT_NOBODY, NULL);
    port_init();
    takt_boot_locked((uint8_t)count);
}

uint8_t takt_self(void)
{
    return takt_started() ? takt_core.current : TAKT_NOBODY;
}

uint8_t takt_thread_count(void)
{
    return takt_core.count;
}

const struct takt_thread *takt_thread_at(uint8_t place)
{
    return place < takt_core.count ? takt_descriptor(place) : NULL;
}

uint8_t takt_place_of(const struct takt_thread *thread)
{
    uint8_t place = 0;
    while (place < takt_core.count && takt_descriptor(place) != thread)
        place++;
    return place < takt_core.count ? place : TAKT_NOBODY;
}
