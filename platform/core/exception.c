/*
 * Exceptions: priorities, entry, return, tail chaining, late arrival, faults, lockup
 * (ARMv6-M Architecture Reference Manual B1.5).
 *
 * Level = execution priority: -2 NMI, -1 HardFault, 0 PRIMASK or the highest configurable
 * priority, 64, 128, 192, and 256 for thread mode. An exception runs when its priority is
 * below (more urgent than) the level.
 */
#include <string.h>

#include "machine.h"

#define LEVEL_THREAD 256
#define BIT(number)  (1ULL << (number))

/* Cycles before the end of an entry or exit up to which a late exception changes the course:
 * then the vector is fetched. */
#define LATE 3u

/* Cycles from the start of a store that makes an exception pending until that is seen: the store's
 * own, and one that the next instruction begins in. */
#define ASKED 3u

void exception_reset(struct takt_machine *m)
{
    struct exceptions *e = &m->exc;
    memset(e, 0, sizeof *e);
    e->priority[EXC_NMI] = -2;
    e->priority[EXC_HARDFAULT] = -1;
    e->enabled =
        BIT(EXC_NMI) | BIT(EXC_HARDFAULT) | BIT(EXC_SVCALL) | BIT(EXC_PENDSV) | BIT(EXC_SYSTICK);
    m->ipsr = 0;
    m->control = 0;
    m->psp_active = false;
    m->sleeping = false;
    m->fault = FAULT_NONE;
}

static int active_level(const struct takt_machine *m)
{
    int level = LEVEL_THREAD;
    for (uint64_t set = m->exc.active; set != 0; set &= set - 1) {
        int priority = m->exc.priority[__builtin_ctzll(set)];
        level = priority < level ? priority : level;
    }
    return level;
}

int exception_level(const struct takt_machine *m)
{
    int level = active_level(m);
    return m->exc.primask && level > 0 ? 0 : level;
}

/* The most urgent pending exception below `level`, or 0. */
static unsigned best_pending(const struct takt_machine *m, int level)
{
    unsigned best = 0;
    for (uint64_t set = m->exc.pending & m->exc.enabled & ~m->exc.asked; set != 0; set &= set - 1) {
        unsigned number = (unsigned)__builtin_ctzll(set);
        int priority = m->exc.priority[number];
        if (priority < level) {
            level = priority;
            best = number;
        }
    }
    return best;
}

bool exception_wakes(const struct takt_machine *m)
{
    return best_pending(m, active_level(m)) != 0;
}

void exception_pend(struct takt_machine *m, unsigned number)
{
    bool fresh = (m->exc.pending & BIT(number)) == 0;
    m->exc.pending |= BIT(number);
    if (fresh && number >= EXC_IRQ0)
        wait_begin(m, number - EXC_IRQ0, m->now);
    if (fresh && (m->exc.scr & 0x10) != 0)
        m->exc.event = true;
    bus_attention(m);
}

void exception_ask(struct takt_machine *m, unsigned number)
{
    m->exc.asked |= BIT(number) & ~m->exc.pending;
    exception_pend(m, number);
    event_set(m, EV_ASKED, m->now + ASKED);
}

void exception_asked(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id, (void)when;
    m->exc.asked = 0;
    bus_attention(m);
}

void irq_line(struct takt_machine *m, unsigned irq, bool high)
{
    bool was = (m->exc.lines >> irq & 1) != 0;
    m->exc.lines = (m->exc.lines & ~(1u << irq)) | (uint32_t)high << irq;
    if (high && !was)
        exception_pend(m, EXC_IRQ0 + irq);
}

bool privileged(const struct takt_machine *m)
{
    return m->ipsr != 0 || (m->control & 1) == 0;
}

void stack_select(struct takt_machine *m, bool psp)
{
    if (psp == m->psp_active)
        return;
    uint32_t sp = m->r[13];
    m->r[13] = m->other_sp;
    m->other_sp = sp;
    m->psp_active = psp;
}

uint32_t xpsr_get(const struct takt_machine *m)
{
    uint32_t flags =
        (m->nz < 0 ? 8u : 0) | ((uint32_t)m->nz == 0 ? 4u : 0) | m->carry << 1 | m->over >> 31;
    return flags << 28 | 1u << 24 | m->ipsr;
}

void flags_set(struct takt_machine *m, uint32_t xpsr)
{
    bool n = (xpsr >> 31) != 0, z = (xpsr >> 30 & 1) != 0;
    m->nz = (n ? INT64_MIN : 0) | (z ? 0 : 1);
    m->carry = xpsr >> 29 & 1;
    m->over = xpsr << 3 & 0x80000000u;
}

static void lockup(struct takt_machine *m, const char *why)
{
    char before[sizeof m->fault_text];
    memcpy(before, m->fault_text, sizeof before);
    machine_fail(m, TAKT_STOP_FAULT, "lockup (%s) at pc=0x%08x%s%.80s", why,
                 (unsigned)code_address(m, m->at), before[0] != 0 ? "; after " : "", before);
}

static bool push_frame(struct takt_machine *m, bool thumb)
{
    uint32_t sp = m->r[13], frame = (sp - 32) & ~4u;
    uint32_t psr = xpsr_get(m) & ~(thumb ? 0 : 1u << 24);
    uint32_t words[8] = {m->r[0],
                         m->r[1],
                         m->r[2],
                         m->r[3],
                         m->r[12],
                         m->r[14],
                         code_address(m, m->at),
                         psr | (sp & 4) << 7};
    m->bus_fault = mpu_denies(m, frame, true) || mpu_denies(m, frame + 28, true);
    for (uint32_t k = 0; k < 8 && !m->bus_fault; k++)
        bus_write(m, frame + 4 * k, words[k], 4);
    m->r[13] = frame;
    return !m->bus_fault;
}

/* The vector is fetched and the handler's first instruction is next. */
static void start_handler(struct takt_machine *m, unsigned number, uint32_t link)
{
    m->exc.pending &= ~BIT(number);
    m->exc.active |= BIT(number);
    if (number >= EXC_IRQ0)
        wait_end(m, number - EXC_IRQ0, m->now);
    m->ipsr = number;
    m->exc.event = true;
    m->control &= ~2u;
    stack_select(m, false);
    m->r[14] = link;
    m->bus_fault = false;
    m->bus_extra = 0;
    uint32_t vector = bus_read(m, m->exc.vtor + 4 * number, 4);
    if (m->wait_states != 0 || m->flash_cached)
        m->now += (uint32_t)m->bus_extra + cycles_jump_wait(m, vector & ~1u);
    code_jump(m, vector & ~1u);
    if (m->bus_fault || (vector & 1) == 0) {
        if (number == EXC_HARDFAULT) {
            lockup(m, "no HardFault handler");
            return;
        }
        m->fault = m->bus_fault ? FAULT_BUS : FAULT_STATE;
        m->fault_address = m->bus_fault ? m->exc.vtor + 4 * number : vector;
    }
}

/* HardFault comes in the place of what was to be entered, without another frame; so it does if it
 * was that itself. False: lockup. */
static bool enter_without_frame(struct takt_machine *m, unsigned number)
{
    if (number == EXC_NMI && exception_level(m) == -1) {
        lockup(m, "no memory for a stack frame in a fault handler");
        return false;
    }
    if (number != EXC_HARDFAULT)
        machine_fail(m, TAKT_STOP_TIME, "HardFault: no memory for a stack frame at 0x%08x",
                     (unsigned)m->r[13]);
    m->exc.pending |= BIT(EXC_HARDFAULT);
    return true;
}

static void enter(struct takt_machine *m, unsigned number, bool thumb)
{
    uint32_t link = m->ipsr != 0 ? 0xfffffff1u : m->psp_active ? 0xfffffffdu : 0xfffffff9u;
    uint32_t from = code_address(m, m->at);
    uint64_t start = m->now, end = start + m->cost.entry;
    int level = exception_level(m);
    if (!push_frame(m, thumb) && !enter_without_frame(m, number))
        return;
    if (delivered_wanted(m) && m->ipsr == 0)
        delivered_enter(m, start, m->r[13]);
    event_run(m, end - LATE);
    unsigned late = best_pending(m, level);
    m->now = end;
    start_handler(m, late != 0 ? late : number, link);
    masked_look(m, start, from);
}

bool exception_poll(struct takt_machine *m)
{
    unsigned number = best_pending(m, exception_level(m));
    if (number == 0)
        return false;
    m->sleeping = false;
    enter(m, number, true);
    return true;
}

static const char *fault_name(enum fault_kind kind)
{
    static const char *const name[] = {
        [FAULT_UNDEFINED] = "undefined instruction at",
        [FAULT_UNALIGNED] = "unaligned access to",
        [FAULT_BUS] = "bus error at",
        [FAULT_MPU] = "the MPU denies access to",
        [FAULT_FETCH] = "no code at",
        [FAULT_STATE] = "jump without Thumb bit to",
        [FAULT_SVC] = "SVC masked at",
        [FAULT_RETURN] = "bad exception return",
    };
    return name[kind];
}

/* A fault of the instruction at `at`: HardFault, or lockup when already there. */
void exception_fault(struct takt_machine *m)
{
    enum fault_kind kind = m->fault;
    m->fault = FAULT_NONE;
    machine_fail(m, TAKT_STOP_TIME, "HardFault: %s 0x%08x, pc=0x%08x", fault_name(kind),
                 (unsigned)m->fault_address, (unsigned)code_address(m, m->at));
    if (active_level(m) <= -1) {
        lockup(m, "fault in a fault handler");
        return;
    }
    m->exc.pending |= BIT(EXC_HARDFAULT);
    enter(m, EXC_HARDFAULT, kind != FAULT_STATE);
}

static bool return_is_valid(const struct takt_machine *m, uint32_t value)
{
    uint64_t others = m->exc.active & ~BIT(m->ipsr);
    if ((m->exc.active & BIT(m->ipsr)) == 0)
        return false;
    if (value == 0xfffffff1u)
        return others != 0;
    return (value == 0xfffffff9u || value == 0xfffffffdu) && others == 0;
}

/* Takes, instead of unstacking, what is pending by `upto`. */
static bool tail_chain(struct takt_machine *m, uint32_t value, uint64_t upto)
{
    for (;;) {
        unsigned number = best_pending(m, exception_level(m));
        if (number != 0) {
            m->now += m->cost.tail_chain;
            event_run(m, m->now - LATE);
            unsigned late = best_pending(m, exception_level(m));
            start_handler(m, late, value);
            return true;
        }
        if (m->next_event > upto)
            return false;
        m->now = m->next_event > m->now ? m->next_event : m->now;
        event_run(m, m->now);
    }
}

static bool pop_frame(struct takt_machine *m, bool to_handler)
{
    uint32_t frame = m->r[13], words[8];
    m->bus_fault = false;
    for (uint32_t k = 0; k < 8 && !m->bus_fault; k++)
        words[k] = bus_read(m, frame + 4 * k, 4);
    if (m->bus_fault || ((words[7] & 0x3f) != 0) != to_handler)
        return false;
    for (uint32_t k = 0; k < 4; k++)
        m->r[k] = words[k];
    m->r[12] = words[4];
    m->r[14] = words[5];
    m->r[13] = (frame + 32) | (words[7] >> 9 & 1) << 2;
    m->ipsr = words[7] & 0x3f;
    flags_set(m, words[7]);
    m->now += m->wait_states != 0 ? cycles_jump_wait(m, words[6] & ~1u) : 0;
    code_jump(m, words[6] & ~1u);
    if ((words[7] >> 24 & 1) == 0) {
        m->fault = FAULT_STATE;
        m->fault_address = words[6];
    }
    return true;
}

static void bad_return(struct takt_machine *m, uint32_t value)
{
    m->fault = FAULT_RETURN;
    m->fault_address = value;
}

/* `at` is the BX or POP, its cycles are counted. */
void exception_return(struct takt_machine *m, uint32_t value)
{
    if (!return_is_valid(m, value)) {
        bad_return(m, value);
        return;
    }
    unsigned irq = m->ipsr - EXC_IRQ0;
    uint32_t from = code_address(m, m->at);
    m->exc.active &= ~BIT(m->ipsr);
    if (m->ipsr >= EXC_IRQ0 && (m->exc.lines >> irq & 1) != 0)
        m->exc.pending |= BIT(m->ipsr), wait_begin(m, irq, m->now);
    m->exc.event = true;
    uint64_t end = m->now + m->cost.exit;
    bool chained = tail_chain(m, value, end - LATE);
    masked_look(m, chained ? m->now : end, from);
    if (chained)
        return;
    m->now = end;
    stack_select(m, value == 0xfffffffdu);
    m->control = (m->control & 1) | (value == 0xfffffffdu ? 2u : 0);
    uint32_t frame = m->r[13];
    if (!pop_frame(m, value == 0xfffffff1u)) {
        bad_return(m, value);
        return;
    }
    if (delivered_wanted(m) && m->ipsr == 0)
        delivered_return(m, m->now, frame, m->r[13]);
    if (m->ipsr == 0 && (m->exc.scr & 2) != 0) {
        m->sleeping = true;
        m->waiting_event = false;
    }
}

bool interrupts_masked(const struct takt_machine *m)
{
    return m->exc.primask || (m->exc.active >> EXC_SVCALL & 1) != 0;
}
