/*
 * Semaphores and preemption in C, for programs with mutexes, budgets or the trace and for ports
 * that have nothing faster. What runs next is sched.c's business, or vcpu_main.c's.
 */
#include "cpu.h"

#include <takt/sem.h>

#if TAKT_HAS_DISPATCHER

int takt_sem_wait(struct takt_sem *sem)
{
    TAKT_FACT("only threads");
    if (takt_is_null(sem))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = TAKT_OK;
    if (irq || !takt_started()) {
        result = TAKT_ECONTEXT;
    } else if (sem->count > 0) {
        sem->count--;
    } else if (takt_holds_mutex(takt_core.current)) {
        result = TAKT_ECONTEXT;
    } else {
        takt_note_wait_locked(takt_core.current, sem);
        sem->waiters |= takt_set_of(takt_core.current);
        takt_leave_locked(TAKT_BLOCK_SEM, irq);
    }
    port_irq_restore(irq);
    return result;
}

/* Gives the unit; returns whether a thread of this CPU was woken, or TAKT_EOVERFLOW. */
static int give_locked(struct takt_sem *sem)
{
    if (sem->waiters == 0) {
        if (sem->count >= sem->max)
            return TAKT_EOVERFLOW;
        sem->count++;
        return 0;
    }
    takt_set_t rest = takt_set_rest(sem->waiters);
    uint8_t place = takt_set_first(sem->waiters);
    takt_wake_locked(place);
    sem->waiters = rest;
    takt_note_wait_locked(place, NULL);
    return takt_here(place);
}

int takt_sem_signal(struct takt_sem *sem)
{
    if (takt_is_null(sem))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = irq || !takt_started() ? TAKT_ECONTEXT : give_locked(sem);
    if (result > 0)
        takt_dispatch_locked(irq);
    port_irq_restore(irq);
    return result < 0 ? result : TAKT_OK;
}

int takt_sem_signal_isr(struct takt_sem *sem)
{
    if (takt_is_null(sem))
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    int result = give_locked(sem);
    if (result > 0)
        takt_dispatch_isr_locked();
    port_irq_restore(irq);
    return result < 0 ? result : TAKT_OK;
}

int takt_check_block(void)
{
    port_irq_t irq = port_irq_save();
    port_irq_restore(irq);
    if (irq || port_in_isr() || !takt_started())
        return TAKT_ECONTEXT;
    return !takt_holds_mutex(takt_core.current);
}

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

void takt_thread_exit(void)
{
    TAKT_FACT("locked");
    if (takt_holds_mutex(takt_core.current)) /* no other thread would ever run again */
        takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), "thread ended with a mutex locked");
    port_irq_t irq = port_irq_save();
    for (;;)
        takt_leave_locked(TAKT_BLOCK_EXIT, irq);
}

#endif
