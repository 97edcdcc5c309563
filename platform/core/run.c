/* Running: slices of code between events, exceptions, sleep, stops. */
#include "ops.h"

/* Longest slice: keeps relative cycles far from overflow. */
#define SLICE_MAX 0x10000000u

static void settle_faults(struct takt_machine *m)
{
    while (m->fault != FAULT_NONE && !m->dead)
        exception_fault(m);
}

static void slice(struct takt_machine *m, uint64_t until)
{
    uint64_t end = m->next_event < until ? m->next_event : until;
    uint64_t length = end > m->now ? end - m->now : 1;
    m->base = m->now;
    m->bound = length < SLICE_MAX ? (uint32_t)length : SLICE_MAX;
    execute(m);
    settle_faults(m);
}

static bool woken(struct takt_machine *m)
{
    if (!m->waiting_event)
        return exception_wakes(m);
    bool wake = m->exc.event || (!m->exc.primask && exception_wakes(m));
    m->exc.event = m->exc.event && !wake;
    return wake;
}

/* Asleep: time jumps to the next event. */
static void sleep(struct takt_machine *m, uint64_t until)
{
    if (m->queue_irqs == 0 && !m->chip->can_wake(m)) {
        machine_fail(m, TAKT_STOP_HALT, "asleep with nothing that can wake it, pc=0x%08x",
                     (unsigned)code_address(m, m->at));
        return;
    }
    uint64_t next = m->next_event < until ? m->next_event : until;
    if (next > m->now) {
        m->sleep_cycles += next - m->now;
        if (delivered_wanted(m))
            delivered_sleep(m, m->now, next);
        m->now = next;
    }
}

/* One instruction, break addresses ignored. */
static void step_over(struct takt_machine *m)
{
    struct insn *i = (struct insn *)m->at;
    uint32_t breaks = m->break_count;
    m->break_count = 0;
    i->op = OP_decode;
    slice(m, m->now + 1);
    m->break_count = breaks;
    code_forget(m, code_address(m, i), 2);
}

static void advance(struct takt_machine *m, uint64_t until)
{
    event_run(m, m->now);
    if (m->stopped || m->now >= until)
        return;
    bool reported = m->reported == m->at;
    m->reported = NULL;
    if (m->sleeping && woken(m))
        m->sleeping = false;
    if (exception_poll(m))
        settle_faults(m);
    else if (m->sleeping)
        sleep(m, until);
    else if (reported)
        step_over(m);
    else
        slice(m, until);
}

void machine_run(struct takt_machine *m, uint64_t until)
{
    while (!m->stopped && m->now < until)
        advance(m, until);
    if (!m->stopped)
        event_run(m, m->now); /* what was due during the last instruction */
    rtt_drain(m);
}

void takt_step(struct takt_machine *m)
{
    m->stopped = false;
    event_run(m, m->now);
    if (m->sleeping && woken(m))
        m->sleeping = false;
    if (!exception_poll(m) && !m->sleeping)
        step_over(m);
    settle_faults(m);
}
