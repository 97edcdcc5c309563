/*
 * What each thread is delivered: the cycles of its own instructions, told from stacks and
 * exceptions, and from one symbol, the function that unlocks a mutex.
 *
 *   thread    |own ...      |                                          |... own
 *   handlers       entry|handler|exit     entry|svc|exit
 *   preemption                  |way in ... others run ... way out  |
 *
 * A thread is delivered what the CPU executes on the thread's stack, or on a stack of no thread to which
 * it has gone from there by itself: what the kernel does when it is called is the caller's. Not
 * delivered are exceptions from the first cycle of their entry to the last of their exit, and a
 * preemption: an exception that does not return to the frame it has pushed. That lasts until some
 * exception does return to that frame, however the kernel brings this about.
 *
 * With nothing to run the kernel sleeps. What it does between sleep and the next thread's first
 * instruction is no thread's; a thread that has left, and on whose stack the CPU has slept, is delivered
 * something again from the way back to its stack on, unless that only leads to another one.
 *
 * Of one function, that which unlocks a mutex, a call may let a thread run that is more urgent and
 * was held up: a preemption, too, from where the stack is left until interrupts are on again in the
 * call. Until it is known which thread goes on, what follows is the caller's; if it is another,
 * told earlier and so more urgent, the pieces are taken back. (A bottom half goes by its own place
 * here, and so does a caller whose budget is over: a few microseconds remain the caller's then.)
 *
 * In a program without threads it is calls of some functions that are delivered something, in the same
 * sense: not while an exception, or another of these calls, is above them on the one stack.
 *
 * Invariant: `frame` of a thread is 0 or the address of the one frame that is to be returned to before
 * the thread goes on. Frames lie below each other on a stack, the earliest counts.
 */
#include "machine.h"

#define NONE  UINT32_MAX
#define CALLS UINT32_MAX /* no frame */

static bool on_stack(const struct own_stack *t, uint32_t address)
{
    return address - t->low < t->high - t->low;
}

/* A stack pointer may be at the very end. */
static uint32_t owner_of(const struct delivered *d, uint32_t sp)
{
    for (uint32_t k = 0; k < d->count; k++) {
        if (sp - d->stack[k].low - 1 < d->stack[k].high - d->stack[k].low)
            return k;
    }
    return NONE;
}

static void add(struct delivered *d, uint64_t from, uint64_t to, uint16_t thread, uint16_t why)
{
    for (; to - from > UINT32_MAX; from += UINT32_MAX) {
        struct takt_piece part = {from, UINT32_MAX, thread, TAKT_PIECE_GOES_ON};
        record_add(&d->pieces, &part, sizeof part);
    }
    struct takt_piece piece = {from, (uint32_t)(to - from), thread, why};
    record_add(&d->pieces, &piece, sizeof piece);
}

static void add_sleep(struct delivered *d)
{
    if (d->slept_to > d->slept_from)
        add(d, d->slept_from, d->slept_to, TAKT_PIECE_ASLEEP, TAKT_PIECE_GOES_ON);
    d->slept_from = d->slept_to;
}

static void close(struct delivered *d, uint64_t cycle, uint16_t why)
{
    if (d->to != NONE && (cycle > d->since || why == TAKT_PIECE_LEFT))
        add(d, d->since, cycle > d->since ? cycle : d->since, (uint16_t)d->to, why);
    d->to = NONE;
}

/* To whom the CPU should deliver. */
static uint32_t owed(const struct delivered *d)
{
    const struct own_call *top = d->calls != 0 ? &d->call[d->calls - 1] : NULL;
    if (top != NULL)
        return top->frame == 0 ? TAKT_PIECE_CALL + top->function : NONE;
    const struct own_stack *self = d->self != NONE ? &d->stack[d->self] : NULL;
    return self != NULL && self->frame == 0 && !self->yielded && !d->idle ? d->self : NONE;
}

static void open(struct delivered *d, uint64_t cycle)
{
    uint32_t to = owed(d);
    if (d->to != NONE || to == NONE)
        return;
    add_sleep(d);
    d->to = to;
    d->since = cycle;
}

static void interrupt_call(struct delivered *d, uint64_t cycle, uint32_t frame)
{
    struct own_call *top = d->calls != 0 ? &d->call[d->calls - 1] : NULL;
    if (top == NULL || top->frame != 0)
        return;
    top->frame = frame;
    close(d, cycle, TAKT_PIECE_GOES_ON);
}

void delivered_call(struct takt_machine *m, uint64_t cycle, uint32_t function, uint32_t sp)
{
    struct delivered *d = &m->delivered;
    uint32_t n = 0;
    while (n < d->functions && d->function[n] != function)
        n++;
    if (n == d->functions || d->calls == CALLS_MAX)
        return;
    interrupt_call(d, cycle, CALLS);
    d->call[d->calls++] = (struct own_call){n, sp, 0};
    open(d, cycle);
}

void delivered_shorter(struct takt_machine *m, uint64_t cycle, uint32_t sp)
{
    struct delivered *d = &m->delivered;
    while (d->calls != 0 && sp > d->call[d->calls - 1].sp) {
        close(d, cycle, TAKT_PIECE_LEFT);
        d->calls--;
        if (d->calls != 0 && d->call[d->calls - 1].frame == CALLS)
            d->call[d->calls - 1].frame = 0;
    }
    open(d, cycle);
}

void delivered_enter(struct takt_machine *m, uint64_t cycle, uint32_t frame)
{
    struct delivered *d = &m->delivered;
    d->yields = d->yields && d->away; /* else it goes on itself */
    interrupt_call(d, cycle, frame);
    if (d->self == NONE)
        return;
    struct own_stack *t = &d->stack[d->self];
    bool beneath = t->frame != 0 && (frame < t->frame || !on_stack(t, frame));
    if (!beneath)
        t->frame = frame;
    d->back = false;
    close(d, cycle, TAKT_PIECE_GOES_ON);
}

/* The CPU is on the stack of thread k. */
static void arrive(struct delivered *d, uint32_t k, uint32_t sp)
{
    struct own_stack *t = &d->stack[k];
    if (on_stack(t, t->frame) && sp > t->frame)
        t->frame = 0; /* left for good */
    if (k != d->self)
        d->back = d->idle = false;
    d->self = k;
    d->away = false;
}

/* It has left its stack; what it was delivered up to then is for good. */
static void leave(struct takt_machine *m, uint64_t cycle, uint32_t from)
{
    struct delivered *d = &m->delivered;
    if (d->away)
        return;
    d->away = true;
    d->yields = d->to == d->self && d->self != NONE && on_stack(&d->stack[d->self], from) &&
                called_from(m, from, d->stack[d->self].high, d->yields_low, d->yields_high);
    if (!d->yields)
        return;
    close(d, cycle, TAKT_PIECE_GOES_ON);
    d->kept = d->pieces.count;
    open(d, cycle);
}

/* Another one is on its stack. */
static void take_back(struct delivered *d, uint32_t next)
{
    if (!d->yields || next > d->self)
        return;
    d->pieces.count = d->kept;
    d->to = NONE;
    d->stack[d->self].yielded = true;
}

void delivered_unmasked(struct takt_machine *m, uint64_t cycle)
{
    struct delivered *d = &m->delivered;
    if (d->self == NONE || d->away || !d->stack[d->self].yielded)
        return;
    d->stack[d->self].yielded = false;
    open(d, cycle);
}

void delivered_stack(struct takt_machine *m, uint64_t cycle, uint32_t from, uint32_t to)
{
    struct delivered *d = &m->delivered;
    uint32_t k = owner_of(d, to);
    if (k == NONE) {
        leave(m, cycle, from);
        return;
    }
    if (k == d->self) {
        d->back = d->idle && d->away;
        d->idle = d->idle && !d->away;
    } else {
        take_back(d, k);
        d->yields = false;
        if (d->back)
            d->to = NONE;
        close(d, cycle, TAKT_PIECE_LEFT);
    }
    arrive(d, k, to);
    open(d, cycle);
}

void delivered_return(struct takt_machine *m, uint64_t cycle, uint32_t frame, uint32_t sp)
{
    struct delivered *d = &m->delivered;
    if (d->calls != 0 && d->call[d->calls - 1].frame == frame) {
        d->call[d->calls - 1].frame = 0;
        open(d, cycle);
    }
    if (d->self == NONE)
        return;
    uint32_t k = owner_of(d, sp);
    struct own_stack *t = &d->stack[k != NONE ? k : d->self];
    if (t->frame == frame)
        t->frame = 0;
    if (k != NONE)
        arrive(d, k, sp);
    open(d, cycle);
}

void delivered_sleep(struct takt_machine *m, uint64_t from, uint64_t to)
{
    struct delivered *d = &m->delivered;
    d->yields = false;
    close(d, from, TAKT_PIECE_LEFT);
    if (from != d->slept_to) {
        add_sleep(d);
        d->slept_from = from;
    }
    d->slept_to = to;
    d->idle = d->away;
    d->back = false;
    open(d, to);
}

void delivered_reset(struct takt_machine *m)
{
    struct delivered *d = &m->delivered;
    for (uint32_t k = 0; k < d->count; k++)
        d->stack[k] = (struct own_stack){d->stack[k].low, d->stack[k].high, 0, false};
    d->self = d->to = NONE;
    d->since = d->slept_from = d->slept_to = 0;
    d->idle = d->away = d->back = d->yields = false;
    d->calls = 0;
    d->pieces.count = 0;
}

int takt_deliver(struct takt_machine *m, uint32_t low, uint32_t high)
{
    struct delivered *d = &m->delivered;
    if (d->count == DELIVERED_MAX || low >= high)
        return -1;
    d->stack[d->count++] = (struct own_stack){low, high, 0, false};
    return 0;
}

void takt_deliver_yields(struct takt_machine *m, uint32_t low, uint32_t high)
{
    m->delivered.yields_low = low;
    m->delivered.yields_high = high;
    deliver_yields(m);
}

void delivered_waited(struct takt_machine *m, uint32_t cycles)
{
    uint32_t owner = owner_of(&m->delivered, m->r[13]);
    uint32_t whose = owner == NONE ? TAKT_WAITS_OTHERS : owner;
    if (m->ipsr != 0)
        whose = TAKT_WAITS_HANDLERS;
    m->delivered.waiting[whose].words++;
    m->delivered.waiting[whose].cycles += cycles;
}

int takt_flash_waits(const struct takt_machine *m, uint32_t whose, struct takt_flash_waits *out)
{
    if (whose >= WAITING_MAX)
        return -1;
    *out = m->delivered.waiting[whose];
    return 0;
}

uint32_t takt_delivered(struct takt_machine *m, struct takt_piece *out, uint32_t room)
{
    struct delivered *d = &m->delivered;
    if (d->yields && (d->away || interrupts_masked(m))) {
        uint32_t taken = record_take(&d->pieces, out, room < d->kept ? room : d->kept);
        d->kept -= taken;
        return taken;
    }
    d->yields = false;
    if (!d->back || !interrupts_masked(m)) { /* else it is not known yet whose this is */
        close(d, m->now, TAKT_PIECE_GOES_ON);
        open(d, m->now);
    }
    add_sleep(d);
    return record_take(&d->pieces, out, room);
}
