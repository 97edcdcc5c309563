/* Running: slices of code between events, interrupts, sleep, stops. */
#include "avr.h"

#define SLICE_MAX      0x10000000u
#define STANDBY_CYCLES 6u

static bool interrupts_on(const struct takt_machine *m)
{
    return m->mega->cpu->sreg[S_I] != 0;
}

/* Single steps while somebody wants to know of stores to RAM or of stretches with interrupts off,
 * for simavr tells of neither. */
static bool stepping(const struct takt_machine *m)
{
    return m->masked.log || stores_matter(m);
}

static void broken(struct takt_machine *m, uint32_t length)
{
    avr_t *cpu = m->mega->cpu;
    cpu->cycle -= length;
    cpu->state = cpu_Running;
    m->now = cpu->cycle;
    m->mega->hit = false;
    m->mega->skip_break = cpu->pc;
    machine_stop(m, TAKT_STOP_BREAK, m->now, cpu->pc);
}

/* Does the mode of sleep stop the clock of the devices? */
static bool frozen(const struct takt_machine *m)
{
    return (m->mega->d[R_SMCR] >> 1 & 7) != 0;
}

static void asleep(struct takt_machine *m)
{
    m->mega->cpu->state = cpu_Running;
    m->sleeping = (m->mega->d[R_SMCR] & 1) != 0; /* SE */
    if (!m->sleeping || !frozen(m))
        return;
    m->mega->slept_since = m->now;
    for (unsigned n = 0; n < TIMERS; n++)
        timer_sync(m, n, m->now);
    for (unsigned n = 0; n < TIMERS; n++)
        event_set(m, EV_TIMER + n, TAKT_NEVER);
}

static void crashed(struct takt_machine *m)
{
    avr_t *cpu = m->mega->cpu;
    if (cpu->pc >= m->flash_size)
        machine_fail(m, TAKT_STOP_FAULT, "a jump beyond the flash, to 0x%04x", (unsigned)cpu->pc);
    else if (!m->dead)
        machine_fail(m, TAKT_STOP_FAULT, "an access beyond the RAM, pc=0x%04x", (unsigned)cpu->pc);
}

/* What ended the instructions just run, the last of which was at cpu->pc. False: a break address,
 * whose instruction is still to run. */
static bool settle(struct takt_machine *m, uint32_t next)
{
    avr_t *cpu = m->mega->cpu;
    bool slept = cpu->state == cpu_Sleeping;
    if (m->mega->hit || (slept && break_is(m, cpu->pc))) {
        broken(m, m->mega->hit ? 2 : 1);
        return false;
    }
    if (cpu->state != cpu_Running && !slept)
        crashed(m);
    else
        cpu->pc = next;
    m->now = cpu->cycle;
    if (slept)
        asleep(m);
    return true;
}

/* Code until the end, at least one instruction. */
static void slice(struct takt_machine *m, uint64_t end)
{
    avr_t *cpu = m->mega->cpu;
    uint64_t length = end > m->now ? end - m->now : 1;
    bool on = interrupts_on(m);
    if (stepping(m)) {
        store_look(m);
        length = 1;
    }
    cpu->run_cycle_count = length < SLICE_MAX ? length : SLICE_MAX;
    cpu->interrupt_state = 0;
    uint32_t from = cpu->pc;
    uint32_t next = avr_run_one(cpu);
    if (settle(m, next))
        m->mega->delay = cpu->interrupt_state < 0; /* turned on by SEI, RETI or a store to SREG */
    if (m->masked.log && on != interrupts_on(m))
        masked_look(m, m->now, from);
    if (interrupts_on(m))
        delivered_unmasked(m, m->now);
}

/* One instruction, break addresses ignored. */
static void step_over(struct takt_machine *m)
{
    uint32_t address = m->mega->cpu->pc;
    if (!break_is(m, address)) {
        slice(m, m->now + 1);
        return;
    }
    uint32_t count = m->break_count;
    break_lift(m, address);
    m->break_count = 0;
    slice(m, m->now + 1);
    m->break_count = count;
    break_put(m, address);
}

bool cpu_can_wake(const struct takt_machine *m)
{
    return interrupts_on(m) && interrupt_can_come(m, !frozen(m));
}

/* Out of sleep: four cycles, and the oscillator's start-up where it stood still. */
void cpu_wake(struct takt_machine *m)
{
    struct mega *mega = m->mega;
    bool still = mega->slept_since != TAKT_NEVER;
    unsigned mode = mega->d[R_SMCR] >> 1 & 7;
    m->sleeping = false;
    mega->cpu->cycle += 4u + (!still ? 0 : mode >= 6 ? STANDBY_CYCLES : mega->chip->start_up);
    m->now = mega->cpu->cycle;
    if (still)
        timer_frozen(m, m->now - mega->slept_since);
    mega->slept_since = TAKT_NEVER;
}

/* Asleep: time jumps to the next event. */
static void sleep(struct takt_machine *m, uint64_t until)
{
    bool ends = m->event_at[EV_WATCHDOG] != TAKT_NEVER || cpu_can_wake(m);
    if (m->queue_irqs == 0 && m->queue_count == 0 && !ends) {
        machine_fail(m, TAKT_STOP_HALT, "asleep with nothing that can wake it, pc=0x%04x",
                     (unsigned)m->mega->cpu->pc);
        return;
    }
    uint64_t next = m->next_event < until ? m->next_event : until;
    if (next > m->now) {
        m->sleep_cycles += next - m->now;
        if (delivered_wanted(m))
            delivered_sleep(m, m->now, next);
        m->now = m->mega->cpu->cycle = next;
    }
}

static void advance(struct takt_machine *m, uint64_t until)
{
    struct mega *mega = m->mega;
    event_run(m, m->now);
    if (m->stopped || m->now >= until)
        return;
    bool reported = mega->skip_break == mega->cpu->pc;
    mega->skip_break = UINT32_MAX;
    int vector = interrupts_on(m) && !mega->delay ? interrupt_next(m) : -1;
    uint64_t end = m->next_event < until ? m->next_event : until;
    if (vector > 0)
        interrupt_enter(m, vector);
    else if (m->sleeping)
        sleep(m, until);
    else if (reported)
        step_over(m);
    else
        slice(m, mega->delay ? m->now + 1 : end);
}

void machine_run(struct takt_machine *m, uint64_t until)
{
    while (!m->stopped && m->now < until)
        advance(m, until);
}

void takt_step(struct takt_machine *m)
{
    m->stopped = false;
    event_run(m, m->now);
    int vector = interrupts_on(m) && !m->mega->delay ? interrupt_next(m) : -1;
    m->mega->skip_break = UINT32_MAX;
    if (vector > 0)
        interrupt_enter(m, vector);
    else if (!m->sleeping)
        step_over(m);
}
